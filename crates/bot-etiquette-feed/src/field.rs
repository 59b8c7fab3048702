//! The fields of an event that a map can fill.

macro_rules! fields {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal,)*) => {
        /// A typed field of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Field {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Field {
            /// Every field.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name in a map.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

fields! {
    /// What identifies the event at its source; several paths are joined.
    Key = "key",
    /// The language of this record's texts; it beats the map's.
    Language = "language",
    /// The title.
    Title = "title",
    /// The description.
    Description = "description",
    /// First day, or day and time.
    Start = "start",
    /// Time of day of the start, where it stands apart; free text is kept as opening hours.
    StartTime = "start-time",
    /// Last day, or day and time.
    End = "end",
    /// Time of day of the end.
    EndTime = "end-time",
    /// Opening hours in words.
    Hours = "hours",
    /// Days of the week: `MO,TU`, `L,M,X` or `1,2` (1 is Monday).
    Weekdays = "weekdays",
    /// How long it lasts, where no end is told: `P3D`, `PT1H30M` (RFC 5545, 3.3.6).
    Duration = "duration",
    /// A recurrence rule of iCalendar: `FREQ=MONTHLY;BYDAY=1SU;UNTIL=20261206`.
    Recurrence = "recurrence",
    /// Days on which it does not take place.
    Excluded = "excluded",
    /// Further days on which it does.
    Included = "included",
    /// The time of a series, of the same key, that this record replaces.
    Replaces = "replaces",
    /// The element around one range of days, where there are several.
    Range = "range",
    /// First day of a range.
    RangeStart = "range-start",
    /// Last day of a range.
    RangeEnd = "range-end",
    /// Days of the week of a range.
    RangeWeekdays = "range-weekdays",
    /// Name of the place.
    Venue = "venue",
    /// Street and number.
    Address = "address",
    /// Postal code.
    PostalCode = "postal-code",
    /// Town.
    City = "city",
    /// Province.
    Province = "province",
    /// Latitude and longitude in one value, in this order.
    Point = "point",
    /// Degrees north, WGS 84.
    Latitude = "latitude",
    /// Degrees east, WGS 84.
    Longitude = "longitude",
    /// The price in words.
    Price = "price",
    /// Whether it is free: `1`, `true`, `si`.
    Free = "free",
    /// A category or a tag; there may be many.
    Category = "category",
    /// The event's page at its source.
    Link = "link",
    /// When the record was last changed.
    Updated = "updated",
}

impl Field {
    /// Its place in a [`FieldSet`].
    const fn bit(self) -> u64 {
        1 << self as u64
    }

    /// The field of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|field| field.as_str() == name)
    }
}

/// Which fields a record has values of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FieldSet(u64);

// A bit for each.
const _: () = assert!(Field::ALL.len() <= u64::BITS as usize);

impl FieldSet {
    pub(crate) fn insert(&mut self, field: Field) {
        self.0 |= field.bit();
    }

    pub(crate) fn contains(self, field: Field) -> bool {
        self.0 & field.bit() != 0
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Field {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Field {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::from_name(&name).ok_or_else(|| serde::de::Error::custom("no field of an event"))
    }
}
