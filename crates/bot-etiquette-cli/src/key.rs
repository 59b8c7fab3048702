//! `key new` and `key show`: make a key, name a key.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bot_etiquette_signing::{KeyMaterial, SigningKey, VerifyingKey};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::exit::{Answer, Failure};
use crate::{input, output};

/// `key ...`
#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Make an Ed25519 key; the secret goes to a new file of mode 0600, the public part to stdout.
    New(New),
    /// Print the public part and the thumbprint of a key file of any form.
    Show(Show),
}

/// `key new --out FILE`
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The file for the secret; it must not exist yet.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How the secret is written.
    #[arg(long, value_enum, default_value_t = Format::Pem)]
    format: Format,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// PKCS#8 PEM, as OpenSSL reads and writes it.
    Pem,
    /// A private JWK (RFC 8037).
    Jwk,
}

/// `key show FILE`
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// A key: PEM, DER, JWK or a raw seed, secret or public, Ed25519 or another that `verify` takes; - reads stdin.
    #[arg(value_name = "FILE", value_parser = input::source)]
    file: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(command: &Key) -> Result<Answer, Failure> {
    match command {
        Key::New(options) => new(options),
        Key::Show(options) => {
            let bytes = read(&options.file)?;
            let key = KeyMaterial::parse(&bytes)
                .map_err(|error| Failure::new(format_args!("{}: {error}", options.file)))?;
            let jwk = key.to_jwk().ok_or_else(|| {
                Failure::new(format_args!(
                    "{}: a shared secret has no public part to show (give an Ed25519, RSA or EC key)",
                    options.file
                ))
            })?;
            print(&key, &jwk, options.json)
        }
    }
}

/// Reads a secret key of any form; used by every command that signs.
pub(crate) fn signing_key(file: &str) -> Result<SigningKey, Failure> {
    SigningKey::parse(&read(file)?).map_err(|error| {
        Failure::new(format_args!("{file}: {error} (make one with `bot-etiquette key new --out FILE`)"))
    })
}

/// Reads the public part of a key of any form.
pub(crate) fn verifying_key(file: &str) -> Result<VerifyingKey, Failure> {
    VerifyingKey::parse(&read(file)?).map_err(|error| Failure::new(format_args!("{file}: {error}")))
}

/// Warns of a key whose secret everyone has.
pub(crate) fn warn_of_published(key: &KeyMaterial) {
    if key.is_published_test_key() {
        output::warn("the secret of this key is printed in an RFC; anyone can sign with it");
    }
}

fn read(file: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    input::any(file).map(Zeroizing::new)
}

fn new(options: &New) -> Result<Answer, Failure> {
    if options.out.as_os_str() == "-" {
        return Err(Failure::new(
            "--out -: a secret is never written to stdout (give the path of a new file)",
        ));
    }
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(seed.as_mut_slice())
        .map_err(|error| Failure::new(format_args!("the system gives no random bytes: {error}")))?;
    let key = SigningKey::from_seed(&seed);
    let (text, end) = match options.format {
        Format::Pem => (key.to_pkcs8_pem(), ""),
        Format::Jwk => (key.to_jwk(), "\n"),
    };
    write_secret(&options.out, [text.as_str(), end]).map_err(|error| {
        let fix = match error.kind() {
            io::ErrorKind::AlreadyExists => " (a key is never overwritten: give another path)",
            io::ErrorKind::NotFound => " (make the folder first)",
            _ => "",
        };
        Failure::new(format_args!("{}: cannot write: {error}{fix}", options.out.display()))
    })?;
    output::talk(&format!("The secret is in {}; keep it there.\n", options.out.display()));
    let public = key.verifying_key();
    print(&public.clone().into(), &public.to_jwk(), options.json)
}

/// Writes a new file that only its owner may read; a half-written one is taken away again.
fn write_secret(path: &Path, parts: [&str; 2]) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    // Whatever the umask takes away, the owner can read it.
    #[cfg(unix)]
    let permitted = file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600));
    #[cfg(not(unix))]
    let permitted = Ok(());
    let written = permitted
        .and_then(|()| parts.iter().try_for_each(|part| file.write_all(part.as_bytes())))
        .and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = std::fs::remove_file(path);
    }
    written
}

#[derive(Serialize)]
struct Shown {
    schema: u32,
    jwk: serde_json::Value,
    thumbprint: String,
}

fn print(key: &KeyMaterial, jwk: &str, json: bool) -> Result<Answer, Failure> {
    let thumbprint = key.thumbprint().to_string();
    warn_of_published(key);
    if key.is_weak() {
        output::warn("this key is weak; no verifier takes it");
    }
    if json {
        let jwk = serde_json::from_str(jwk)
            .map_err(|error| Failure::new(format_args!("cannot write JSON: {error}")))?;
        output::json(&Shown { schema: output::SCHEMA, jwk, thumbprint })?;
    } else {
        output::text(format!("thumbprint {thumbprint}\njwk        {jwk}\n").as_bytes())?;
    }
    Ok(Answer::Yes)
}
