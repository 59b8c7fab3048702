//! An identity from TOML, with errors that name the key.

use std::path::PathBuf;

use serde::Deserialize;

use crate::{
    BotIdentity, IdentityError, UserAgent,
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
    /// [`IdentityError`] names the key and says what it should hold; an unknown key is an error too.
    pub fn from_toml(text: &str) -> Result<Self, IdentityError> {
        toml::from_str::<File>(text).map_err(|error| IdentityError::Syntax(error.to_string()))?.build()
    }
}
