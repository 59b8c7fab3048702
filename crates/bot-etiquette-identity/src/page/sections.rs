//! What stands on the page, section by section.

use super::{Block, BotPage, Section, pace};
use crate::Texts;

/// A text and, where it is not the page's, its language.
type Said = (String, Option<String>);

impl BotPage<'_> {
    pub(super) fn sections(&self) -> Vec<Section> {
        let all = [
            self.glance(),
            self.names(),
            self.plain("reads", |texts| &texts.reads, Vec::new()),
            self.pace(),
            self.holds(),
            self.exceptions(),
            self.robots(),
            self.block(),
            self.plain(
                "limits",
                |texts| &texts.limits,
                pace::limits(&self.identity.profile.promise, self.language),
            ),
            self.rendering(),
            self.never(),
            self.data(),
            self.verify(),
            self.firewall(),
            self.reach(),
        ];
        all.into_iter().filter(|section| !section.blocks.is_empty()).collect()
    }

    fn say(&self, key: &str, values: &[&str]) -> String {
        self.language.say(key, values)
    }

    fn line(&self, key: &str, values: &[&str]) -> Block {
        Block::Text(self.say(key, values), None)
    }

    fn section(&self, id: &'static str, blocks: Vec<Block>) -> Section {
        Section { heading: self.say(id, &[]), id, blocks }
    }

    /// The operator's texts, those of the page's language first, then English, then any other.
    fn texts(&self) -> Vec<(&str, &Texts)> {
        let mut texts: Vec<_> =
            self.identity.profile.text.iter().map(|(tag, texts)| (tag.as_str(), texts)).collect();
        texts.sort_by_key(|(tag, _)| (!tag.eq_ignore_ascii_case(self.language.tag()), *tag != "en"));
        texts
    }

    fn marked(&self, text: &str, tag: &str) -> Said {
        (text.to_owned(), (!tag.eq_ignore_ascii_case(self.language.tag())).then(|| tag.to_owned()))
    }

    /// What the operator wrote, in the first language that has any of it.
    fn own(&self, of: impl Fn(&Texts) -> &Vec<String>) -> Vec<Said> {
        let texts = self.texts();
        let Some((tag, lines)) =
            texts.iter().map(|(tag, texts)| (tag, of(texts))).find(|(_, lines)| !lines.is_empty())
        else {
            return Vec::new();
        };
        lines.iter().map(|line| self.marked(line, tag)).collect()
    }

    fn own_line(&self, of: impl Fn(&Texts) -> &Option<String>) -> Option<Said> {
        self.texts().into_iter().find_map(|(tag, texts)| Some(self.marked(of(texts).as_deref()?, tag)))
    }

    /// A section that is one list: what is known, and what the operator adds.
    fn plain(&self, id: &'static str, of: impl Fn(&Texts) -> &Vec<String>, known: Vec<String>) -> Section {
        let mut lines: Vec<Said> = known.into_iter().map(|line| (line, None)).collect();
        lines.extend(self.own(of));
        self.section(id, list(lines))
    }

    fn yes(&self, yes: bool) -> String {
        self.say(if yes { "yes" } else { "no" }, &[])
    }

    fn glance(&self) -> Section {
        let (bot, profile) = (self.identity, &self.identity.profile);
        let intro = match &profile.about.operator {
            Some(operator) => self.line("intro", &[bot.token(), operator]),
            None => self.line("intro_alone", &[bot.token()]),
        };
        let mut blocks = vec![intro];
        blocks.extend(self.own_line(|texts| &texts.purpose).map(|(text, tag)| Block::Text(text, tag)));
        blocks.push(self.line("if_you_came", &[]));
        let mut pairs = Vec::new();
        let mut pair = |key: &str, value: String| pairs.push((self.say(key, &[]), value));
        pair("user_agent", bot.user_agent().to_string());
        pair("token", bot.token().to_owned());
        if let Some(operator) = &profile.about.operator {
            pair("operator", operator.clone());
        }
        pair("contact", bot.contact().to_string());
        if let Some(from) = bot.from() {
            pair("from", from.to_string());
        }
        if let Some(trains) = profile.about.ai_training {
            pair("trains", self.yes(trains));
        }
        if let Some(renders) = profile.about.renders {
            pair("renders", self.yes(renders));
        }
        pair("signed", self.yes(bot.key_file().is_some()));
        let addresses: Vec<_> = profile.addresses.prefixes.iter().map(ToString::to_string).collect();
        if addresses.is_empty() {
            pair("addresses", self.say("none", &[]));
        } else {
            pair("addresses", addresses.join(", "));
        }
        if let Some(url) = &profile.addresses.url {
            pair("address_file", url.clone());
        }
        if let Some(day) = &profile.about.updated {
            pair("updated", day.clone());
        }
        blocks.push(Block::Pairs(pairs));
        self.section("glance", blocks)
    }

    fn names(&self) -> Section {
        let bot = self.identity;
        let mut blocks =
            vec![self.line("user_agent_own", &[]), Block::Verbatim(format!("{}\n", bot.user_agent()))];
        if bot.profile.about.renders == Some(true) {
            let open = |agent: crate::UserAgent| agent.as_str().replace("Chrome/0.", "Chrome/<version>.");
            blocks.push(self.line("user_agent_phone", &[]));
            blocks.push(Block::Verbatim(format!("{}\n", open(bot.phone(0)))));
            blocks.push(self.line("user_agent_desktop", &[]));
            blocks.push(Block::Verbatim(format!("{}\n", open(bot.desktop(0)))));
            blocks.push(self.line("user_agent_version", &[]));
        }
        self.section("user_agents", blocks)
    }

    fn pace(&self) -> Section {
        let texts = self.texts();
        let names = pace::Names { language: self.language, texts: &texts };
        let mut known = match self.rates {
            Some(rates) => pace::pace(&rates.default, &names),
            None => pace::promised_pace(&self.identity.profile.promise, self.language),
        };
        if self.rates.is_some_and(|rates| rates.closed) {
            known.insert(0, self.say("closed", &[]));
        }
        self.plain("pace", |texts| &texts.pace, known)
    }

    fn holds(&self) -> Section {
        let known = match self.rates {
            Some(rates) => pace::holds(&rates.default, self.language),
            None => pace::promised_holds(&self.identity.profile.promise, self.language),
        };
        self.section("holds", list(known.into_iter().map(|line| (line, None)).collect()))
    }

    fn exceptions(&self) -> Section {
        let Some(rates) = self.rates else { return self.section("exceptions", Vec::new()) };
        let texts = self.texts();
        let names = pace::Names { language: self.language, texts: &texts };
        let mut blocks = Vec::new();
        for (table, said) in pace::exceptions(rates, &names) {
            if blocks.is_empty() {
                blocks.push(self.line("exceptions_intro", &[]));
            }
            blocks.push(Block::Heading(match table.is_group() {
                true => table.path().last().copied().unwrap_or_default().to_owned(),
                false => table.hosts.join(", "),
            }));
            let why = texts.iter().find_map(|(tag, texts)| Some((tag, texts.exceptions.get(&table.name)?)));
            if let Some((tag, why)) = why {
                let (text, tag) = self.marked(why, tag);
                blocks.push(Block::Text(text, tag));
            }
            if table.is_group() {
                blocks.push(Block::Text(table.hosts.join(", "), None));
            }
            let said = if said.is_empty() { pace::pace(&table.each, &names) } else { said };
            blocks.extend(list(said.into_iter().map(|line| (line, None)).collect()));
        }
        self.section("exceptions", blocks)
    }

    fn robots(&self) -> Section {
        let promise = &self.identity.profile.promise;
        let mut lines = vec![self.say("robots_rules", &[self.identity.token()])];
        if promise.robots_first == Some(true) {
            lines.push(self.say("robots_first", &[]));
        }
        if let Some(age) = promise.robots_max_age {
            lines.push(self.say("robots_age", &[&self.language.span(age)]));
        }
        lines.push(self.say("robots_closed", &[]));
        match (self.rates, promise.crawl_delay_cap) {
            (Some(rates), _) => lines.push(pace::crawl_delay(&rates.default, self.language)),
            (None, Some(cap)) => lines.push(self.say("delay_promised", &[&self.language.span(cap)])),
            (None, None) => {}
        }
        let mut section = self.plain("robots", |texts| &texts.robots, lines);
        let exemptions = self.own(|texts| &texts.exemptions);
        if !exemptions.is_empty() {
            section.blocks.push(Block::Heading(self.say("exemptions", &[])));
            section.blocks.extend(list(exemptions));
        }
        section
    }

    fn block(&self) -> Section {
        let [all, folder, slow] = self.robots_examples();
        let blocks = vec![
            self.line("block_all", &[]),
            Block::Verbatim(all),
            self.line("block_folder", &[]),
            Block::Verbatim(folder),
            self.line("block_slow", &[]),
            Block::Verbatim(slow),
            self.line("block_group", &[]),
            self.line("verify_robots", &[self.identity.token()]),
        ];
        self.section("block", blocks)
    }

    fn rendering(&self) -> Section {
        let known = self
            .identity
            .profile
            .about
            .renders
            .map(|renders| self.say(if renders { "rendering_yes" } else { "rendering_no" }, &[]));
        self.plain("rendering", |texts| &texts.rendering, known.into_iter().collect())
    }

    fn never(&self) -> Section {
        let promise = &self.identity.profile.promise;
        let mut known = Vec::new();
        if !promise.methods.is_empty() {
            known.push(self.say("never_methods", &[&promise.methods.join(", ")]));
        }
        if promise.cookies == Some(false) {
            known.push(self.say("never_cookies", &[]));
        }
        if promise.nofollow == Some(true) {
            known.push(self.say("never_nofollow", &[]));
        }
        self.plain("never", |texts| &texts.never, known)
    }

    fn data(&self) -> Section {
        let mut blocks = Vec::new();
        blocks.extend(self.own_line(|texts| &texts.data_use).map(|(text, tag)| Block::Text(text, tag)));
        if let Some(trains) = self.identity.profile.about.ai_training {
            blocks.push(self.line(if trains { "use_trains" } else { "use_trains_not" }, &[]));
        }
        self.section("use", blocks)
    }

    fn verify(&self) -> Section {
        let (bot, profile) = (self.identity, &self.identity.profile);
        let mut blocks = vec![self.line("verify_copied", &[])];
        if let Some(directory) = bot.directory() {
            blocks.push(self.line("verify_signature", &[]));
            if let Some(lifetime) = profile.about.signature_lifetime {
                blocks.push(self.line("verify_lifetime", &[&self.language.span(lifetime)]));
            }
            let origin = directory.origin().ascii_serialization();
            blocks.push(self.line("verify_directory", &[&origin]));
            blocks.push(Block::Link(key_directory(&origin)));
            blocks
                .extend(self.own_line(|texts| &texts.key_rotation).map(|(text, tag)| Block::Text(text, tag)));
        }
        if !profile.addresses.prefixes.is_empty() {
            blocks.push(self.line("verify_addresses", &[]));
            let lines = profile.addresses.prefixes.iter().map(|prefix| (prefix.to_string(), None));
            blocks.push(Block::List(lines.collect()));
        }
        if let Some(url) = &profile.addresses.url {
            blocks.push(self.line("verify_file", &[]));
            blocks.push(Block::Link(url.clone()));
        }
        if let Some(suffix) = &profile.addresses.reverse_dns {
            blocks.push(self.line("verify_reverse", &[suffix]));
        }
        if blocks.len() == 1 {
            blocks.push(self.line("verify_none", &[]));
        }
        blocks.extend(list(self.own(|texts| &texts.verify)));
        self.section("verify", blocks)
    }

    fn firewall(&self) -> Section {
        let token = [self.identity.token()];
        let steps = |keys: &[&str]| list(keys.iter().map(|key| (self.say(key, &token), None)).collect());
        let published = !self.identity.profile.addresses.prefixes.is_empty();
        let by_address = |key: &'static str| steps(&[if published { key } else { "needs_addresses" }]);
        let mut blocks = vec![self.line("firewall_why", &[])];
        let mut recipe = |heading: &str, steps: Vec<Block>| {
            blocks.push(Block::Heading(self.say(heading, &[])));
            blocks.extend(steps);
        };
        recipe("cloudflare", steps(&["cloudflare_1", "cloudflare_2", "cloudflare_3", "cloudflare_4"]));
        recipe("sucuri", by_address("sucuri_1"));
        recipe("wordfence", by_address("wordfence_1"));
        let other: &[&str] =
            if published { &["other_1", "other_2", "other_3"] } else { &["other_1", "other_3"] };
        recipe("other_firewall", steps(other));
        self.section("firewall", blocks)
    }

    fn reach(&self) -> Section {
        let contact = self.identity.contact();
        let (key, link) = match contact.scheme() {
            "mailto" => ("reach_mail", contact.path()),
            _ => ("reach_page", contact.as_str()),
        };
        let mut blocks = vec![self.line(key, &[link]), Block::Link(contact.to_string())];
        blocks.extend(list(self.own(|texts| &texts.contact)));
        self.section("reach", blocks)
    }
}

/// A list, or nothing.
fn list(lines: Vec<Said>) -> Vec<Block> {
    if lines.is_empty() { Vec::new() } else { vec![Block::List(lines)] }
}

/// Where Web Bot Auth looks for the keys of a site.
pub(crate) fn key_directory(origin: &str) -> String {
    format!("{origin}/.well-known/http-message-signatures-directory")
}
