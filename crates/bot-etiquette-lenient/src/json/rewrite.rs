//! A broken document written anew as strict JSON.

use super::{JsonError, JsonStr, Limits, RepairKind, Repairs, Token, Tokens, number};

/// A document as strict JSON, and what had to be mended for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    json: Vec<u8>,
    repairs: Repairs,
}

impl Repaired {
    /// The document: strict JSON in UTF-8, without white space between its tokens.
    #[must_use]
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// The document, taken out.
    #[must_use]
    pub fn into_json(self) -> Vec<u8> {
        self.json
    }

    /// What was mended; empty when the input was strict JSON.
    #[must_use]
    pub fn repairs(&self) -> &Repairs {
        &self.repairs
    }
}

/// Writes `input` anew as strict JSON that a strict parser reads.
///
/// Equal keys of one object are all kept. A member whose value was cut off gets null. Try a strict parser first: this
/// costs time and one more copy.
///
/// ```
/// use bot_etiquette_lenient::json::{Limits, repair};
///
/// let mended = repair(b"cb({\"ids\":[+7,.5,],\"name\":\"a\tb\"});", Limits::default())?;
/// assert_eq!(mended.json(), br#"{"ids":[7,0.5],"name":"a\tb"}"#);
/// assert_eq!(mended.repairs().total(), 5);
/// # Ok::<(), bot_etiquette_lenient::json::JsonError>(())
/// ```
///
/// # Errors
/// [`JsonError`] where the input is no JSON and no repair makes it so.
pub fn repair(input: &[u8], limits: Limits) -> Result<Repaired, JsonError> {
    let mut tokens = Tokens::new(input, limits);
    let mut writer = Writer {
        json: Vec::with_capacity(input.len()),
        before: Before::Nothing,
        // Looked at once for all strings, which is cheaper than once for each.
        is_utf8: std::str::from_utf8(input).is_ok(),
    };
    while let Some(token) = tokens.next().transpose()? {
        writer.write(token, tokens.repairs_mut());
    }
    Ok(Repaired { json: writer.json, repairs: tokens.repairs().clone() })
}

struct Writer {
    json: Vec<u8>,
    before: Before,
    is_utf8: bool,
}

/// What the last token asks of the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Comma,
    Value,
}

impl Writer {
    fn write(&mut self, token: Token<'_>, repairs: &mut Repairs) {
        match token {
            Token::EndObject | Token::EndArray => {
                if self.before == Before::Value {
                    self.json.extend_from_slice(b"null");
                }
                self.json.push(if token == Token::EndObject { b'}' } else { b']' });
                self.before = Before::Comma;
                return;
            }
            _ if self.before == Before::Comma => self.json.push(b','),
            _ => {}
        }
        self.before = match token {
            Token::BeginObject | Token::BeginArray => Before::Nothing,
            Token::Key(_) => Before::Value,
            _ => Before::Comma,
        };
        match token {
            Token::BeginObject => self.json.push(b'{'),
            Token::BeginArray => self.json.push(b'['),
            Token::Key(text) | Token::String(text) if self.is_utf8 && text.has_good_escapes() => {
                self.as_written(text, repairs);
            }
            Token::Key(text) | Token::String(text) => self.string(text.decode(repairs).as_bytes()),
            Token::Number(raw) => self.json.extend_from_slice(number::mended(raw).as_bytes()),
            Token::Bool(true) => self.json.extend_from_slice(b"true"),
            Token::Bool(false) => self.json.extend_from_slice(b"false"),
            Token::Null => self.json.extend_from_slice(b"null"),
            Token::EndObject | Token::EndArray => {}
        }
        if self.before == Before::Value {
            self.json.push(b':');
        }
    }

    /// Writes a string of which at the most raw control characters are wrong.
    fn as_written(&mut self, text: JsonStr<'_>, repairs: &mut Repairs) {
        self.json.push(b'"');
        let mut rest = text.raw();
        let mut at = text.offset();
        // A look without branches at all bytes: it is wide, and most strings are clean.
        if rest.iter().fold(false, |seen, byte| seen | is_control(byte)) {
            while let Some(stop) = rest.iter().position(is_control) {
                let (plain, tail) = rest.split_at_checked(stop).unwrap_or((rest, &[]));
                let Some((byte, tail)) = tail.split_first() else { break };
                self.json.extend_from_slice(plain);
                self.escape(*byte);
                at = at.saturating_add(stop as u64);
                repairs.add(RepairKind::ControlCharacter, at);
                at = at.saturating_add(1);
                rest = tail;
            }
        }
        self.json.extend_from_slice(rest);
        self.json.push(b'"');
    }

    fn string(&mut self, text: &[u8]) {
        self.json.push(b'"');
        let mut rest = text;
        while let Some(stop) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\') || is_control(byte)) {
            let (plain, tail) = rest.split_at_checked(stop).unwrap_or((rest, &[]));
            self.json.extend_from_slice(plain);
            if let Some((byte, tail)) = tail.split_first() {
                self.escape(*byte);
                rest = tail;
            }
        }
        self.json.extend_from_slice(rest);
        self.json.push(b'"');
    }

    fn escape(&mut self, byte: u8) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => {
                let digit = |value: u8| HEX.get(usize::from(value & 15)).copied().unwrap_or(b'0');
                self.json.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
                return;
            }
        };
        self.json.extend_from_slice(&[b'\\', short]);
    }
}

fn is_control(byte: &u8) -> bool {
    *byte < 0x20
}
