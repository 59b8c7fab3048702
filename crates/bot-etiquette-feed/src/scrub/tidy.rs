//! A text without its finds, that still reads as a text.

use super::Find;

/// Words that announce a number, and go with it. Lower case, without accents.
const NUMBERS: [&str; 21] = [
    "tel",
    "tels",
    "telf",
    "telfs",
    "tlf",
    "tlfs",
    "tfno",
    "tfnos",
    "tlfno",
    "tlfnos",
    "tlfonos",
    "telefono",
    "telefonos",
    "telefon",
    "telefons",
    "telephone",
    "phone",
    "movil",
    "mobil",
    "whatsapp",
    "fax",
];
/// The other words that only announce what goes.
const LABELS: [&str; 17] = [
    "email",
    "e-mail",
    "mail",
    "correo",
    "correu",
    "electronico",
    "electronic",
    "contacto",
    "contacte",
    "contact",
    "info",
    "informacion",
    "informacio",
    "reservas",
    "dni",
    "nif",
    "iban",
];
/// What a find leaves where nothing may come together.
const MARK: char = '\u{2026}';

pub(super) fn without(text: &str, finds: &[Find], mark: bool) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for find in finds {
        let piece = text.get(from..find.at.start).unwrap_or_default();
        // Blanks do not pile up between finds: what looks back over them would take longer each time.
        let piece = if kept.ends_with(' ') { piece.trim_start_matches(' ') } else { piece };
        kept.push_str(piece);
        from = find.at.end;
        if mark {
            kept.push(MARK);
        } else {
            drop_label(&mut kept);
            let rest = text.get(from..).unwrap_or_default();
            from = from.saturating_add(emptied_bracket(&mut kept, rest));
        }
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    if mark { kept } else { close_up(&kept) }
}

/// Takes the announcing words at the end of `kept` away, as far as they stand before a colon or are an abbreviation.
fn drop_label(kept: &mut String) {
    let trimmed = kept.trim_end_matches(' ');
    if !trimmed.ends_with([':', '.']) {
        // A bare word goes only where it says nothing by itself.
        if let Some(at) = ends_with_label(trimmed)
            .filter(|at| matches!(trimmed.get(*at..), Some("DNI" | "IBAN" | "tel" | "Tel")))
        {
            kept.truncate(at);
        }
        return;
    }
    let mut end = trimmed.trim_end_matches([':', '.', ' ']).len();
    let mut dropped = false;
    while let Some(at) = ends_with_label(kept.get(..end).unwrap_or_default()) {
        end = kept.get(..at).unwrap_or_default().trim_end_matches(' ').len();
        dropped = true;
    }
    if dropped {
        kept.truncate(end);
        if !kept.is_empty() && !kept.ends_with('\n') {
            kept.push(' ');
        }
    }
}

/// Where the label word that ends `text` starts.
fn ends_with_label(text: &str) -> Option<usize> {
    let (at, word) = last_word(text)?;
    (NUMBERS.contains(&word.as_str()) || LABELS.contains(&word.as_str())).then_some(at)
}

/// Whether `text` ends with a word that announces a number.
pub(super) fn announces_number(text: &str) -> bool {
    last_word(text).is_some_and(|(_, word)| NUMBERS.contains(&word.as_str()))
}

/// Where the last word of `text` starts, and how it folds.
fn last_word(text: &str) -> Option<(usize, String)> {
    let length: usize = text
        .chars()
        .rev()
        .take(16)
        .take_while(|character| character.is_alphabetic() || *character == '-')
        .map(char::len_utf8)
        .sum();
    let at = text.len().checked_sub(length)?;
    Some((at, crate::fold::fold(text.get(at..)?)))
}

/// When a find stood alone in brackets, the brackets go too; returns how much of `rest` goes.
fn emptied_bracket(kept: &mut String, rest: &str) -> usize {
    let closing = match kept.trim_end_matches(' ').chars().next_back() {
        Some('(') => ')',
        Some('[') => ']',
        Some('<') => '>',
        _ => return 0,
    };
    let blanks = rest.len().saturating_sub(rest.trim_start_matches(' ').len());
    if !rest.trim_start_matches(' ').starts_with(closing) {
        return 0;
    }
    kept.truncate(kept.trim_end_matches(' ').len().saturating_sub(1));
    blanks.saturating_add(1)
}

/// No blank before a full stop or a comma, and no two of them in a row.
fn close_up(text: &str) -> String {
    let mut closed = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut from = 0;
    // What stands well is taken over in one piece.
    while let Some(at) = stands_ill(bytes, from) {
        closed.push_str(text.get(from..at).unwrap_or_default());
        from = at.saturating_add(1);
        bytes.get(at).into_iter().for_each(|mark| close_up_with(char::from(*mark), &mut closed));
    }
    closed.push_str(text.get(from..).unwrap_or_default());
    closed
}

/// The first mark that stands at `from`, or behind it and not behind a letter.
fn stands_ill(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    if matches!(rest, [b'.' | b',' | b';' | b' ', ..]) {
        return Some(from);
    }
    let is_ill = |(left, byte): (&u8, &u8)| {
        let mark = (*byte == b'.') | (*byte == b',') | (*byte == b';');
        let gap = (*left == b' ') | (*left == b'\n') | (*left == b':') | (*left == b',') | (*left == b';');
        mark & gap | (*byte == b' ') & (*left == b' ')
    };
    // Many bytes are looked at at once.
    let mut chunks = rest.chunks(CHUNK).zip(rest.get(1..)?.chunks(CHUNK)).enumerate();
    let seen = |(_, (lefts, bytes)): &(usize, (&[u8], &[u8]))| {
        lefts.iter().zip(*bytes).fold(false, |seen, pair| seen | is_ill(pair))
    };
    let (index, (lefts, bytes)) = chunks.find(seen)?;
    let place = lefts.iter().zip(bytes).position(is_ill)?;
    Some(from.saturating_add(index.saturating_mul(CHUNK)).saturating_add(place).saturating_add(1))
}

/// Bytes that are looked at at once.
const CHUNK: usize = 64;

/// Adds a blank, a full stop or a comma where one may stand.
fn close_up_with(character: char, closed: &mut String) {
    if character != ' ' {
        let length = closed.trim_end_matches(' ').len();
        let gap = length < closed.len();
        closed.truncate(length);
        if gap && character == '.' && closed.ends_with('.') {
            return;
        }
        if closed.is_empty() || closed.ends_with(['\n', ':', ',', ';']) {
            let length = closed.trim_end_matches([':', ',', ';', ' ']).len();
            closed.truncate(length);
            if closed.is_empty() || closed.ends_with('\n') {
                return;
            }
        }
    } else if closed.ends_with(' ') || closed.is_empty() {
        return;
    }
    closed.push(character);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{close_up, close_up_with};

    proptest! {
        #[test]
        fn a_text_closes_up_as_it_does_letter_by_letter(
            text in "([a .,;:\nñ]{0,24}|[a .]{0,4}[a-z]{50,70}[a .,]{0,4}[a-z]{50,70}[a .,;:\n]{0,4})",
        ) {
            let mut slowly = String::new();
            for character in text.chars() {
                match character {
                    ' ' | '.' | ',' | ';' => close_up_with(character, &mut slowly),
                    other => slowly.push(other),
                }
            }
            prop_assert_eq!(close_up(&text), slowly);
        }
    }
}
