//! Dictionary fields and items as signatures need them: read in one pass, borrowed from their text.
//!
//! The parsing algorithm of RFC 9651 lets the last of two members with one key win. For a signature that hides an
//! attack, so here keys are unique, and each member knows where it stands.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use sfv::visitor::{DictionaryVisitor, EntryVisitor, InnerListVisitor, ItemVisitor, ParameterVisitor};
use sfv::{BareItemFromInput, ItemSerializer, KeyRef, Parser};

use crate::sf::SyntaxError;

/// One member of a dictionary.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    pub(crate) key: &'a str,
    /// Where the key starts.
    pub(crate) position: usize,
    /// The text of the field from the value on.
    pub(crate) rest: &'a str,
    /// The value, or `true` and the parameters of an inner list.
    item: Item<'a>,
    inner_list: Option<Vec<Item<'a>>>,
}

/// A bare item with its parameters.
#[derive(Debug)]
pub(crate) struct Item<'a> {
    pub(crate) bare: BareItemFromInput<'a>,
    pub(crate) params: Params<'a>,
}

/// Parameters, each key once, where it stood first.
#[derive(Debug, Default)]
pub(crate) struct Params<'a> {
    list: Vec<(&'a KeyRef, BareItemFromInput<'a>)>,
    /// Where each key stands in the list.
    index: BTreeMap<&'a str, usize>,
}

/// Reads a dictionary whose keys must be unique.
pub(crate) fn members(text: &str) -> Result<Vec<Member<'_>>, SyntaxError> {
    let mut read = Dictionary { text, members: Vec::new(), keys: BTreeSet::new(), second: None };
    let parsed = Parser::new(text).parse_dictionary_with_visitor(&mut read);
    parsed.map_err(|error| SyntaxError::of(&error, text.len()))?;
    match read.second {
        Some((position, key)) => Err(SyntaxError::new(position, format!("second member \"{key}\""))),
        None => Ok(read.members),
    }
}

/// Reads an item.
pub(crate) fn item(text: &str) -> Result<Item<'_>, SyntaxError> {
    let mut item = Item::default();
    let read = Parser::new(text).parse_item_with_visitor(&mut item);
    read.map_err(|error| SyntaxError::of(&error, text.len()))?;
    Ok(item)
}

impl<'a> Member<'a> {
    /// The value, unless it is an inner list.
    pub(crate) fn item(&self) -> Option<&Item<'a>> {
        self.inner_list.is_none().then_some(&self.item)
    }

    /// The items of an inner list.
    pub(crate) fn inner_list(&self) -> Option<&[Item<'a>]> {
        self.inner_list.as_deref()
    }

    /// The parameters of the value, whatever it is.
    pub(crate) fn params(&self) -> &Params<'a> {
        &self.item.params
    }
}

impl Item<'_> {
    /// The text of a string.
    pub(crate) fn string(&self) -> Option<&str> {
        Some(self.bare.as_string()?.as_str())
    }

    /// The strict serialization (RFC 9651 4.1.3).
    pub(crate) fn write(&self) -> String {
        let parameters = self.params.list.iter().map(|(key, value)| (*key, value));
        ItemSerializer::new().bare_item(&self.bare).parameters(parameters).finish()
    }
}

impl<'a> Params<'a> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a str, &BareItemFromInput<'a>)> {
        self.list.iter().map(|(key, value)| (key.as_str(), value))
    }

    pub(crate) fn find(&self, name: &str) -> Option<&BareItemFromInput<'a>> {
        Some(&self.list.get(*self.index.get(name)?)?.1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Default for Item<'_> {
    /// The value of a bare key.
    fn default() -> Self {
        Self { bare: BareItemFromInput::Boolean(true), params: Params::default() }
    }
}

struct Dictionary<'a> {
    text: &'a str,
    members: Vec<Member<'a>>,
    keys: BTreeSet<&'a str>,
    /// The first key that stands twice, and where.
    second: Option<(usize, &'a str)>,
}

impl<'a> DictionaryVisitor<'a> for &mut Dictionary<'a> {
    type Out = ();
    type Error = Infallible;

    fn entry(&mut self, key: &'a KeyRef) -> Result<impl EntryVisitor<'a>, Infallible> {
        let key = key.as_str();
        // A key is a part of the text.
        let position = key.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        let rest = self.text.get(position.saturating_add(key.len())..).unwrap_or_default();
        let rest = rest.strip_prefix('=').unwrap_or(rest);
        if !self.keys.insert(key) {
            self.second.get_or_insert((position, key));
        }
        self.members.push(Member { key, position, rest, item: Item::default(), inner_list: None });
        Ok(self.members.last_mut())
    }

    fn finish(self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl<'a> EntryVisitor<'a> for &mut Member<'a> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'a>, Infallible> {
        Ok(&mut self.item)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'a>, Infallible> {
        Ok(InnerList { items: self.inner_list.insert(Vec::new()), params: &mut self.item.params })
    }
}

struct InnerList<'m, 'a> {
    items: &'m mut Vec<Item<'a>>,
    params: &'m mut Params<'a>,
}

impl<'a> InnerListVisitor<'a> for InnerList<'_, 'a> {
    type Error = Infallible;

    fn item(&mut self) -> Result<impl ItemVisitor<'a>, Infallible> {
        self.items.push(Item::default());
        Ok(self.items.last_mut())
    }

    fn finish(self) -> Result<impl ParameterVisitor<'a>, Infallible> {
        Ok(self.params)
    }
}

impl<'a> ItemVisitor<'a> for &mut Item<'a> {
    type Out = ();
    type Error = Infallible;

    fn bare_item(
        self,
        bare: BareItemFromInput<'a>,
    ) -> Result<impl ParameterVisitor<'a, Out = ()>, Infallible> {
        self.bare = bare;
        Ok(&mut self.params)
    }
}

impl<'a> ParameterVisitor<'a> for &mut Params<'a> {
    type Out = ();
    type Error = Infallible;

    fn parameter(&mut self, key: &'a KeyRef, value: BareItemFromInput<'a>) -> Result<(), Infallible> {
        let next = self.list.len();
        let at = *self.index.entry(key.as_str()).or_insert(next);
        match self.list.get_mut(at) {
            Some((_, earlier)) => *earlier = value,
            None => self.list.push((key, value)),
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_with_their_position_and_what_follows() {
        let text = "a=\"x,\\\",y\" ,\tb;q=1,  c=(1 \"),\" 2);z;z=3";
        let members = members(text).unwrap();
        let found: Vec<_> = members.iter().map(|m| (m.position, m.key, m.rest)).collect();
        assert_eq!(found, [(0, "a", &text[2..]), (13, "b", &text[14..]), (21, "c", &text[23..])]);
        assert_eq!(members[0].item().and_then(Item::string), Some("x,\",y"));
        assert_eq!(members[1].params().find("q").and_then(|q| q.as_integer()), Some(1.into()));
        assert_eq!(members[2].inner_list().map(<[Item<'_>]>::len), Some(3));
        assert_eq!(members[2].params().find("z").and_then(|z| z.as_integer()), Some(3.into()));
    }

    #[test]
    fn a_second_member_of_one_key_is_refused_where_it_stands() {
        assert_eq!(members("a=1, b=2, a=3").unwrap_err().to_string(), "second member \"a\" at byte 10");
    }
}
