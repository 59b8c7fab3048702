//! Namespaces in XML: what the document binds its prefixes to.

use quick_xml::events::attributes::Attributes;

use crate::html;
use crate::path::prefix_and_local;

/// Bindings kept at once; of more, the inner ones count as not bound.
const MAX_BINDINGS: usize = 64;
/// Bytes of a prefix and its namespace; a longer one is none that a map asks for.
const MAX_LENGTH: usize = 512;

/// The bindings of the elements that are open.
#[derive(Debug, Default)]
pub(crate) struct Bindings(Vec<Binding>);

#[derive(Debug)]
struct Binding {
    depth: usize,
    prefix: String,
    namespace: String,
}

impl Bindings {
    /// Takes over what the attributes of a tag bind.
    pub(crate) fn open(&mut self, depth: usize, attributes: &str) {
        if !may_bind(attributes.as_bytes()) {
            return;
        }
        for attribute in Attributes::html(attributes, 0).with_checks(false).flatten() {
            let name: &str = attribute.key.as_ref();
            let prefix = match name.strip_prefix("xmlns") {
                Some("") => "",
                Some(prefix) => match prefix.strip_prefix(':') {
                    Some(prefix) => prefix,
                    None => continue,
                },
                None => continue,
            };
            if self.0.len() >= MAX_BINDINGS || prefix.len().saturating_add(attribute.value.len()) > MAX_LENGTH
            {
                continue;
            }
            let namespace = html::decode_entities(attribute.value.trim()).into_owned();
            self.0.push(Binding { depth, prefix: prefix.to_owned(), namespace });
        }
    }

    /// Forgets what the element at `depth` bound.
    pub(crate) fn close(&mut self, depth: usize) {
        while self.0.last().is_some_and(|binding| binding.depth >= depth) {
            self.0.pop();
        }
    }

    /// The namespace of an element; a name without a prefix is of the default one.
    pub(crate) fn of_element(&self, name: &str) -> Option<&str> {
        self.bound(prefix_and_local(name).map_or("", |(prefix, _)| prefix))
    }

    /// The namespace of an attribute; a name without a prefix is of none.
    pub(crate) fn of_attribute(&self, name: &str) -> Option<&str> {
        prefix_and_local(name).and_then(|(prefix, _)| self.bound(prefix))
    }

    fn bound(&self, prefix: &str) -> Option<&str> {
        let binding = self.0.iter().rev().find(|binding| binding.prefix == prefix)?;
        Some(binding.namespace.as_str()).filter(|namespace| !namespace.is_empty())
    }
}

/// Whether `xmlns` stands among the attributes of a tag.
fn may_bind(attributes: &[u8]) -> bool {
    !attributes.is_empty()
        && memchr::memchr_iter(b'x', attributes)
            .any(|at| attributes.get(at..).is_some_and(|rest| rest.starts_with(b"xmlns")))
}
