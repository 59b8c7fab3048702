//! Looks for a text in bytes, as it is and in the disguises in which programs pass things on.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

/// A text or key that must not be found.
pub struct Planted {
    pub name: String,
    forms: Vec<String>,
}

impl Planted {
    fn new(name: &str, forms: &[Vec<u8>]) -> Self {
        Self { name: name.to_owned(), forms: forms.iter().map(|form| folded(form)).collect() }
    }

    /// A text, as it is and without its blanks, whatever the case, and in each coding.
    pub fn text(text: &str) -> Self {
        let close: String = text.split(' ').collect();
        let mut forms = Vec::new();
        for text in [text.to_owned(), close] {
            forms.push(text.replace(' ', "%20").into_bytes());
            forms.push(text.replace(' ', "+").into_bytes());
            forms.push(text.replace('@', "%40").into_bytes());
            forms.push(text.replace('@', "&#64;").into_bytes());
            forms.push(text.replace('@', "\\u0040").into_bytes());
            forms.push(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
            forms.push(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
            forms.extend(coded(text.as_bytes()));
            forms.push(text.into_bytes());
        }
        Self::new(text, &forms)
    }

    /// The bytes of a secret key.
    pub fn key(seed: &[u8; 32]) -> Self {
        let mut forms = coded(seed);
        forms.push(seed.to_vec());
        forms.push(seed.iter().rev().copied().collect());
        let numbers: Vec<String> = seed.iter().map(u8::to_string).collect();
        forms.push(numbers.join(",").into_bytes());
        forms.push(numbers.join(", ").into_bytes());
        Self::new("the secret key", &forms)
    }

    /// Whether it is in there.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        let text = folded(bytes);
        self.forms.iter().any(|form| text.contains(form))
    }
}

/// A character a byte, whatever the case.
fn folded(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// In hexadecimal, and in base64 wherever in a longer text it begins.
fn coded(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = vec![bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into_bytes()];
    for engine in [STANDARD, URL_SAFE] {
        for before in 0..3 {
            let mut shifted = vec![0; before];
            shifted.extend(bytes);
            let text = engine.encode(&shifted);
            // Without the characters that hold bits of what stands before or after.
            let (from, to) = ((before * 8).div_ceil(6), shifted.len() * 8 / 6);
            forms.push(text[from..to].into());
        }
    }
    forms
}

/// Every file below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path),
        }
    }
    all
}

/// Looks through every file below a folder but `given`, which a person put there; how many there were.
#[track_caller]
pub fn search(folder: &Path, given: &[&str], planted: &[Planted]) -> usize {
    let all = files(folder);
    let written = all.iter().filter(|file| !given.iter().any(|given| file.ends_with(given)));
    let mut count = 0;
    for file in written {
        let bytes = fs::read(file).unwrap();
        for one in planted {
            assert!(!one.is_in(&bytes), "{} is in {}", one.name, file.display());
        }
        count += 1;
    }
    count
}

#[test]
fn what_is_planted_is_found_in_every_disguise() {
    let seed = [0xA7, 0x5C].repeat(16).try_into().unwrap();
    let key = Planted::key(&seed);
    let pem = bot_etiquette::signing::SigningKey::from_seed(&seed).to_pkcs8_pem();
    let jwk = bot_etiquette::signing::SigningKey::from_seed(&seed).to_jwk();
    let hex: String = seed.iter().map(|byte| format!("{byte:02X}")).collect();
    for told in [pem.as_bytes(), jwk.as_bytes(), hex.as_bytes(), format!("{seed:?}").as_bytes(), &seed[..]] {
        assert!(key.is_in(told), "{}", String::from_utf8_lossy(told));
    }
    assert!(
        !key.is_in(bot_etiquette::signing::SigningKey::from_seed(&seed).verifying_key().to_jwk().as_bytes())
    );
    let mail = Planted::text("jo@mail.example");
    for told in [
        "to JO@mail.example!",
        "q=jo%40mail.example",
        "jo&#64;mail.example",
        &STANDARD.encode("-jo@mail.example-"),
    ] {
        assert!(mail.is_in(told.as_bytes()), "{told}");
    }
    assert!(!mail.is_in(b"jo at mail.example"));
    assert!(Planted::text("600 000 417").is_in(b"tel:600000417"));
}
