//! Where a value stands in a record: `extradata/item[@name='Horario']`, `address/area/locality`, `posicion[0]`.

use std::collections::BTreeMap;
use std::fmt;

use crate::tail::Ending;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// An element or an object's member.
    Name { name: Name, with: Option<(String, String)> },
    /// An attribute of an element.
    Attribute(Name),
    /// One item of an array, from 0.
    Index(u64),
}

/// A name as the map writes it, with the namespace that the map gives its prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) written: String,
    pub(crate) namespace: Option<String>,
}

impl Name {
    /// The name of an element: without a prefix it is of the map's namespace without one.
    fn new(written: &str, namespaces: &Namespaces) -> Self {
        let prefix = prefix_and_local(written).map_or("", |(prefix, _)| prefix);
        Self { written: written.to_owned(), namespace: namespaces.get(prefix).cloned() }
    }

    /// The name of an attribute: without a prefix it is of no namespace.
    fn of_attribute(written: &str, namespaces: &Namespaces) -> Self {
        match prefix_and_local(written) {
            Some(_) => Self::new(written, namespaces),
            None => Self { written: written.to_owned(), namespace: None },
        }
    }

    /// Whether this is the name of an element or a member; `*:name` takes any prefix, `*` any name.
    ///
    /// `bound` tells the namespace of the document's own prefix. What the document never bound is compared as written, with
    /// or without the prefix.
    #[inline]
    pub(crate) fn is<'a>(&self, actual: &str, bound: impl FnOnce() -> Option<&'a str>) -> bool {
        if self.written == "*" {
            return true;
        }
        if let Some(local) = self.written.strip_prefix("*:") {
            return local_name(actual) == local;
        }
        let Some(namespace) = &self.namespace else { return actual == self.written };
        match bound() {
            // Without a prefix it is compared as written too: a document may hold elements of others.
            Some(_) if actual == self.written && local_name(actual) == actual => true,
            Some(bound) => namespace == bound && local_name(actual) == local_name(&self.written),
            None => actual == self.written || actual == local_name(&self.written),
        }
    }

    /// What each name that fits ends with.
    pub(crate) fn ending(&self) -> Ending {
        let last = self.written.rsplit(':').next().unwrap_or_default();
        Ending::of(if last == "*" { "" } else { last })
    }
}

/// The part of a name behind its prefix.
pub(crate) fn local_name(name: &str) -> &str {
    prefix_and_local(name).map_or(name, |(_, local)| local)
}

/// A name's prefix and what stands behind it. Names are short: nothing is quicker than a look at each byte.
pub(crate) fn prefix_and_local(name: &str) -> Option<(&str, &str)> {
    let colon = name.bytes().position(|byte| byte == b':')?;
    Some((name.get(..colon)?, name.get(colon.saturating_add(1)..)?))
}

/// The namespaces of a map by prefix.
pub(crate) type Namespaces = BTreeMap<String, String>;

/// The grammar of a source's paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Names, `[@attribute='value']`, `@attribute`; of an iCalendar, components, properties and parameters.
    Xml,
    /// Names (`@graph` is one), `[index]`; arrays need no step of their own.
    Json,
    /// The whole path is a column's name.
    Csv,
}

/// Why a path is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathProblem(&'static str);

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Reads a path; an empty one, or `.`, is the place itself.
pub(crate) fn parse(text: &str, grammar: Grammar, namespaces: &Namespaces) -> Result<Vec<Step>, PathProblem> {
    let text = text.trim();
    if text.is_empty() || text == "." {
        return Ok(Vec::new());
    }
    if grammar == Grammar::Csv {
        return Ok(vec![Step::Name { name: Name::new(text, &Namespaces::new()), with: None }]);
    }
    let mut steps = Vec::new();
    for part in split(text) {
        step(part.trim(), grammar, namespaces, &mut steps)?;
    }
    match steps.iter().position(|step| matches!(step, Step::Attribute(_))) {
        Some(at) if at.saturating_add(1) < steps.len() => Err(PathProblem("nothing can follow an attribute")),
        _ => Ok(steps),
    }
}

/// The parts between slashes, where a slash in quotes is none.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |character| {
        quoted ^= character == '\'';
        character == '/' && !quoted
    })
}

fn step(
    part: &str,
    grammar: Grammar,
    namespaces: &Namespaces,
    steps: &mut Vec<Step>,
) -> Result<(), PathProblem> {
    let (name, bracket) = match part.split_once('[') {
        Some((name, rest)) => {
            (name, Some(rest.strip_suffix(']').ok_or(PathProblem("a bracket is not closed"))?))
        }
        None => (part, None),
    };
    if name.is_empty() {
        return Err(PathProblem("a step has no name"));
    }
    match (grammar, bracket) {
        (Grammar::Xml, None) if name.starts_with('@') => {
            steps.push(Step::Attribute(Name::of_attribute(name.trim_start_matches('@'), namespaces)));
        }
        (Grammar::Xml, Some(condition)) => {
            let (attribute, value) = condition
                .strip_prefix('@')
                .and_then(|condition| condition.split_once('='))
                .and_then(|(name, value)| Some((name, value.strip_prefix('\'')?.strip_suffix('\'')?)))
                .ok_or(PathProblem("a condition is written [@attribute='value']"))?;
            let with = Some((attribute.to_owned(), value.to_owned()));
            steps.push(Step::Name { name: Name::new(name, namespaces), with });
        }
        (Grammar::Json, Some(index)) => {
            let index = index.parse().map_err(|_| PathProblem("an index is a number, such as [0]"))?;
            steps.push(Step::Name { name: Name::new(name, namespaces), with: None });
            steps.push(Step::Index(index));
        }
        _ => steps.push(Step::Name { name: Name::new(name, namespaces), with: None }),
    }
    Ok(())
}
