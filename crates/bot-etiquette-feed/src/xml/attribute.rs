//! The attributes of an element.

use std::borrow::Cow;

use quick_xml::events::BytesStart;

use crate::html;
use crate::namespaces::Bindings;
use crate::path::Name;

/// The value of an attribute that a path asks for.
pub(super) fn named_attribute<'a>(
    start: &'a BytesStart<'_>,
    wanted: &Name,
    bindings: &Bindings,
) -> Option<Cow<'a, str>> {
    attribute(start, |name| match bindings.of_attribute(name) {
        // An attribute without a prefix is in no namespace, so it is none that a path gives one.
        None if wanted.namespace.is_some() => name == wanted.written,
        bound => wanted.is(name, bound),
    })
}

/// The value of an attribute; the first, when it stands twice.
pub(super) fn attribute<'a>(
    start: &'a BytesStart<'_>,
    is_wanted: impl Fn(&str) -> bool,
) -> Option<Cow<'a, str>> {
    let mut attributes = start.html_attributes();
    let value = attributes.with_checks(false).flatten().find(|attribute| {
        let name: &str = attribute.key.as_ref();
        is_wanted(name)
    })?;
    Some(match memchr::memchr(b'&', value.value.as_bytes()) {
        Some(_) => Cow::Owned(html::decode_entities(&value.value).into_owned()),
        None => value.value,
    })
}
