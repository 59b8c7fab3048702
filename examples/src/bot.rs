//! Who a program is on the network: an identity and its key, the operator's own or a demonstration's.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use bot_etiquette::identity::BotIdentity;
use bot_etiquette::signing::{Signer, SigningKey};

use crate::exit::Usage;
use crate::stack::BoxError;

/// Who asks, and what signs the requests, if they are signed.
pub struct Bot {
    /// What every request says of itself.
    pub identity: BotIdentity,
    /// What signs them.
    pub signer: Option<Arc<Signer<SigningKey>>>,
    /// The key directory, as whoever verifies the signatures reads it.
    pub key_directory: Option<String>,
}

impl Bot {
    /// One of your own, from a file; a relative `key_file` lies beside it. Without one its requests are not signed.
    ///
    /// # Errors
    /// A [`Usage`] that names the file and what is wrong there, and shows the template.
    pub fn read(file: &Path) -> Result<Self, Usage> {
        let wrong = |error: &dyn Display| Usage::identity(format!("identity {}: {error}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
        let identity = BotIdentity::from_toml(&text).map_err(|error| wrong(&error))?;
        let Some(key_file) = identity.key_file() else { return Ok(Self::unsigned(identity)) };
        let key_file = file.parent().unwrap_or(Path::new("")).join(key_file);
        let wrong_key = |error: BoxError| wrong(&format_args!("the key {}: {error}", key_file.display()));
        let key = std::fs::read(&key_file).map_err(|error| wrong_key(error.into()))?;
        let key = SigningKey::parse(&key).map_err(|error| wrong_key(error.into()))?;
        Self::signed(identity, key).map_err(|error| wrong(&error))
    }

    /// As [`read`](Self::read), for a bot that promises to sign.
    ///
    /// # Errors
    /// As there, and where the identity names no key.
    pub fn read_signed(file: &Path) -> Result<Self, Usage> {
        let bot = Self::read(file)?;
        if bot.signer.is_none() {
            let problem = "needs key_file and directory; `bot-etiquette key new` makes a key";
            return Err(Usage::identity(format!("identity {}: {problem}", file.display())));
        }
        Ok(bot)
    }

    /// For loopback; signed by a key that nobody will ever see again where the identity names a directory.
    ///
    /// # Errors
    /// When the text is no identity, or the machine has no random numbers.
    pub fn demo(identity: &str) -> Result<Self, BoxError> {
        let identity = BotIdentity::from_toml(identity)?;
        if identity.directory().is_none() {
            return Ok(Self::unsigned(identity));
        }
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        Self::signed(identity, SigningKey::from_seed(&seed))
    }

    fn unsigned(identity: BotIdentity) -> Self {
        Self { identity, signer: None, key_directory: None }
    }

    fn signed(identity: BotIdentity, key: SigningKey) -> Result<Self, BoxError> {
        let directory =
            identity.directory().ok_or("key_file needs directory, the origin that publishes the key")?;
        let agent = directory.origin().ascii_serialization();
        let key_directory = Some(format!("{{\"keys\":[{}]}}", key.verifying_key().to_jwk()));
        let signer = Some(Arc::new(Signer::builder(key, &agent).build()?));
        Ok(Self { identity, signer, key_directory })
    }
}
