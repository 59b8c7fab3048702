//! Reading the file a person named, where `-` is stdin.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Failure;

/// Bytes read of one input at the most; a larger one is refused rather than half read.
const MAX_INPUT: u64 = 64 * 1024 * 1024;

/// JSON of up to so many bytes is looked at for a private key.
const MAX_JWK: usize = 64 * 1024;

/// Whether an argument was `-` already.
static STDIN_TAKEN: AtomicBool = AtomicBool::new(false);

/// The name of an input as an argument gives it; fit for clap's `value_parser`. A second `-` would find stdin read to its end.
pub(crate) fn source(name: &str) -> Result<String, String> {
    match name {
        "-" if STDIN_TAKEN.swap(true, Ordering::Relaxed) => {
            Err("stdin can be read only once (give - for one input, and a file for the other)".to_owned())
        }
        name => Ok(name.to_owned()),
    }
}

/// Reads `name` whole; `-` reads stdin. A private key is refused: what is wrong with a file is often told by quoting it.
pub(crate) fn read(name: &str) -> Result<Vec<u8>, Failure> {
    let bytes = any(name)?;
    if is_private_key(&bytes) {
        return Err(Failure::new(format_args!(
            "{name}: holds a private key, which is read as a key alone (give the file that was meant)"
        )));
    }
    Ok(bytes)
}

/// Whether the whole of it is a private key, or a set with one: a page that shows a key is a page.
fn is_private_key(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    if line.starts_with(b"-----BEGIN ") {
        return line.ends_with(b"PRIVATE KEY-----");
    }
    if bytes.len() > MAX_JWK || !bytes.starts_with(b"{") {
        return false;
    }
    let Ok(json) = serde_json::from_slice::<serde_json::Value>(bytes) else { return false };
    let is_private = |key: &serde_json::Value| key.get("kty").is_some() && key.get("d").is_some();
    let set = json.get("keys").and_then(serde_json::Value::as_array);
    is_private(&json) || set.is_some_and(|keys| keys.iter().any(is_private))
}

/// Reads `name` whole, a key too; `-` reads stdin. For who quotes nothing of it.
pub(crate) fn any(name: &str) -> Result<Vec<u8>, Failure> {
    let cannot = |error: std::io::Error| {
        let fix = match error.kind() {
            _ if name.starts_with("http://") || name.starts_with("https://") => {
                " (robots check, robots lint and directory check fetch it with --online; else download it first)"
            }
            std::io::ErrorKind::PermissionDenied => " (make it readable, or pipe it in and give -)",
            _ => " (give the path of an existing file, or - for stdin)",
        };
        Failure::new(format_args!("{name}: cannot read: {error}{fix}"))
    };
    let mut bytes = Vec::new();
    let limit = MAX_INPUT.saturating_add(1);
    if name == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(cannot)?;
    } else {
        let file = std::fs::File::open(name).map_err(cannot)?;
        file.take(limit).read_to_end(&mut bytes).map_err(cannot)?;
    }
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_INPUT {
        return Err(Failure::new(format_args!(
            "{name}: larger than {MAX_INPUT} bytes, the limit for one input"
        )));
    }
    Ok(bytes)
}

/// Reads `name` whole, as text.
pub(crate) fn text(name: &str) -> Result<String, Failure> {
    String::from_utf8(read(name)?).map_err(|error| {
        let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = valid.iter().filter(|byte| **byte == b'\n').count().saturating_add(1);
        Failure::new(format_args!("{name}: line {line}: not UTF-8 (save the file as UTF-8)"))
    })
}
