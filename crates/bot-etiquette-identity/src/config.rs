//! An identity from TOML, with errors that name the key.

use std::{collections::BTreeMap, path::PathBuf};

use serde::Deserialize;

use crate::{
    About, Addresses, BotIdentity, CardDetails, IdentityError, Profile, Promise, Texts, UserAgent,
    builder::{BotIdentityBuilder, web_url, wrong},
};

/// The file as written, before any value is looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    user_agent: String,
    token: String,
    page: String,
    contact: String,
    from: Option<String>,
    key_file: Option<PathBuf>,
    directory: Option<String>,
    #[serde(default)]
    loopback_only: bool,
    policy: Option<PathBuf>,
    #[serde(default)]
    about: About,
    #[serde(default)]
    addresses: Addresses,
    #[serde(default)]
    card: CardDetails,
    #[serde(default)]
    promise: Promise,
    #[serde(default)]
    text: BTreeMap<String, Texts>,
}

impl File {
    pub(crate) fn build(self) -> Result<BotIdentity, IdentityError> {
        let user_agent = UserAgent::parse(&self.user_agent)
            .map_err(|error| wrong("user_agent", &self.user_agent, error))?;
        BotIdentityBuilder {
            contact: Some(self.contact),
            from: self.from,
            key_file: self.key_file,
            directory: self.directory,
            loopback_only: self.loopback_only,
            profile: Profile {
                policy: self.policy,
                about: self.about,
                addresses: self.addresses,
                card: self.card,
                promise: self.promise,
                text: self.text,
            },
            ..BotIdentityBuilder::new(user_agent, self.token, web_url("page", &self.page)?)
        }
        .build()
    }
}

#[cfg(feature = "toml")]
impl BotIdentity {
    /// Reads an identity in the form of [`BotIdentity::TEMPLATE`]. A relative `key_file` stays relative: join it to
    /// the folder of the file it was read from.
    ///
    /// ```
    /// use bot_etiquette_identity::BotIdentity;
    ///
    /// let bot = BotIdentity::from_toml(
    ///     r#"
    ///     user_agent = "CrumbBot/1.0 (+https://bots.example.net/crumb)"
    ///     token = "CrumbBot"
    ///     page = "https://bots.example.net/crumb"
    ///     contact = "mailto:crumb@bots.example.net"
    ///     "#,
    /// )?;
    /// assert_eq!(bot.user_agent().as_str(), "CrumbBot/1.0 (+https://bots.example.net/crumb)");
    ///
    /// let error = BotIdentity::from_toml(&BotIdentity::TEMPLATE.replace("token = \"ExampleBot\"", "token = \"Other\""));
    /// assert_eq!(error.unwrap_err().key(), Some("token"));
    /// # Ok::<(), bot_etiquette_identity::IdentityError>(())
    /// ```
    ///
    /// # Errors
    /// [`IdentityError`] names the line and the key and says what it should hold; an unknown key is an error too, and so is
    /// a private key in the file itself, which is not repeated.
    pub fn from_toml(text: &str) -> Result<Self, IdentityError> {
        if let Some(line) = secret(text) {
            return Err(IdentityError::Syntax(format!(
                "line {line}: holds a private key; keep it in a file of its own, and name that as key_file"
            )));
        }
        let file = toml::from_str::<File>(text)
            .map_err(|error| IdentityError::Syntax(crate::lines::mistake(text, &error)))?;
        file.build().map_err(|error| match error {
            IdentityError::Value { key, problem, .. } => {
                let path: Vec<&str> = key.split('.').collect();
                IdentityError::Value { key, problem, line: crate::lines::Lines::new(text).of(&path) }
            }
            other => other,
        })
    }
}

/// The line of a private key, which belongs into a file that nobody else reads.
#[cfg(feature = "toml")]
pub(crate) fn secret(text: &str) -> Option<usize> {
    let is_secret =
        |line: &str| line.contains("PRIVATE KEY") || (line.contains("\"kty\"") && line.contains("\"d\""));
    (1..).zip(text.lines()).find(|(_, line)| is_secret(line)).map(|(number, _)| number)
}
