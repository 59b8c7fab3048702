//! One visitor for every member whose JSON kind no server can be trusted with.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::scalar::Scalar;

/// What a value of any kind is read as. Kinds that an implementation does not name are [`other`](Self::other).
pub(crate) trait Shape<'de>: Sized {
    /// What comes out.
    type Value;

    /// The value of a scalar; [`Scalar::Nested`] stands for an array or object that was passed over.
    fn other(scalar: Scalar<'de>) -> Self::Value;

    fn array<A: SeqAccess<'de>>(mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::other(Scalar::Nested))
    }

    fn object<A: MapAccess<'de>>(mut members: A) -> Result<Self::Value, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::other(Scalar::Nested))
    }
}

/// Reads a value of any kind as `S` says.
pub(crate) fn read<'de, S: Shape<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<S::Value, D::Error> {
    deserializer.deserialize_any(ShapeVisitor::<S>(PhantomData))
}

struct ShapeVisitor<S>(PhantomData<S>);

impl<'de, S: Shape<'de>> Visitor<'de> for ShapeVisitor<S> {
    type Value = S::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(S::other(Scalar::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(S::other(Scalar::Bool(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(S::other(Scalar::Integer(value)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        #[allow(clippy::cast_precision_loss, reason = "beyond i64 only the size matters")]
        let scalar = i64::try_from(value).map_or(Scalar::Float(value as f64), Scalar::Integer);
        Ok(S::other(scalar))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(S::other(Scalar::Float(value)))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(S::other(Scalar::Text(Cow::Borrowed(value))))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(S::other(Scalar::Text(Cow::Owned(value.to_owned()))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        S::array(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        S::object(members)
    }
}
