//! The attributes of an element: what stands behind its name in a tag.

use std::borrow::Cow;

use quick_xml::events::attributes::Attributes;

use crate::html;
use crate::namespaces::Bindings;
use crate::path::Name;

/// The value of an attribute that a path asks for.
pub(super) fn named_attribute<'a>(
    attributes: &'a str,
    wanted: &Name,
    bindings: &Bindings,
) -> Option<Cow<'a, str>> {
    attribute(attributes, |name| match bindings.of_attribute(name) {
        // An attribute without a prefix is in no namespace, so it is none that a path gives one.
        None if wanted.namespace.is_some() => name == wanted.written,
        bound => wanted.is(name, || bound),
    })
}

/// The value of an attribute; the first, when it stands twice.
pub(super) fn attribute(attributes: &str, is_wanted: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
    if attributes.is_empty() {
        return None;
    }
    let mut attributes = Attributes::html(attributes, 0);
    let value = attributes.with_checks(false).flatten().find(|attribute| {
        let name: &str = attribute.key.as_ref();
        is_wanted(name)
    })?;
    Some(match memchr::memchr(b'&', value.value.as_bytes()) {
        Some(_) => Cow::Owned(html::decode_entities(&value.value).into_owned()),
        None => value.value,
    })
}
