//! What a served page offers a crawler: its links, which of them are marked nofollow, and its forms.
//!
//! A reading of tags alone, for pages written by whoever wrote the scenario: no tree, no scripts.

/// Bytes of a page that are looked at.
pub(crate) const READ: usize = 1024 * 1024;

/// The addresses in what is no page: a list of URLs, JSON, a Link field.
pub(crate) fn addresses(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_ascii_whitespace() || "\"'<>,;".contains(c));
    words.filter(|word| ["http://", "https://", "/"].iter().any(|start| word.starts_with(start))).collect()
}

/// The links and forms of one page, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PageFacts {
    pub(crate) follow: Vec<String>,
    pub(crate) nofollow: Vec<String>,
    pub(crate) forms: Vec<Form>,
}

/// Where a form goes and what its fields are called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) action: String,
    pub(crate) fields: Vec<String>,
}

/// Reads a page; `robots_tag` are its X-Robots-Tag values and `token` the crawler's name.
pub(crate) fn read<'a>(
    page: &str,
    robots_tag: impl Iterator<Item = &'a str>,
    token: Option<&str>,
) -> PageFacts {
    let mut facts = PageFacts::default();
    let mut closed = robots_tag.into_iter().any(|value| header_says_nofollow(value, token));
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = rest.get(at + 1..).unwrap_or_default();
        if rest.starts_with("!--") {
            rest = rest.find("-->").and_then(|end| rest.get(end + 3..)).unwrap_or_default();
            continue;
        }
        let (name, attributes, after) = tag(rest);
        rest = after;
        let value =
            |key: &str| attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        match name.as_str() {
            "a" | "area" | "link" | "iframe" | "frame" | "img" | "script" => {
                let rel = value("rel").unwrap_or_default().to_ascii_lowercase();
                let nofollow = rel.split_ascii_whitespace().any(|word| word == "nofollow");
                if let Some(href) = value("href").or_else(|| value("src")) {
                    let list = if nofollow { &mut facts.nofollow } else { &mut facts.follow };
                    list.push(href.trim().to_owned());
                }
            }
            "loc" => {
                let end = rest.find('<').unwrap_or(rest.len());
                facts.follow.push(rest.get(..end).unwrap_or_default().trim().to_owned());
            }
            "meta" => {
                let named = value("name").unwrap_or_default();
                let mine = named.eq_ignore_ascii_case("robots")
                    || token.is_some_and(|token| named.eq_ignore_ascii_case(token));
                closed |= mine && value("content").is_some_and(says_nofollow);
            }
            "form" => facts.forms.push(Form {
                action: value("action").unwrap_or_default().trim().to_owned(),
                fields: Vec::new(),
            }),
            "input" | "select" | "textarea" | "button" => {
                if let (Some(form), Some(field)) = (facts.forms.last_mut(), value("name")) {
                    form.fields.push(field.to_owned());
                }
            }
            _ => {}
        }
    }
    if closed {
        facts.nofollow.append(&mut facts.follow);
    }
    facts
}

fn says_nofollow(content: &str) -> bool {
    content.split(',').any(|word| matches!(word.trim().to_ascii_lowercase().as_str(), "nofollow" | "none"))
}

/// `X-Robots-Tag: nofollow`, or `name: nofollow` for one crawler.
fn header_says_nofollow(value: &str, token: Option<&str>) -> bool {
    match value.split_once(':') {
        Some((name, rest)) if !name.contains(',') => {
            token.is_some_and(|token| name.trim().eq_ignore_ascii_case(token)) && says_nofollow(rest)
        }
        _ => says_nofollow(value),
    }
}

/// The name and attributes of the tag that `text` begins with, and what follows it.
fn tag(text: &str) -> (String, Vec<(String, String)>, &str) {
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/').unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(after) = rest.strip_prefix('>') {
            rest = after;
            break;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || "=>/".contains(c)).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        if key.is_empty() && !after.starts_with('=') {
            break;
        }
        let (value, after) = match after.trim_start().strip_prefix('=') {
            Some(after) => attribute_value(after.trim_start()),
            None => ("", after),
        };
        attributes.push((key.to_ascii_lowercase(), value.replace("&amp;", "&")));
        rest = after;
    }
    (name.to_ascii_lowercase(), attributes, rest)
}

fn attribute_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            let end = inner.find(quote).unwrap_or(inner.len());
            let (value, after) = inner.split_at(end);
            return (value, after.strip_prefix(quote).unwrap_or_default());
        }
    }
    text.split_at(text.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(page: &str, header: Option<&str>) -> PageFacts {
        read(page, header.into_iter(), Some("MyBot"))
    }

    #[test]
    fn links_are_told_apart_by_rel_meta_and_header() {
        let page = "<a href=/a>A</a><A HREF='/b' rel=\"noopener NoFollow\">B</a><!-- <a href=/c> --><img src=/d.png>";
        let found = facts(page, None);
        assert_eq!(found.follow, ["/a", "/d.png"]);
        assert_eq!(found.nofollow, ["/b"]);
        for (header, meta, closed) in [
            (Some("none"), "", true),
            (Some("otherbot: nofollow"), "", false),
            (Some("mybot: nofollow"), "", true),
            (None, "<meta name=robots content='noindex, nofollow'>", true),
            (None, "<meta name=MYBOT content=none>", true),
            (None, "<meta name=otherbot content=none>", false),
        ] {
            let found = facts(&format!("<a href=/a>{meta}"), header);
            assert_eq!(found.nofollow.len(), usize::from(closed), "{header:?} {meta}");
        }
    }

    #[test]
    fn forms_keep_their_action_and_fields() {
        let found = facts("<form action=/find method=get><input name=q><select name='s'></form>", None);
        assert_eq!(found.forms, [Form { action: "/find".into(), fields: vec!["q".into(), "s".into()] }]);
    }

    #[test]
    fn addresses_are_found_in_lists_json_and_fields() {
        assert_eq!(addresses("http://a/x\nhttps://b/y z\n"), ["http://a/x", "https://b/y"]);
        assert_eq!(addresses(r#"{"next":"/page/2","n":3}"#), ["/page/2"]);
        assert_eq!(addresses("</p2>; rel=\"next\""), ["/p2"]);
    }

    #[test]
    fn any_text_is_read_to_its_end() {
        for text in [
            "<",
            "<a",
            "<a href",
            "<a href=",
            "<a href='",
            "<a =x>",
            "<!--",
            "<a/>",
            "<é href=ü>",
            "<a href=/x&amp;y",
        ] {
            let _ = facts(text, None);
        }
    }
}
