//! The one page: all calendars together in every language, with the sources, and what was asked of them.

use std::fmt::Write as _;

use bot_etiquette::feed::{PriceKind, Published, Text, Texts};

use super::config::Config;
use super::output::Shown;
use super::report::{HostStatus, SourceStatus, Status, moment_text};
use super::strings::Phrase;
use crate::html::{self, Escaped};
use crate::ledger::Ledger;

/// Characters of a description that are shown; the original is linked.
const DESCRIPTION: usize = 240;

/// Writes the page.
#[must_use]
pub fn index(config: &Config, shown: &[Shown<'_>], status: &Status, ledger: &Ledger) -> String {
    let page = Page { languages: &config.languages };
    let first = page.languages.first().map_or("es", String::as_str);
    let mut body = page.switch();
    let _ = write!(
        body,
        "<main><h1>{}</h1><p class=\"soft\">{} <a href=\"#sources\">{}</a></p>",
        page.say(Phrase::Title),
        page.say(Phrase::Thanks),
        page.say(Phrase::Sources)
    );
    page.events(&mut body, shown);
    page.sources(&mut body, status);
    page.politeness(&mut body, status);
    body.push_str(&html::timelines(ledger));
    body.push_str("</main>");
    html::document(first, Phrase::Title.say(first), &body)
}

struct Page<'c> {
    languages: &'c [String],
}

impl Page<'_> {
    /// A radio button a language, and rules that hide what belongs to the others.
    fn switch(&self) -> String {
        let mut page =
            String::from("<style>.lang{margin-right:.7rem}sup{color:var(--soft);display:inline-block}");
        for language in self.languages {
            let _ = write!(
                page,
                "#{language}:checked~main .t:not(.l-{language}),#{language}:checked~main .n-{language}{{display:none}}"
            );
        }
        page.push_str("</style>");
        for (at, language) in self.languages.iter().enumerate() {
            let checked = if at == 0 { " checked" } else { "" };
            let name = Phrase::Language.say(language);
            let _ = write!(
                page,
                "<input type=\"radio\" name=\"language\" id=\"{language}\"{checked}><label class=\"lang\" for=\"{language}\" lang=\"{language}\">{name}</label>"
            );
        }
        page
    }

    /// A phrase in every language, of which one is shown.
    fn say(&self, phrase: Phrase) -> String {
        let one = |language: &String| {
            format!(
                "<span class=\"t l-{language}\" lang=\"{language}\">{}</span>",
                Escaped(phrase.say(language))
            )
        };
        self.languages.iter().map(one).collect()
    }

    /// A text in every language that there is; elsewhere in its own language, which stands beside it.
    fn text(&self, texts: &Texts, most: usize) -> String {
        let mut page = String::new();
        let mut done: Vec<&str> = Vec::new();
        for language in self.languages {
            let Some(text) = texts.best(language).filter(|text| !done.contains(&text.lang())) else {
                continue;
            };
            done.push(text.lang());
            let readers: Vec<&String> = self
                .languages
                .iter()
                .filter(|reader| texts.best(reader).is_some_and(|best| best.lang() == text.lang()))
                .collect();
            let _ = write!(
                page,
                "<span{} lang=\"{}\">{}",
                self.class(&readers),
                Escaped(text.lang()),
                Escaped(&cut(text, most))
            );
            page.push_str(&self.mark(text, readers.len()));
            page.push_str("</span>");
        }
        page
    }

    /// For which readers something is; no class where it is for all.
    fn class(&self, readers: &[&String]) -> String {
        if readers.len() == self.languages.len() {
            return String::new();
        }
        let classes: String = readers.iter().map(|reader| format!(" l-{reader}")).collect();
        format!(" class=\"t{classes}\"")
    }

    /// That a text is a translation, or in another language than the reader's.
    fn mark(&self, text: &Text, readers: usize) -> String {
        match text.translated() {
            Some(translated) => format!(
                " <sup>{} {}, {}</sup>",
                Escaped(Phrase::Translated.say(text.lang())),
                Escaped(&translated.from),
                Escaped(&translated.by)
            ),
            // Its own readers need no mark.
            None if readers > 1 || !self.languages.iter().any(|language| language == text.lang()) => {
                format!("<sup class=\"n-{0}\"> [{0}]</sup>", Escaped(text.lang()))
            }
            None => String::new(),
        }
    }

    fn events(&self, body: &mut String, shown: &[Shown<'_>]) {
        let _ = write!(body, "<h2>{} ({})</h2>", self.say(Phrase::Events), shown.len());
        for language in self.languages {
            let filter = html::filter("events", Phrase::Filter.say(language));
            let _ = write!(body, "<span class=\"t l-{language}\">{filter}</span>");
        }
        body.push_str("<table id=\"events\"><thead><tr>");
        for column in [Phrase::When, Phrase::What, Phrase::Where, Phrase::Price, Phrase::Source] {
            let _ = write!(body, "<th>{}", self.say(column));
        }
        body.push_str("</thead><tbody>");
        let mut rows: Vec<(String, &Shown<'_>)> =
            shown.iter().map(|shown| (when(&shown.event), shown)).collect();
        rows.sort_by(|one, other| one.0.cmp(&other.0));
        for (when, shown) in rows {
            let event = shown.event.event();
            let _ = write!(
                body,
                "<tr><td>{}<td><a href=\"{}\">{}</a>",
                Escaped(&when),
                Escaped(shown.event.link()),
                self.text(event.titles(), usize::MAX)
            );
            if event.descriptions().source().is_some() {
                let _ = write!(
                    body,
                    "<br><span class=\"soft\">{}</span>",
                    self.text(event.descriptions(), DESCRIPTION)
                );
            }
            let _ = write!(
                body,
                "<td>{}<td>{}<td>{}",
                place(&shown.event),
                self.price(&shown.event),
                credit(&shown.event)
            );
            for other in &shown.also {
                let _ = write!(body, "<br>{} {}", self.say(Phrase::Also), credit(other));
            }
        }
        body.push_str("</tbody></table>");
    }

    fn price(&self, event: &Published<'_>) -> String {
        match event.event().price() {
            Some(price) if !price.text.is_empty() => Escaped(&price.text).to_string(),
            Some(price) if price.kind == PriceKind::Free => self.say(Phrase::Free),
            _ => String::new(),
        }
    }

    fn sources(&self, body: &mut String, status: &Status) {
        let _ = write!(
            body,
            "<h2 id=\"sources\">{}</h2><p><strong>{} {}, {} {}</strong></p><table><thead><tr>",
            self.say(Phrase::Sources),
            status.emails_kept,
            self.say(Phrase::Mails),
            status.phones_kept,
            self.say(Phrase::PhonesKept)
        );
        let columns = [
            Phrase::Source,
            Phrase::Licence,
            Phrase::Every,
            Phrase::LastNew,
            Phrase::LastSame,
            Phrase::Changes,
            Phrase::Next,
            Phrase::State,
        ];
        for column in columns {
            let _ = write!(body, "<th>{}", self.say(column));
        }
        body.push_str("</thead><tbody>");
        for source in &status.sources {
            self.source(body, source);
        }
        body.push_str("</tbody></table>");
    }

    fn source(&self, body: &mut String, source: &SourceStatus) {
        let record = &source.record;
        let at = |at: Option<u64>| at.map_or_else(|| self.say(Phrase::Never), moment_text);
        let _ = write!(
            body,
            "<tr><td>{}<br><code>{}</code> ({})<td>{}<td>{} h<td>{}<td>{}<td>{} / {} / {}<td>{}<td>",
            link(source.link.as_deref(), &source.credit),
            Escaped(&source.id),
            source.events,
            link(Some(&source.licence_url), &source.licence),
            source.every as f64 / 3600.0,
            at(record.last_200),
            at(record.last_304),
            record.added,
            record.changed,
            record.gone,
            source.next_allowed.map_or_else(|| "&ndash;".to_owned(), moment_text),
        );
        match (&record.problem, source.on) {
            (_, false) => body.push_str(&self.say(Phrase::Off)),
            (Some(problem), true) => {
                let since = record.failing_since.map(moment_text).unwrap_or_default();
                let _ = write!(
                    body,
                    "{} {since}<br><span lang=\"en\">{}</span>",
                    self.say(Phrase::Since),
                    Escaped(problem)
                );
            }
            (None, true) => body.push_str(&self.say(Phrase::Fine)),
        }
        for remark in record.remarks.iter().chain(&source.verify) {
            let _ = write!(body, "<br><span class=\"soft\" lang=\"en\">{}</span>", Escaped(remark));
        }
        if record.emails + record.phones > 0 {
            let _ = write!(
                body,
                "<br><span class=\"soft\">{} {}, {} {} {}</span>",
                record.emails,
                self.say(Phrase::Mails),
                record.phones,
                self.say(Phrase::Phones),
                self.say(Phrase::TakenOut)
            );
        }
    }

    fn politeness(&self, body: &mut String, status: &Status) {
        let _ = write!(body, "<h2>{}</h2><table><thead><tr>", self.say(Phrase::Politeness));
        let columns = [
            Phrase::Host,
            Phrase::AllowedADay,
            Phrase::AskedADay,
            Phrase::OfThem,
            Phrase::Pause,
            Phrase::Reviewed,
            Phrase::Today,
        ];
        for column in columns {
            let _ = write!(body, "<th>{}", self.say(column));
        }
        body.push_str("</thead><tbody>");
        for (name, host) in &status.hosts {
            self.host(body, name, host);
        }
        body.push_str("</tbody></table>");
    }

    fn host(&self, body: &mut String, name: &str, host: &HostStatus) {
        let _ = write!(
            body,
            "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td><span lang=\"en\">{}",
            Escaped(name),
            host.allowed_a_day.map_or_else(|| self.say(Phrase::NoBound), |allowed| allowed.to_string()),
            host.asked.requests,
            host.asked.unchanged,
            host.pause,
            host.reviewed.as_deref().map_or_else(|| self.say(Phrase::Never), |day| Escaped(day).to_string()),
            Escaped(host.last_look.as_deref().unwrap_or_default()),
        );
        for change in &host.drift {
            let _ = write!(body, "<br>{}", Escaped(change));
        }
        body.push_str("</span>");
    }
}

fn cut(text: &Text, most: usize) -> String {
    let text = text.text().as_str();
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}\u{2026}", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

fn when(event: &Published<'_>) -> String {
    let when = event.event().when();
    let Some(first) = when.first() else { return "\u{2013}".to_owned() };
    let first = first.to_string();
    let start = first.get(..16).unwrap_or(&first).replace('T', " ");
    match when.last_day().map(|day| day.to_string()).filter(|day| !start.starts_with(day)) {
        Some(last) => format!("{start} \u{2192} {last}"),
        None => start,
    }
}

fn place(event: &Published<'_>) -> String {
    let place = event.event().place();
    let parts = [&place.venue, &place.address, &place.city, &place.province].into_iter().flatten();
    parts.map(|part| Escaped(part).to_string()).collect::<Vec<_>>().join(", ")
}

fn credit(event: &Published<'_>) -> String {
    let attribution = event.event().attribution();
    format!(
        "{} <span class=\"soft\">{}</span>",
        link(Some(event.link()), attribution.text()),
        link(Some(attribution.license_url().as_str()), attribution.license())
    )
}

fn link(to: Option<&str>, text: &str) -> String {
    match to {
        Some(to) => format!("<a href=\"{}\">{}</a>", Escaped(to), Escaped(text)),
        None => Escaped(text).to_string(),
    }
}
