//! What a format maps by itself.

use crate::field::Field;
use crate::path::{Grammar, Namespaces};
use crate::source_map::{Format, Rule};

/// The paths of a format.
pub(crate) struct Preset {
    pub(crate) grammar: Grammar,
    /// Where records may stand.
    pub(crate) records: &'static [&'static str],
    namespaces: &'static [(&'static str, &'static str)],
    fields: &'static [(Field, &'static str, Kind)],
}

/// How a value is read.
#[derive(Clone, Copy)]
enum Kind {
    Plain,
    Html,
    /// With the text of inner elements.
    Nested,
}

use Kind::{Html, Nested, Plain};

impl Preset {
    pub(crate) fn of(format: Format) -> &'static Self {
        match format {
            Format::Json => &JSON,
            Format::Xml => &XML,
            Format::Csv => &CSV,
            Format::Rss => &RSS,
            Format::Atom => &ATOM,
            Format::JsonFeed => &JSON_FEED,
            Format::ICalendar => &ICALENDAR,
        }
    }

    /// The namespaces of its prefixes.
    pub(crate) fn namespaces(&self) -> Namespaces {
        self.namespaces.iter().map(|(prefix, uri)| ((*prefix).to_owned(), (*uri).to_owned())).collect()
    }

    /// The rules of the fields that the map leaves open.
    pub(crate) fn rules(&self, is_mapped: impl Fn(Field) -> bool) -> impl Iterator<Item = Rule> {
        self.fields.iter().filter(move |(field, _, _)| !is_mapped(*field)).map(|(field, path, kind)| Rule {
            html: !matches!(kind, Plain),
            nested: matches!(kind, Nested),
            ..Rule::plain(*field, path)
        })
    }
}

const JSON: Preset = Preset { grammar: Grammar::Json, records: &[""], namespaces: &[], fields: &[] };
const XML: Preset = Preset { grammar: Grammar::Xml, records: &[], namespaces: &[], fields: &[] };
const CSV: Preset = Preset { grammar: Grammar::Csv, records: &[""], namespaces: &[], fields: &[] };

const RSS: Preset = Preset {
    grammar: Grammar::Xml,
    records: &["rss/channel/item", "rdf:RDF/rss:item"],
    namespaces: &[
        ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
        ("rss", "http://purl.org/rss/1.0/"),
        ("content", "http://purl.org/rss/1.0/modules/content/"),
        ("ev", "http://purl.org/rss/1.0/modules/event/"),
        ("xcal", "urn:ietf:params:xml:ns:xcal"),
        ("georss", "http://www.georss.org/georss"),
        ("geo", "http://www.w3.org/2003/01/geo/wgs84_pos#"),
    ],
    fields: &[
        (Field::Key, "guid", Plain),
        (Field::Key, "@rdf:about", Plain),
        (Field::Title, "title", Html),
        (Field::Description, "description", Html),
        (Field::Description, "content:encoded", Html),
        (Field::Link, "link", Plain),
        (Field::Category, "category", Plain),
        (Field::Start, "ev:startdate", Plain),
        (Field::Start, "xcal:dtstart", Plain),
        (Field::End, "ev:enddate", Plain),
        (Field::End, "xcal:dtend", Plain),
        (Field::Venue, "ev:location", Plain),
        (Field::Venue, "xcal:location", Plain),
        (Field::Point, "georss:point", Plain),
        (Field::Latitude, "geo:lat", Plain),
        (Field::Longitude, "geo:long", Plain),
    ],
};

const ATOM: Preset = Preset {
    grammar: Grammar::Xml,
    records: &["atom:feed/atom:entry"],
    namespaces: &[
        ("atom", "http://www.w3.org/2005/Atom"),
        // A map's own paths may leave the prefix out.
        ("", "http://www.w3.org/2005/Atom"),
        ("georss", "http://www.georss.org/georss"),
    ],
    fields: &[
        (Field::Key, "atom:id", Plain),
        (Field::Language, "atom:title/@xml:lang", Plain),
        (Field::Language, "@xml:lang", Plain),
        // A text is plain where it says so; many that say nothing hold HTML.
        (Field::Title, "atom:title[@type='text']", Plain),
        (Field::Title, "atom:title", Nested),
        (Field::Description, "atom:summary[@type='text']", Plain),
        (Field::Description, "atom:summary", Nested),
        (Field::Description, "atom:content[@type='text']", Plain),
        (Field::Description, "atom:content", Nested),
        (Field::Link, "atom:link[@rel='alternate']/@href", Plain),
        (Field::Link, "atom:link/@href", Plain),
        (Field::Category, "atom:category/@term", Plain),
        (Field::Updated, "atom:updated", Plain),
        (Field::Point, "georss:point", Plain),
    ],
};

const JSON_FEED: Preset = Preset {
    grammar: Grammar::Json,
    records: &["items"],
    namespaces: &[],
    fields: &[
        (Field::Key, "id", Plain),
        (Field::Language, "language", Plain),
        (Field::Title, "title", Plain),
        (Field::Description, "content_html", Html),
        (Field::Description, "content_text", Plain),
        (Field::Description, "summary", Plain),
        (Field::Link, "url", Plain),
        (Field::Link, "external_url", Plain),
        (Field::Category, "tags", Plain),
        (Field::Updated, "date_modified", Plain),
    ],
};

const ICALENDAR: Preset = Preset {
    grammar: Grammar::Xml,
    records: &["VCALENDAR/VEVENT"],
    namespaces: &[],
    fields: &[
        (Field::Key, "UID", Plain),
        (Field::Language, "SUMMARY/@LANGUAGE", Plain),
        (Field::Title, "SUMMARY", Plain),
        (Field::Description, "DESCRIPTION", Plain),
        (Field::Start, "DTSTART", Plain),
        (Field::End, "DTEND", Plain),
        (Field::Duration, "DURATION", Plain),
        (Field::Recurrence, "RRULE", Plain),
        (Field::Replaces, "RECURRENCE-ID", Plain),
        (Field::Excluded, "EXDATE", Plain),
        (Field::Included, "RDATE", Plain),
        (Field::Venue, "LOCATION", Plain),
        (Field::Point, "GEO", Plain),
        (Field::Category, "CATEGORIES", Plain),
        (Field::Link, "URL", Plain),
        (Field::Updated, "LAST-MODIFIED", Plain),
    ],
};
