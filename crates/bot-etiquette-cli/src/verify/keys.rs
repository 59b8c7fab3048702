//! The keys to verify with: a JWKS document, or one key file.

use std::fmt;
use std::time::SystemTime;

use bot_etiquette_signing::directory::{DirectoryDocument, SkipReason};
use bot_etiquette_signing::{KeyLookup, KeyMaterial, Lookup, SignatureAgent};
use serde_json::Value;

use crate::exit::Failure;
use crate::input;

/// What [`KeyLookup`] answers from.
#[derive(Debug)]
pub(crate) struct Keys {
    source: Source,
    /// Whether a key is named by its thumbprint, and a directory belongs to an agent.
    web_bot_auth: bool,
}

#[derive(Debug)]
enum Source {
    /// The keys of a directory with their names.
    Directory(Vec<(Option<String>, KeyMaterial)>),
    Single(KeyMaterial),
}

impl Keys {
    /// Reads a JWKS document and keeps the keys that are valid at `now`.
    pub(crate) fn directory(file: &str, now: SystemTime, web_bot_auth: bool) -> Result<Self, Failure> {
        let bytes = input::any(file)?;
        let fix = "expected a JWKS document: {\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"..\"}]}";
        let unreadable = |error: &dyn fmt::Display| Failure::new(format_args!("{file}: {error} ({fix})"));
        // The library's reader knows what a directory must not hold, which keys it passes over, and the dates.
        let read = DirectoryDocument::parse(&bytes).map_err(|error| unreadable(&error))?;
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let document: Value = serde_json::from_slice(json).map_err(|error| unreadable(&error))?;
        let list = match document.get("keys") {
            Some(Value::Array(list)) => list.as_slice(),
            // A bare key, as some sites publish it.
            _ => std::slice::from_ref(&document),
        };
        let counts = |index| match read.entries().iter().find(|entry| entry.index() == index) {
            Some(entry) => entry.is_valid_at(now),
            // The verifier says of a weak key that it is weak, and knows more algorithms than a directory.
            None => read.skipped().iter().any(|key| {
                key.index == index && matches!(key.reason, SkipReason::NotEd25519 { .. } | SkipReason::Weak)
            }),
        };
        let mut keys = Vec::new();
        for (_, entry) in list.iter().enumerate().filter(|(index, _)| counts(*index)) {
            if let Ok(key) = KeyMaterial::parse(entry.to_string().as_bytes()) {
                keys.push((entry.get("kid").and_then(Value::as_str).map(str::to_owned), key));
            }
        }
        Ok(Self { source: Source::Directory(keys), web_bot_auth })
    }

    /// Reads one key of any form.
    pub(crate) fn single(file: &str, web_bot_auth: bool) -> Result<Self, Failure> {
        let bytes = zeroize::Zeroizing::new(input::any(file)?);
        let key = KeyMaterial::parse(&bytes).map_err(|error| {
            Failure::new(format_args!("{file}: {error} (for a JWKS document use --directory)"))
        })?;
        Ok(Self { source: Source::Single(key), web_bot_auth })
    }

    /// The key of this name.
    pub(crate) fn find(&self, keyid: Option<&str>) -> Option<KeyMaterial> {
        match &self.source {
            Source::Single(key) => {
                let named = keyid == Some(key.thumbprint().as_str());
                (named || !self.web_bot_auth).then(|| key.clone())
            }
            Source::Directory(keys) => {
                let by_thumbprint = keys.iter().find(|(_, key)| keyid == Some(key.thumbprint().as_str()));
                let by_name = || keys.iter().find(|(name, _)| keyid.is_some() && name.as_deref() == keyid);
                match (keyid, keys.as_slice()) {
                    (None, [(_, only)]) => Some(only.clone()),
                    _ => by_thumbprint.or_else(by_name).map(|(_, key)| key.clone()),
                }
            }
        }
    }
}

impl KeyLookup for Keys {
    fn key(&self, agent: Option<&SignatureAgent>, keyid: Option<&str>) -> Lookup {
        // A directory is that of the agent; where none is named there is none to look into.
        if self.web_bot_auth && agent.is_none() && matches!(self.source, Source::Directory(_)) {
            return Lookup::Unknown;
        }
        self.find(keyid).map_or(Lookup::Unknown, Lookup::Found)
    }
}
