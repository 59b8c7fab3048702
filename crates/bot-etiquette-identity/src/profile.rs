//! [`Profile`]: what a bot says of itself beyond its name, for its page, its address list and its card.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{Number, Prefix};

/// Defines a table of the configuration: plain public fields, each of which may be left out.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
        #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[$field_doc])*
                #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_default"))]
                pub $field: $type,
            )*
        }
    };
}

table! {
    /// What a bot says of itself beyond its name. All of it may be left out; `lint` (feature `lint`) says what a site
    /// owner would miss.
    ///
    /// ```
    /// use bot_etiquette_identity::{BotIdentity, Profile, UserAgent};
    /// use url::Url;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut profile = Profile::default();
    /// profile.about.operator = Some("Crumb Ltd".into());
    /// profile.about.ai_training = Some(false);
    /// profile.addresses.prefixes = vec!["198.51.100.0/28".parse()?];
    ///
    /// let page = Url::parse("https://bots.example.net/crumb")?;
    /// let agent = UserAgent::plain("CrumbBot", "1.0", &page)?;
    /// let bot = BotIdentity::builder(agent, "CrumbBot", page).profile(profile).build()?;
    /// assert_eq!(bot.profile().about.operator.as_deref(), Some("Crumb Ltd"));
    /// # Ok(()) }
    /// ```
    Profile {
        /// The politeness policy that the bot runs by: the page's rates are made from it. A relative path starts at the
        /// configuration's folder.
        policy: Option<PathBuf>,
        /// Facts that no language changes.
        about: About,
        /// Where the bot asks from.
        addresses: Addresses,
        /// What its Signature Agent Card says beside the above.
        card: CardDetails,
        /// What the operator binds the bot to.
        promise: Promise,
        /// The operator's own words, by language tag: `en`, `es`, `it`, ..
        text: BTreeMap<String, Texts>,
    }
}

table! {
    /// Facts about the bot that are the same in every language.
    About {
        /// The person or company that runs it.
        operator: Option<String>,
        /// Whether what it reads is used to train AI models.
        ai_training: Option<bool>,
        /// Whether pages are rendered in a browser, scripts and all.
        renders: Option<bool>,
        /// The day of the last change, as `2027-11-30`.
        updated: Option<String>,
        /// How many seconds a signature counts; shown with the way to verify.
        signature_lifetime: Option<Number>,
    }
}

table! {
    /// The addresses that the bot's requests come from.
    Addresses {
        /// The blocks.
        prefixes: Vec<Prefix>,
        /// Where the address file is published: an https URL.
        url: Option<String>,
        /// The suffix of the names that reverse DNS gives for its addresses, such as `.crawl.example.com`.
        reverse_dns: Option<String>,
    }
}

table! {
    /// What the Signature Agent Card says beside the rest of the configuration.
    CardDetails {
        /// Where the card is published; it is the card's `client_id`, an https URL.
        url: Option<String>,
        /// A picture: an https URL.
        logo: Option<String>,
        /// `crawler` (by default) or `fetcher`, which asks when a person does.
        trigger: Option<String>,
        /// A short word for the purpose; by default the English text.
        purpose: Option<String>,
        /// What kinds of content it looks for.
        targeted_content: Option<String>,
        /// How its rate can be controlled, such as `robots.txt Crawl-delay`.
        rate_control: Option<String>,
        /// What rate to expect, such as `avg=1rps;max=2rps`.
        rate_expectation: Option<String>,
        /// Addresses that it asks on many sites, such as `/robots.txt`.
        known_urls: Vec<String>,
    }
}

table! {
    /// What the operator binds the bot to, in the keys of a referee's `[promise]`; durations are seconds. With a policy at
    /// hand, `lint` holds one against the other.
    Promise {
        /// The User-Agent of every request: a name, a whole value, or one with `*` in it.
        user_agent: Option<String>,
        /// The token whose group in robots.txt is followed.
        robots_token: Option<String>,
        /// Requests open at one time on a host, at the most.
        max_open: Option<u64>,
        /// The least pause between two requests to a host.
        min_delay: Option<Number>,
        /// A Crawl-delay is kept up to this.
        crawl_delay_cap: Option<Number>,
        /// Every request is signed.
        signed: Option<bool>,
        /// What has changed is asked for, with the validators of the last answer.
        conditional: Option<bool>,
        /// Whether cookies may be sent back.
        cookies: Option<bool>,
        /// The methods that are sent.
        methods: Vec<String>,
        /// Redirects followed, at the most.
        max_redirects: Option<u64>,
        /// Bytes of a body that are read, at the most.
        max_body: Option<u64>,
        /// robots.txt is read before anything else.
        robots_first: Option<bool>,
        /// How long a copy of robots.txt is kept.
        robots_max_age: Option<Number>,
        /// How long the same address is not asked again.
        revisit: Option<Number>,
        /// Links marked nofollow are not followed.
        nofollow: Option<bool>,
        /// The longest that one request may take.
        time_limit: Option<Number>,
        /// How long a host that says it is busy is left alone.
        busy_first: Option<Number>,
        /// By how much that grows each time.
        busy_factor: Option<Number>,
        /// `host`, or `path` where only what was asked for is left alone.
        busy_scope: Option<String>,
        /// How long a host that does not answer is left alone.
        unreachable_first: Option<Number>,
        /// By how much that grows each time.
        unreachable_factor: Option<Number>,
        /// A Retry-After is kept.
        retry_after: Option<bool>,
        /// Requests to a host in a stretch of time, at the most.
        quota: Option<PromisedQuota>,
        /// Hosts that share one rate, in the place of the pause.
        groups: Vec<PromisedGroup>,
    }
}

table! {
    /// So many requests in so many seconds.
    PromisedQuota {
        /// How many.
        requests: u64,
        /// In how many seconds.
        window: Number,
    }
}

table! {
    /// Hosts that share one rate.
    PromisedGroup {
        /// Their names, or `*.suffix`.
        sites: Vec<String>,
        /// Requests a second over all of them, at the most.
        per_second: Number,
    }
}

table! {
    /// The operator's own words in one language. A text that a language lacks is shown in the first one that has it,
    /// marked as such.
    Texts {
        /// What the bot is for: a sentence or two.
        purpose: Option<String>,
        /// What becomes of what it reads.
        data_use: Option<String>,
        /// What it asks a site for.
        reads: Vec<String>,
        /// What the policy does not say of its pace.
        pace: Vec<String>,
        /// How it reads robots.txt, beyond RFC 9309.
        robots: Vec<String>,
        /// Rules of robots.txt that it does not follow, and why.
        exemptions: Vec<String>,
        /// Further limits.
        limits: Vec<String>,
        /// How pages are rendered, or why they are not.
        rendering: Vec<String>,
        /// What it never does.
        never: Vec<String>,
        /// How to know its requests, beyond signature and addresses.
        verify: Vec<String>,
        /// How its keys are replaced.
        key_rotation: Option<String>,
        /// What the operator does on a word of a site's owner.
        contact: Vec<String>,
        /// What the classes of the policy's `revisit`, `quota` and `class_max_open` are, by name.
        classes: BTreeMap<String, String>,
        /// The policy's tables that differ from its default, such as `group.cdn` or `host.example.com`: what they are and
        /// why they differ.
        exceptions: BTreeMap<String, String>,
    }
}

#[cfg(feature = "serde")]
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
