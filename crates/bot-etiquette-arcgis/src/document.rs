//! One pass over a document's top level: members stay undecoded, and arrays are split into items.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::scalar::Scalar;
use crate::shape::{self, Shape};

/// Members that hold one item per layer, service or feature. Splitting them here saves a second pass over most bytes.
const ITEMS: [&str; 6] = ["layers", "tables", "features", "services", "layerEstimates", "objectIds"];

/// The members of the object at the top, in the order of the document.
#[derive(Debug)]
#[allow(unnameable_types, unreachable_pub, reason = "named by the sealed trait alone")]
pub struct Document<'a> {
    json: &'a str,
    members: Members<'a>,
    /// Whether something inside was read although an object of it had two members of one name.
    equal_keys: Cell<bool>,
}

type Members<'a> = Vec<(Cow<'a, str>, Member<'a>)>;

#[derive(Debug)]
pub(crate) enum Member<'a> {
    Value(&'a RawValue),
    Items(Vec<&'a RawValue>),
    /// One of [`ITEMS`] that is no array: null, most often.
    NoItems,
}

impl<'a> Document<'a> {
    /// Reads `json`; none when it is a valid document whose top is no object.
    pub(crate) fn read(json: &'a str) -> Result<Option<Self>, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let members = shape::read::<Top, _>(&mut reader)?;
        reader.end()?;
        Ok(members.map(|members| Self { json, members, equal_keys: Cell::new(false) }))
    }

    /// Whether an object that was read, or the one at the top, has two members of one name.
    pub(crate) fn has_equal_keys(&self) -> bool {
        let mut names: Vec<&str> = self.members.iter().map(|(name, _)| name.as_ref()).collect();
        names.sort_unstable();
        self.equal_keys.get() || names.windows(2).any(|pair| matches!(pair, [one, other] if one == other))
    }

    /// The last member of this name, since that is what most readers take of equal names.
    pub(crate) fn member(&self, name: &str) -> Option<&Member<'a>> {
        self.members.iter().rev().find(|(key, _)| key == name).map(|(_, member)| member)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    pub(crate) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// Whether there is no member but those of these names.
    pub(crate) fn has_only(&self, names: &[&str]) -> bool {
        self.members.iter().all(|(key, _)| names.contains(&key.as_ref()))
    }

    /// Whether a member holds something: neither null nor an empty array, object or text.
    pub(crate) fn is_filled(&self, name: &str) -> bool {
        match self.member(name) {
            Some(Member::Items(items)) => !items.is_empty(),
            Some(Member::Value(raw)) => !matches!(raw.get(), "null" | "[]" | "{}" | "\"\""),
            Some(Member::NoItems) | None => false,
        }
    }

    pub(crate) fn items(&self, name: &str) -> &[&'a RawValue] {
        match self.member(name) {
            Some(Member::Items(items)) => items,
            _ => &[],
        }
    }

    pub(crate) fn value(&self, name: &str) -> Option<&'a RawValue> {
        match self.member(name) {
            Some(Member::Value(raw)) => Some(raw),
            _ => None,
        }
    }

    /// The whole document as `T`, equal keys resolved to the last; none when it has another shape.
    pub(crate) fn whole<T: DeserializeOwned>(&self) -> Option<T> {
        self.last(self.json, |json| serde_json::from_str(json)).ok()
    }

    /// Reads one item by itself, so that a broken one loses nobody else.
    pub(crate) fn item<T: DeserializeOwned>(&self, raw: &RawValue) -> Result<T, serde_json::Error> {
        self.last(raw.get(), |json| serde_json::from_str(json))
    }

    /// A member as `T`; none when it is missing or of another shape.
    pub(crate) fn get<T: Deserialize<'a>>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.value(name)?.get()).ok()
    }

    /// A member read by one of the functions of [`scalar`](crate::scalar).
    pub(crate) fn with<T: Default>(
        &self,
        name: &str,
        read: fn(&mut serde_json::Deserializer<serde_json::de::StrRead<'_>>) -> Result<T, serde_json::Error>,
    ) -> T {
        let read =
            |raw: &RawValue| self.last(raw.get(), |json| read(&mut serde_json::Deserializer::from_str(json)));
        self.value(name).and_then(|raw| read(raw).ok()).unwrap_or_default()
    }

    /// Reads `json`. Equal keys, which typed reading refuses, are resolved to the last one in a second try, which is noted.
    fn last<T>(
        &self,
        json: &str,
        read: impl Fn(&str) -> Result<T, serde_json::Error>,
    ) -> Result<T, serde_json::Error> {
        read(json).or_else(|first| {
            let value: serde_json::Value = serde_json::from_str(json)?;
            let found = read(&value.to_string()).map_err(|_| first)?;
            self.equal_keys.set(true);
            Ok(found)
        })
    }
}

struct Top;

impl<'de> Shape<'de> for Top {
    type Value = Option<Members<'de>>;

    fn other(_: Scalar<'de>) -> Self::Value {
        None
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(Key(key)) = map.next_key()? {
            let member = if ITEMS.contains(&key.as_ref()) {
                map.next_value_seed(Items)?
            } else {
                Member::Value(map.next_value()?)
            };
            members.push((key, member));
        }
        Ok(Some(members))
    }
}

/// A key, borrowed where it holds no escape.
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct Items;

impl<'de> DeserializeSeed<'de> for Items {
    type Value = Member<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let items: Option<Vec<&'de RawValue>> = crate::scalar::maybe_list(deserializer)?;
        Ok(items.map_or(Member::NoItems, Member::Items))
    }
}
