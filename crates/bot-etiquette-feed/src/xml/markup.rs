//! The common pieces of XML, found in a text by wide searches.
//!
//! What is rare, broken or cut off is no piece here: quick-xml reads that, and tells what is wrong with it.

/// A piece of markup, or the text between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text without a reference; one that begins with `&` has a bare ampersand.
    Text(&'a str),
    /// What stands between `&` and `;`.
    Reference(&'a str),
    CData(&'a str),
    Comment,
    Start(Tag<'a>),
    /// The name in an end tag.
    End(&'a str),
}

/// A start tag or an empty one, without its brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    /// What stands behind the name.
    pub(super) attributes: &'a str,
    pub(super) empty: bool,
    /// Whether no quote stands in the name.
    pub(super) plain: bool,
}

/// The piece that `text` begins with and its length; `None` where it is not whole or not common.
#[inline]
pub(super) fn first(text: &str) -> Option<(Piece<'_>, usize)> {
    let bytes = text.as_bytes();
    match bytes {
        [b'<', b'/', ..] => {
            let end = ends(bytes, 2)?.tag;
            let name = text.get(2..end)?.trim_end_matches([' ', '\t', '\r', '\n']);
            Some((Piece::End(name), end.saturating_add(1)))
        }
        [b'<', b'!', b'[', ..] => {
            let inside = text.strip_prefix("<![CDATA[")?;
            let length = cdata_end(inside.as_bytes())?;
            Some((Piece::CData(inside.get(..length)?), length.saturating_add("<![CDATA[]]>".len())))
        }
        [b'<', b'!', b'-', b'-', ..] => {
            let end = comment_end(bytes)?;
            Some((Piece::Comment, end.saturating_add(1)))
        }
        [b'<', b'!' | b'?', ..] => None,
        [b'<', ..] => {
            let Ends { name, tag: end, plain } = ends(bytes, 1)?;
            let empty = matches!(bytes.get(1..end), Some([.., b'/']));
            let content = end.saturating_sub(empty.into());
            let name = name.min(content);
            let tag = Tag { name: text.get(1..name)?, attributes: text.get(name..content)?, empty, plain };
            Some((Piece::Start(tag), end.saturating_add(1)))
        }
        [b'&', rest @ ..] => {
            let length = memchr::memchr3(b';', b'&', b'<', rest)?;
            let end = length.saturating_add(1);
            Some(match rest.get(length) {
                Some(b';') => (Piece::Reference(text.get(1..end)?), end.saturating_add(1)),
                _ => (Piece::Text(text.get(..end)?), end),
            })
        }
        _ => {
            let end = memchr::memchr2(b'<', b'&', bytes)?;
            Some((Piece::Text(text.get(..end)?), end))
        }
    }
}

/// Where the next tag begins: behind a few blanks in most places, which need no wide search.
#[inline]
pub(super) fn next_tag(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let blanks = bytes.iter().position(|byte| !is_blank(byte))?;
    match bytes.get(blanks) {
        Some(b'<') => Some(blanks),
        _ => memchr::memchr(b'<', bytes),
    }
}

/// Where a tag ends.
struct Ends {
    /// Behind its name.
    name: usize,
    /// At its `>`.
    tag: usize,
    /// Whether no quote stands in the name.
    plain: bool,
}

/// The ends of the tag whose name begins at `start`. Most tags are a short name alone: a look at each of its bytes finds
/// both.
#[inline]
fn ends(bytes: &[u8], start: usize) -> Option<Ends> {
    let is_end = |byte: &u8| matches!(byte, b'>' | b'\'' | b'"') || is_blank(byte);
    let stop = bytes.get(start..)?.iter().position(is_end)?.saturating_add(start);
    match bytes.get(stop)? {
        b'>' => Some(Ends { name: stop, tag: stop, plain: true }),
        b'\'' | b'"' => {
            // A blank ends a name even in quotes.
            let tag = tag_end(bytes, stop)?;
            let name = bytes.get(stop..tag)?.iter().position(is_blank);
            Some(Ends { name: name.map_or(tag, |length| length.saturating_add(stop)), tag, plain: false })
        }
        _ => Some(Ends { name: stop, tag: tag_end(bytes, stop)?, plain: true }),
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The `>` that ends a tag, where one in quotes is none.
fn tag_end(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = memchr::memchr3(b'>', b'\'', b'"', bytes.get(from..)?)?.saturating_add(from);
        let quote = *bytes.get(at)?;
        if quote == b'>' {
            return Some(at);
        }
        let behind = at.saturating_add(1);
        from = memchr::memchr(quote, bytes.get(behind..)?)?.saturating_add(behind).saturating_add(1);
    }
}

/// How long the text before `]]>` is. Brackets are rarer in it than `>`.
fn cdata_end(inside: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b']', inside)
        .find(|at| inside.get(*at..).is_some_and(|rest| rest.starts_with(b"]]>")))
}

/// The `>` of the first `-->` whose hyphens are not those that open the comment.
fn comment_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'>', bytes)
        .find(|at| *at > 5 && bytes.get(..*at).is_some_and(|inside| inside.ends_with(b"--")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quick_xml::Reader;
    use quick_xml::events::Event;

    use super::{Piece, Tag, first};

    /// What quick-xml reads first, and how much of `text` that takes.
    fn by_quick_xml(text: &str) -> (Option<Event<'_>>, usize) {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let event = reader.read_event().ok();
        (event, usize::try_from(reader.buffer_position()).expect("a place in memory"))
    }

    #[track_caller]
    fn agree(text: &str) {
        let Some((piece, length)) = first(text) else { return };
        let (event, place) = by_quick_xml(text);
        let same = match (&event, piece) {
            (Some(Event::Text(theirs)), Piece::Text(ours)) => theirs.as_ref() == ours,
            (Some(Event::GeneralRef(theirs)), Piece::Reference(ours)) => theirs.as_ref() == ours,
            (Some(Event::CData(theirs)), Piece::CData(ours)) => theirs.as_ref() == ours,
            (Some(Event::Comment(_)), Piece::Comment) => true,
            (Some(Event::Start(theirs)), Piece::Start(tag @ Tag { empty: false, .. }))
            | (Some(Event::Empty(theirs)), Piece::Start(tag @ Tag { empty: true, .. })) => {
                let name = theirs.name();
                let name: &str = name.as_ref();
                name == tag.name && theirs.as_ref() == [tag.name, tag.attributes].concat()
            }
            (Some(Event::End(theirs)), Piece::End(ours)) => {
                let name = theirs.name();
                let name: &str = name.as_ref();
                name == ours
            }
            _ => false,
        };
        assert!(
            same && place == length,
            "{text:?}: {piece:?}, {length} of ours, {event:?}, {place} of theirs"
        );
    }

    #[test]
    fn each_piece_is_the_one_that_quick_xml_reads() {
        for text in [
            "text<",
            "&amp;x",
            "& x<",
            "&&",
            "<a>",
            "<a/>",
            "<a b='>' c=\"/>\"/>x",
            "</a \n>",
            "</a b='>'>",
            "<!-->-->x",
            "<!--->-->",
            "<!---->",
            "<![CDATA[]]>",
            "<![CDATA[]]]>]]>",
            "<![CDATA[x]>]]>",
            "<>",
            "</>",
            "<//>",
            "< a>",
            "<a'b c'>",
            "<a/ b>",
            "<a b/>",
            "<a'b'/>",
            "</a'b c' >",
        ] {
            assert!(first(text).is_some(), "{text}");
            agree(text);
        }
        for text in [
            "text",
            "&amp",
            "<a",
            "<a b='>",
            "<!-x-->",
            "<!DOCTYPE a>",
            "<?xml?>",
            "<![CDAT[x]]>",
            "<!x>",
            "",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_with_a_quote_is_not_plain() {
        for (text, plain) in [
            ("<a>", true),
            ("<a/>", true),
            ("<a b='c'>", true),
            ("<a'b'>", false),
            ("<a'b c'>", false),
            ("<a\">\">", false),
        ] {
            let Some((Piece::Start(tag), _)) = first(text) else { panic!("{text}") };
            assert_eq!(tag.plain, plain, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn no_text_is_cut_into_other_pieces_than_quick_xml_cuts(text in "([<>/&;!a'\"\\[\\]?ñ \n-]|<!--|-->|<!\\[CDATA\\[|\\]\\]>|<a b='c'|/>){0,24}") {
            for (from, _) in text.char_indices() {
                agree(&text[from..]);
            }
        }
    }
}
