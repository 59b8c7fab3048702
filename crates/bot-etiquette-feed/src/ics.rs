//! iCalendar feeds (RFC 5545) in: what no path leads to is passed over, line by line.

mod stamp;
mod unfold;

use std::borrow::Cow;

use crate::feed::Gather;
use crate::field::Field;
use crate::plan::Cursor;
use crate::report::Note;
use crate::window::{Window, wipe};

pub(crate) use self::unfold::Unfold;

#[derive(Debug)]
pub(crate) struct Ics {
    /// Text that holds no whole line yet.
    buffer: Window,
    /// How long the buffer must be before it is looked at again.
    enough: usize,
    /// In a line over the limit: nothing counts up to its end.
    discard: bool,
    cursor: Cursor,
    open: Vec<Component>,
    /// The depth above which nothing is wanted.
    skip: Option<usize>,
    root_seen: bool,
    cancelled: bool,
    done: bool,
}

/// A component that is open.
#[derive(Debug)]
struct Component {
    name: String,
    record: bool,
}

impl Ics {
    pub(crate) fn new() -> Self {
        Self {
            buffer: Window::default(),
            enough: 0,
            discard: false,
            cursor: Cursor::new(),
            open: Vec::new(),
            skip: None,
            root_seen: false,
            cancelled: false,
            done: false,
        }
    }

    pub(crate) fn push(&mut self, text: &str, last: bool, gather: &mut Gather<'_>) {
        if self.done {
            return;
        }
        self.buffer.push_str(text);
        if self.buffer.len() < self.enough && !last {
            return;
        }
        let buffer = std::mem::take(&mut self.buffer);
        let mut rest = &*buffer;
        while let Some((line, after)) = rest.split_once('\n') {
            self.line(line.trim_end_matches('\r'), gather);
            rest = after;
        }
        if last {
            self.line(rest.trim_end_matches('\r'), gather);
            rest = rest.get(rest.len()..).unwrap_or_default();
        } else if self.discard || rest.len() > gather.limits.token {
            if !std::mem::replace(&mut self.discard, true) {
                gather.spoil(Note::TokenTooLarge);
            }
            rest = rest.get(rest.len()..).unwrap_or_default();
        }
        let read = buffer.len().saturating_sub(rest.len());
        self.buffer = buffer;
        self.buffer.consume(read);
        self.enough = self.buffer.len().saturating_add(self.buffer.len() / 2);
        self.done = last || gather.truncated;
        if last {
            gather.truncated |= !self.root_seen || !self.open.is_empty();
        }
        if self.done {
            gather.abandon();
        }
    }

    fn line(&mut self, line: &str, gather: &mut Gather<'_>) {
        if std::mem::take(&mut self.discard) || gather.truncated || line.trim().is_empty() {
            return;
        }
        let Some(property) = Property::of(line) else { return };
        match &*property.name {
            "BEGIN" => self.begin(&property.value.trim().to_ascii_uppercase(), gather),
            "END" => self.end(&property.value.trim().to_ascii_uppercase(), gather),
            _ if self.skip.is_none() && !self.open.is_empty() => self.property(&property, gather),
            _ => {}
        }
    }

    fn begin(&mut self, name: &str, gather: &mut Gather<'_>) {
        self.root_seen |= name == "VCALENDAR";
        if self.open.len() >= gather.limits.depth {
            gather.truncated = true;
            return;
        }
        let name: String = name.chars().take(MAX_NAME).collect();
        let plan = &gather.map.plan;
        let entered = self.skip.is_none() && self.cursor.enter(plan, &name, || None, |_| None);
        let record = entered && !gather.in_record() && self.cursor.at_record(plan);
        gather.found = gather.found || entered && self.cursor.at_list(plan);
        self.open.push(Component { name, record });
        if !entered && self.skip.is_none() {
            self.skip = Some(self.open.len());
        }
        if record {
            self.cancelled = false;
            gather.begin_record();
        }
    }

    fn end(&mut self, name: &str, gather: &mut Gather<'_>) {
        let Some(at) = self.open.iter().rposition(|open| open.name == name) else {
            gather.notes.add(Note::Unbalanced);
            return;
        };
        if at.saturating_add(1) < self.open.len() {
            gather.notes.add(Note::Unbalanced);
        }
        while self.open.len() > at {
            let depth = self.open.len();
            let Some(component) = self.open.pop() else { return };
            match self.skip {
                Some(skip) if depth > skip => {}
                Some(_) => self.skip = None,
                None => self.cursor.leave(),
            }
            match component.record {
                true if self.cancelled => gather.withdraw(Note::Cancelled),
                true => gather.end_record(),
                false => {}
            }
        }
    }

    fn property(&mut self, property: &Property<'_>, gather: &mut Gather<'_>) {
        if self.open.last().is_some_and(|component| component.record) && property.name == "STATUS" {
            self.cancelled |= property.value.trim().eq_ignore_ascii_case("CANCELLED");
        }
        let map = gather.map;
        let parameter = |name: &str| property.parameter(name).map(Cow::Borrowed);
        if !self.cursor.enter(&map.plan, &property.name, || None, parameter) {
            return;
        }
        if !gather.in_record() {
            if self.cursor.at_total(&map.plan) {
                gather.announce(property.value);
            }
        } else if property.value.len() > gather.limits.token {
            gather.spoil(Note::TokenTooLarge);
        } else {
            for (name, rule) in self.cursor.attributes(&map.plan) {
                if let Some(value) = property.parameter(&name.written) {
                    gather.value(rule, value);
                }
            }
            for index in self.cursor.rules(&map.plan) {
                let Some(rule) = map.rule(index) else { continue };
                property.give(rule.field, index, gather);
            }
        }
        self.cursor.leave();
    }
}

/// Characters of a component's name that are kept.
const MAX_NAME: usize = 64;

/// One content line: `NAME;PARAMETER=value:value`.
///
/// The name is the one copy that is made of a line nobody wants: it is overwritten.
struct Property<'a> {
    name: String,
    parameters: &'a str,
    value: &'a str,
}

impl Drop for Property<'_> {
    fn drop(&mut self) {
        wipe(std::mem::take(&mut self.name));
    }
}

impl<'a> Property<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let name_end = line.find([';', ':'])?;
        let (name, rest) = line.split_at_checked(name_end)?;
        let mut quoted = false;
        let colon = rest.bytes().position(|byte| {
            quoted ^= byte == b'"';
            byte == b':' && !quoted
        })?;
        let name = name.chars().take(MAX_NAME).collect::<String>().trim().to_ascii_uppercase();
        Some(Self {
            name,
            parameters: rest.get(..colon).unwrap_or_default(),
            value: rest.get(colon.saturating_add(1)..).unwrap_or_default(),
        })
    }

    /// The value of a parameter, without its quotes.
    fn parameter(&self, name: &str) -> Option<&'a str> {
        let mut quoted = false;
        let mut parts = self.parameters.split(move |character| {
            quoted ^= character == '"';
            character == ';' && !quoted
        });
        let value = parts.find_map(|part| {
            let (own, value) = part.split_once('=')?;
            own.trim().eq_ignore_ascii_case(name).then_some(value)
        })?;
        Some(value.trim().trim_matches('"'))
    }

    fn give(&self, field: Field, rule: usize, gather: &mut Gather<'_>) {
        match field {
            Field::Start | Field::End | Field::Excluded | Field::Included | Field::Updated => {
                let zone = &gather.map.zone;
                let iso = stamp::iso(self.value, self.parameter("TZID"), field, zone, &mut gather.notes);
                gather.value(rule, &iso);
            }
            Field::Replaces => {
                let zone = &gather.map.zone;
                let mut iso = stamp::iso(self.value, self.parameter("TZID"), field, zone, &mut gather.notes);
                if self.parameter("RANGE").is_some_and(|range| range.eq_ignore_ascii_case("THISANDFUTURE")) {
                    // As ISO 8601-2 has an interval without an end.
                    iso.push_str("/..");
                }
                gather.value(rule, &iso);
            }
            Field::Link | Field::Recurrence | Field::Point => gather.value(rule, self.value),
            Field::Category => {
                for one in items(self.value) {
                    gather.value(rule, &unescape(one));
                }
            }
            _ => gather.value(rule, &unescape(self.value)),
        }
    }
}

/// The items of a list of texts, between commas without a backslash.
fn items(value: &str) -> impl Iterator<Item = &str> {
    let mut escaped = false;
    value.split(move |character| {
        let is_end = character == ',' && !escaped;
        escaped = character == '\\' && !escaped;
        is_end
    })
}

/// A value of type TEXT (RFC 5545, 3.3.11).
fn unescape(value: &str) -> Cow<'_, str> {
    if !value.contains('\\') {
        return Cow::Borrowed(value);
    }
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match (character, characters.as_str().chars().next()) {
            ('\\', Some('n' | 'N')) => {
                characters.next();
                text.push('\n');
            }
            ('\\', Some(other @ ('\\' | ';' | ','))) => {
                characters.next();
                text.push(other);
            }
            _ => text.push(character),
        }
    }
    Cow::Owned(text)
}
