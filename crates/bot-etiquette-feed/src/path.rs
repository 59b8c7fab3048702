//! Where a value stands in a record: `extradata/item[@name='Horario']`, `address/area/locality`, `posicion[0]`.

use std::fmt;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// An element or an object's member.
    Name { name: String, with: Option<(String, String)> },
    /// An attribute of an element.
    Attribute(String),
    /// One item of an array, from 0.
    Index(u64),
}

impl Step {
    /// Whether an element or a member of this name is meant; `*:name` takes any prefix, `*` any name.
    pub(crate) fn is_named(&self, actual: &str) -> bool {
        match self {
            Self::Name { name, .. } if name == "*" => true,
            Self::Name { name, .. } => match name.strip_prefix("*:") {
                Some(local) => actual.rsplit(':').next() == Some(local),
                None => name == actual,
            },
            _ => false,
        }
    }
}

/// The grammar of a source's paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Names, `[@attribute='value']`, `@attribute`.
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
pub(crate) fn parse(text: &str, grammar: Grammar) -> Result<Vec<Step>, PathProblem> {
    let text = text.trim();
    if text.is_empty() || text == "." {
        return Ok(Vec::new());
    }
    if grammar == Grammar::Csv {
        return Ok(vec![Step::Name { name: text.to_owned(), with: None }]);
    }
    let mut steps = Vec::new();
    for part in split(text) {
        step(part.trim(), grammar, &mut steps)?;
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

fn step(part: &str, grammar: Grammar, steps: &mut Vec<Step>) -> Result<(), PathProblem> {
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
            steps.push(Step::Attribute(name.trim_start_matches('@').to_owned()));
        }
        (Grammar::Xml, Some(condition)) => {
            let (attribute, value) = condition
                .strip_prefix('@')
                .and_then(|condition| condition.split_once('='))
                .and_then(|(name, value)| Some((name, value.strip_prefix('\'')?.strip_suffix('\'')?)))
                .ok_or(PathProblem("a condition is written [@attribute='value']"))?;
            let with = Some((attribute.to_owned(), value.to_owned()));
            steps.push(Step::Name { name: name.to_owned(), with });
        }
        (Grammar::Json, Some(index)) => {
            let index = index.parse().map_err(|_| PathProblem("an index is a number, such as [0]"))?;
            steps.push(Step::Name { name: name.to_owned(), with: None });
            steps.push(Step::Index(index));
        }
        _ => steps.push(Step::Name { name: name.to_owned(), with: None }),
    }
    Ok(())
}
