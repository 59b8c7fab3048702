//! Who a program is on the network: an identity and its key, the operator's own or a demonstration's.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use bot_etiquette::identity::BotIdentity;
use bot_etiquette::signing::{Signer, SigningKey};

use crate::exit::Usage;
use crate::files;
use crate::stack::BoxError;
use crate::world::World;

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
    /// A [`Usage`] that names the file, and where its text is wrong the line.
    pub fn read(file: &Path) -> Result<Self, Usage> {
        let wrong = |error: &dyn Display| wrong(file, error);
        let text = files::read_text(file).map_err(|error| wrong(&error))?;
        let identity = BotIdentity::from_toml(&text).map_err(|error| wrong(&error))?;
        let Some(key_file) = identity.key_file() else { return Ok(Self::unsigned(identity)) };
        let key_file = file.parent().unwrap_or(Path::new("")).join(key_file);
        let wrong_key = |error: BoxError| {
            let line = files::line_of(&text, "key_file");
            let new = "`bot-etiquette key new` makes one";
            wrong(&format_args!("{line}the key {}: {error}; {new}", key_file.display()))
        };
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
            return Err(wrong(file, &"needs key_file and directory; `bot-etiquette key new` makes a key"));
        }
        Ok(bot)
    }

    /// For a bot that promises to sign, in this world: the one of the file; on this machine one of a demonstration if there is
    /// no file, under this identity.
    ///
    /// # Errors
    /// A [`Usage`] that says what the identity lacks, or shows the template where there is none and `problem` says why there
    /// has to be.
    pub fn in_world(file: Option<&Path>, world: &World, demo: &str, problem: &str) -> Result<Self, BoxError> {
        match file {
            Some(file) => {
                let bot = Self::read_signed(file)?;
                bot.may_ask(world, file)?;
                Ok(bot)
            }
            None if world.is_loopback() => Self::demo(demo),
            None => Err(Usage::identity(problem).into()),
        }
    }

    /// Whether the identity of this file may be used in this world: off this machine nobody goes under a name that is for
    /// demonstrations, or another's.
    ///
    /// # Errors
    /// A [`Usage`] that names the file and the line.
    pub fn may_ask(&self, world: &World, file: &Path) -> Result<(), Usage> {
        if world.is_loopback() {
            return Ok(());
        }
        self.identity.check_public().map_err(|error| {
            let text = files::read_text(file).unwrap_or_default();
            let line = error.key().map_or_else(String::new, |key| files::line_of(&text, key));
            wrong(file, &format_args!("{line}{error}"))
        })
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

fn wrong(file: &Path, error: &dyn Display) -> Usage {
    Usage::new(format!("identity {}: {error}", file.display()))
}
