//! What an identity puts on each request.

use http::{Extensions, HeaderMap, HeaderValue, header};

use crate::BotIdentity;

/// A request extension that picks which of the bot's own User-Agent strings the request carries.
///
/// ```
/// use bot_etiquette_identity::UserAgentForm;
///
/// let mut request = http::Request::get("https://example.com/").body(())?;
/// request.extensions_mut().insert(UserAgentForm::Phone);
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UserAgentForm {
    /// The bot's own string; what a request without the extension carries.
    #[default]
    Bot,
    /// The browser's on a phone, naming the bot.
    Phone,
    /// The browser's on a desktop, naming the bot.
    Desktop,
}

/// The fields of one bot, ready to be set: `User-Agent` in each form, and `From`.
///
/// ```
/// use bot_etiquette_identity::{BotIdentity, RequestIdentity, UserAgent, UserAgentForm};
/// use http::{HeaderMap, HeaderValue, header::USER_AGENT};
/// use url::Url;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let page = Url::parse("https://bots.example.net/crumb")?;
/// let bot = BotIdentity::builder(UserAgent::plain("CrumbBot", "1.0", &page)?, "CrumbBot", page).build()?;
/// let identity = RequestIdentity::new(&bot).chromium(140);
///
/// let mut headers = HeaderMap::new();
/// headers.insert(USER_AGENT, HeaderValue::from_static("somebody else"));
/// identity.apply(UserAgentForm::Bot, &mut headers)?;
/// assert_eq!(headers[USER_AGENT], "CrumbBot/1.0 (+https://bots.example.net/crumb)");
///
/// identity.apply(UserAgentForm::Desktop, &mut headers)?;
/// assert!(headers[USER_AGENT].to_str()?.contains("Chrome/140.0.0.0 Safari/537.36 (compatible; CrumbBot/1.0; bot;"));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct RequestIdentity {
    bot: HeaderValue,
    browser: Option<Browser>,
    from: Option<HeaderValue>,
    identity: BotIdentity,
}

#[derive(Clone, Debug)]
struct Browser {
    phone: HeaderValue,
    desktop: HeaderValue,
}

/// A request asked for a browser's User-Agent of a bot that has no browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request asks for the User-Agent form {form:?}, but the browser's major version was never given")]
pub struct FormNotOffered {
    /// What was asked for.
    pub form: UserAgentForm,
}

impl RequestIdentity {
    /// The fields of this bot, in its own form alone.
    #[must_use]
    pub fn new(identity: &BotIdentity) -> Self {
        Self {
            bot: identity.user_agent().to_header_value(),
            browser: None,
            from: identity.from().map(crate::From::to_header_value),
            identity: identity.clone(),
        }
    }

    /// Offers the phone and desktop forms too, with this major version of Chromium.
    #[must_use]
    pub fn chromium(mut self, major: u32) -> Self {
        self.browser = Some(Browser {
            phone: self.identity.phone(major).to_header_value(),
            desktop: self.identity.desktop(major).to_header_value(),
        });
        self
    }

    /// Sets `User-Agent` and `From`, overwriting whatever was there; a `From` that the bot does not send is removed.
    ///
    /// # Errors
    /// [`FormNotOffered`] when a browser form is asked for and [`chromium`](Self::chromium) was never called.
    pub fn apply(&self, form: UserAgentForm, headers: &mut HeaderMap) -> Result<(), FormNotOffered> {
        let value = match (form, &self.browser) {
            (UserAgentForm::Bot, _) => &self.bot,
            (UserAgentForm::Phone, Some(browser)) => &browser.phone,
            (UserAgentForm::Desktop, Some(browser)) => &browser.desktop,
            (form, None) => return Err(FormNotOffered { form }),
        };
        headers.insert(header::USER_AGENT, value.clone());
        match &self.from {
            Some(from) => headers.insert(header::FROM, from.clone()),
            None => headers.remove(header::FROM),
        };
        Ok(())
    }

    /// The form that a request's extensions ask for.
    #[must_use]
    pub fn form(extensions: &Extensions) -> UserAgentForm {
        extensions.get::<UserAgentForm>().copied().unwrap_or_default()
    }
}
