//! JSON feeds: what no path leads to is passed over as bytes.

use bot_etiquette_lenient::json::{self, JsonStr, RepairKind, Repairs, Step, Stream, Token};

use crate::completeness::Outage;
use crate::feed::{Gather, Limits};
use crate::plan::Cursor;
use crate::report::Note;

#[derive(Debug)]
pub(crate) struct Json {
    stream: Stream,
    walk: Walk,
    done: bool,
}

/// The state between two tokens.
#[derive(Debug)]
struct Walk {
    cursor: Cursor,
    open: Vec<Open>,
    /// The depth at which a value that no path leads to ends.
    skip: Option<usize>,
    depth: usize,
    /// The member that comes next, when a path leads to it.
    member: bool,
    /// A top-level member that tells an API's own error.
    verdict: Option<ApiKey>,
    /// Whether the value of an `error` comes next, which may say that there is none.
    error_comes: bool,
    repairs: Repairs,
    names: Names,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ApiKey {
    Success,
    Error,
}

/// An array or an object on the way to mapped values.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// Items so far, of an array.
    items: Option<u64>,
    record: bool,
    /// Whether it left a frame in the cursor.
    framed: bool,
}

impl Json {
    pub(crate) fn new(limits: Limits) -> Self {
        let limits = json::Limits { depth: limits.depth, token: limits.token };
        Self {
            stream: Stream::new(limits),
            walk: Walk {
                cursor: Cursor::new(),
                open: Vec::new(),
                skip: None,
                depth: 0,
                member: false,
                verdict: None,
                error_comes: false,
                repairs: Repairs::default(),
                names: Names::default(),
            },
            done: false,
        }
    }

    pub(crate) fn push(&mut self, text: &str, last: bool, gather: &mut Gather<'_>) {
        if self.done {
            return;
        }
        self.stream.feed(text.as_bytes());
        if last {
            self.stream.finish();
        }
        loop {
            self.stream.want_strings(self.walk.skip.is_none());
            match self.stream.next_token() {
                Ok(Step::Token(token @ (Token::EndObject | Token::EndArray))) => {
                    let token = if token == Token::EndObject { Token::EndObject } else { Token::EndArray };
                    // Where the input breaks off, the stream closes what is open.
                    gather.truncated |= self.stream.repairs().contains(RepairKind::CutEnd);
                    self.walk.token(token, gather);
                }
                Ok(Step::Token(token)) => self.walk.token(token, gather),
                Ok(Step::NeedMore) => return,
                Ok(Step::End) => break,
                Err(error) => {
                    if matches!(error.kind(), json::JsonErrorKind::TokenTooLong { .. }) {
                        gather.notes.add(Note::TokenTooLarge);
                    }
                    gather.truncated = true;
                    gather.abandon();
                    break;
                }
            }
        }
        self.done = true;
        gather.truncated |= self.stream.repairs().contains(RepairKind::CutEnd);
        let mended = self.stream.repairs().total().saturating_add(self.walk.repairs.total());
        gather.notes.add_many(Note::JsonRepair, mended);
        if self.walk.verdict == Some(ApiKey::Error) && gather.nothing_read() {
            gather.outage = Some(Outage::Api);
        }
    }
}

/// The names with mapped values of the objects that are open, one behind the other, the outermost first.
#[derive(Debug, Default)]
struct Names {
    bytes: Vec<u8>,
    /// How deep each stands, and where it begins.
    places: Vec<(usize, usize)>,
}

impl Names {
    /// Adds a name of the innermost object; `false` when it has it.
    fn add(&mut self, depth: usize, name: &[u8]) -> bool {
        let mut end = self.bytes.len();
        for (known, start) in self.places.iter().rev() {
            if *known != depth {
                break;
            }
            if end.saturating_sub(*start) == name.len() && self.bytes.get(*start..end) == Some(name) {
                return false;
            }
            end = *start;
        }
        self.places.push((depth, self.bytes.len()));
        self.bytes.extend_from_slice(name);
        true
    }

    /// Forgets those of the objects that stand deeper.
    fn keep_to(&mut self, depth: usize) {
        while let Some((_, start)) = self.places.pop_if(|(known, _)| *known > depth) {
            self.bytes.truncate(start);
        }
    }
}

impl Walk {
    fn token(&mut self, token: Token<'_>, gather: &mut Gather<'_>) {
        match token {
            Token::BeginObject | Token::BeginArray => self.depth = self.depth.saturating_add(1),
            Token::EndObject | Token::EndArray => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        let is_none = matches!(&token, Token::Null | Token::Bool(false))
            || matches!(&token, Token::Number(number) if number.trim() == "0");
        if std::mem::take(&mut self.error_comes) && is_none {
            self.verdict = None;
        }
        if let Some(skip) = self.skip {
            match token {
                Token::BeginObject | Token::BeginArray | Token::Key(_) => return,
                // A cut closes what is open, without the value that was to come.
                Token::EndObject | Token::EndArray if self.depth < skip => self.skip = None,
                _ => {
                    if self.depth == skip {
                        self.skip = None;
                    }
                    return;
                }
            }
        }
        match token {
            Token::BeginObject => self.begin(None, gather),
            Token::BeginArray => self.begin(Some(0), gather),
            Token::EndObject | Token::EndArray => self.end(gather),
            Token::Key(key) => self.key(key, gather),
            Token::String(text) => {
                if self.item(gather) {
                    let text = text.decode(&mut self.repairs);
                    self.scalar(&text, gather);
                }
            }
            Token::Number(number) => {
                if self.item(gather) {
                    self.scalar(number, gather);
                }
            }
            Token::Bool(value) => {
                if self.verdict == Some(ApiKey::Success) {
                    self.verdict = None;
                    if !value {
                        gather.forget_record();
                        gather.outage = Some(Outage::Api);
                    }
                }
                if self.item(gather) {
                    self.scalar(if value { "true" } else { "false" }, gather);
                }
            }
            Token::Null => {
                if self.item(gather) {
                    self.leave();
                }
            }
        }
    }

    fn key(&mut self, key: JsonStr<'_>, gather: &mut Gather<'_>) {
        // A cut may have left a member without its value.
        if std::mem::take(&mut self.member) {
            self.cursor.leave();
        }
        let name = key.decode(&mut self.repairs);
        // The document itself may be the record.
        if self.open.len() == 1 && self.open.iter().all(|open| open.items.is_none()) {
            match &*name {
                "success" => self.verdict = Some(ApiKey::Success),
                "error" | "errors" | "error_code" => {
                    self.verdict = Some(ApiKey::Error);
                    self.error_comes = true;
                }
                _ if self.verdict == Some(ApiKey::Success) => self.verdict = None,
                _ => {}
            }
        }
        if !self.cursor.enter(&gather.map.plan, &name, || None, |_| None) {
            self.skip = Some(self.depth);
            // `success` is looked at although no path leads there: its value is a word, not text.
            if self.verdict == Some(ApiKey::Success) {
                self.skip = None;
            }
            return;
        }
        if !self.names.add(self.depth, key.raw()) {
            gather.notes.add(Note::DuplicateName);
            self.cursor.leave();
            self.skip = Some(self.depth);
            return;
        }
        self.member = true;
    }

    /// Goes to the value that comes: the member announced by its key, or the next item of the array. `false` when
    /// nobody wants it.
    fn item(&mut self, gather: &Gather<'_>) -> bool {
        if std::mem::take(&mut self.member) {
            return true;
        }
        match self.open.last_mut() {
            Some(Open { items: Some(items), .. }) => {
                let index = *items;
                *items = items.saturating_add(1);
                self.cursor.enter_item(&gather.map.plan, index);
                true
            }
            Some(_) => false,
            None => false,
        }
    }

    fn begin(&mut self, items: Option<u64>, gather: &mut Gather<'_>) {
        let framed = self.item(gather);
        if !framed && !self.open.is_empty() {
            // The value of a looked-at `success` that is no word.
            self.skip = Some(self.depth.saturating_sub(1));
            return;
        }
        let record = items.is_none() && !gather.in_record() && self.cursor.at_record(&gather.map.plan);
        gather.found = gather.found || items.is_some() && self.cursor.at_record(&gather.map.plan);
        if record {
            gather.begin_record();
        }
        if gather.in_record() && items.is_none() {
            let ranges: Vec<_> = self.ranges(gather);
            for rule in ranges {
                gather.value(rule, "");
            }
        }
        self.open.push(Open { items, record, framed });
    }

    fn ranges(&self, gather: &Gather<'_>) -> Vec<usize> {
        let map = gather.map;
        let is_range =
            |rule: &usize| map.rule(*rule).is_some_and(|rule| rule.field == crate::field::Field::Range);
        self.cursor.rules(&map.plan).filter(is_range).collect()
    }

    fn end(&mut self, gather: &mut Gather<'_>) {
        if std::mem::take(&mut self.member) {
            self.cursor.leave();
        }
        self.names.keep_to(self.depth);
        let Some(open) = self.open.pop() else { return };
        if open.record {
            if gather.truncated {
                gather.abandon();
            } else if self.open.is_empty() {
                gather.end_only_record();
            } else {
                gather.end_record();
            }
        }
        if open.framed {
            self.leave();
        }
    }

    fn scalar(&mut self, text: &str, gather: &mut Gather<'_>) {
        let map = gather.map;
        let plan = &map.plan;
        if gather.in_record() {
            for rule in self.cursor.rules(plan) {
                gather.value(rule, text);
            }
        } else if self.cursor.at_total(plan) {
            gather.announce(text);
        }
        self.leave();
    }

    fn leave(&mut self) {
        self.cursor.leave();
    }
}
