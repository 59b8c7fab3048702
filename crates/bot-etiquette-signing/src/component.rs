//! Component identifiers (RFC 9421 2): the name of a part of the message, and how its value is taken.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::member::{self, Item};
use crate::sf::{self, SyntaxError};

/// Bytes of one component identifier at the most.
pub const MAX_COMPONENT_BYTES: usize = 1024;

/// The identifier of one covered component: a field or a derived component, with its parameters.
///
/// Two identifiers are equal when they name the same component: the order of parameters does not matter for
/// that, but is kept in what is written (RFC 9421 2, 2.5).
///
/// ```
/// use bot_etiquette_signing::Component;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // As RFC 9421 writes it, or in short for people:
/// let strict: Component = r#""content-digest";req"#.parse()?;
/// assert_eq!(strict, "content-digest;req".parse()?);
/// assert_eq!(strict.to_string(), r#""content-digest";req"#);
///
/// let parameter: Component = r#"@query-param;name="page""#.parse()?;
/// assert_eq!(parameter, Component::query_param("page")?);
/// assert!("@nonsense".parse::<Component>().is_err());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Component {
    pub(crate) name: Name,
    pub(crate) options: Options,
    /// The identifier as it is written, parameters in the signer's order.
    identifier: String,
}

/// What an identifier names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Name {
    Method,
    TargetUri,
    Authority,
    Scheme,
    RequestTarget,
    Path,
    Query,
    /// With the encoded name.
    QueryParam(String),
    Status,
    /// With the lower-case field name.
    Field(String),
}

/// The parameters of an identifier but for `name`, which [`Name::QueryParam`] holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) sf: bool,
    pub(crate) bs: bool,
    pub(crate) tr: bool,
    pub(crate) req: bool,
    pub(crate) key: Option<String>,
}

/// Why a component identifier is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// The identifier is no structured field string with parameters.
    #[error("component identifier: {0}")]
    Syntax(#[from] SyntaxError),
    /// The identifier is longer than [`MAX_COMPONENT_BYTES`].
    #[error("component identifier of {0} bytes; {MAX_COMPONENT_BYTES} are the limit")]
    TooLong(usize),
    /// A name with `@` that RFC 9421 does not define, or one that must not be listed.
    #[error("no such derived component: \"{0}\"")]
    UnknownDerived(String),
    /// A field name with capitals or with characters no field name has.
    #[error("\"{0}\" is no field name in lower case")]
    FieldName(String),
    /// A parameter that RFC 9421 does not define.
    #[error("component {component} has the unknown parameter \"{parameter}\"")]
    UnknownParameter {
        /// The identifier.
        component: String,
        /// The parameter.
        parameter: String,
    },
    /// A parameter that this component cannot have, or not beside another, or not with this type of value.
    #[error("component {component}: the parameter \"{parameter}\" does not fit ({expected})")]
    UnfitParameter {
        /// The identifier.
        component: String,
        /// The parameter.
        parameter: &'static str,
        /// What was expected.
        expected: &'static str,
    },
}

impl Component {
    /// `@method`, the request method as sent.
    #[must_use]
    pub fn method() -> Self {
        Self::known(Name::Method)
    }

    /// `@target-uri`, the absolute URI of the request.
    #[must_use]
    pub fn target_uri() -> Self {
        Self::known(Name::TargetUri)
    }

    /// `@authority`, host and port in lower case without the scheme's own port.
    #[must_use]
    pub fn authority() -> Self {
        Self::known(Name::Authority)
    }

    /// `@scheme`, the scheme of the target URI.
    #[must_use]
    pub fn scheme() -> Self {
        Self::known(Name::Scheme)
    }

    /// `@request-target`, what stands in an HTTP/1.1 request line.
    #[must_use]
    pub fn request_target() -> Self {
        Self::known(Name::RequestTarget)
    }

    /// `@path`, the path as sent; an empty one is `/`.
    #[must_use]
    pub fn path() -> Self {
        Self::known(Name::Path)
    }

    /// `@query`, the query as sent with its `?`.
    #[must_use]
    pub fn query() -> Self {
        Self::known(Name::Query)
    }

    /// `@status`, the three digits of a response.
    #[must_use]
    pub fn status() -> Self {
        Self::known(Name::Status)
    }

    /// `@query-param` with the *decoded* name of one query parameter.
    ///
    /// # Errors
    /// A name whose encoded form makes the identifier longer than [`MAX_COMPONENT_BYTES`].
    pub fn query_param(name: &str) -> Result<Self, ComponentError> {
        let mut encoded = String::new();
        crate::derived::push_form_encoded(&mut encoded, name);
        Self::build(Name::QueryParam(encoded), Options::default())
    }

    /// A field by its name in lower case, its lines joined.
    ///
    /// # Errors
    /// A name with capitals or with characters no field name has.
    pub fn field(name: &str) -> Result<Self, ComponentError> {
        Self::build(Name::of(name, None)?, Options::default())
    }

    /// One member of a dictionary field (`key`).
    ///
    /// # Errors
    /// As [`field`](Self::field), or a key that no dictionary can have.
    pub fn member(name: &str, key: &str) -> Result<Self, ComponentError> {
        Self::build(Name::of(name, None)?, Options { key: Some(key.to_owned()), ..Options::default() })
    }

    /// The same component taken from the request that a response answers (`req`, RFC 9421 2.4).
    ///
    /// # Errors
    /// `@status`, which no request has.
    pub fn of_request(self) -> Result<Self, ComponentError> {
        Self::build(self.name, Options { req: true, ..self.options })
    }

    /// The identifier as it stands in a signature base: quoted, with its parameters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.identifier
    }

    /// The identifier in short, as people write it: the name without quotes, with the parameters.
    #[must_use]
    pub fn short(&self) -> String {
        // A name holds nothing that quoting would escape.
        format!("{}{}", self.name(), self.identifier.get(self.name().len() + 2..).unwrap_or_default())
    }

    /// The name without parameters: a field name, or a derived name with its `@`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The key of the dictionary member, when this is one.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.options.key.as_deref()
    }

    /// Whether the value comes from the request that a response answers.
    #[must_use]
    pub fn is_of_request(&self) -> bool {
        self.options.req
    }

    /// Whether the value comes from the trailers.
    #[must_use]
    pub fn is_of_trailers(&self) -> bool {
        self.options.tr
    }

    pub(crate) fn has_parameters(&self) -> bool {
        self.options != Options::default()
    }

    /// Whether this is the plain component of that name, without any parameter.
    pub(crate) fn is_plain(&self, name: &str) -> bool {
        self.name() == name && self.options == Options::default()
    }

    fn known(name: Name) -> Self {
        let identifier = quoted(name.as_str());
        Self { name, options: Options::default(), identifier }
    }

    fn build(name: Name, options: Options) -> Result<Self, ComponentError> {
        let mut identifier = String::new();
        sf::push_string(&mut identifier, name.as_str());
        for (set, mark) in
            [(options.sf, ";sf"), (options.bs, ";bs"), (options.tr, ";tr"), (options.req, ";req")]
        {
            identifier.push_str(if set { mark } else { "" });
        }
        for (mark, value) in [(";key=", options.key.as_ref()), (";name=", name.parameter())] {
            if let Some(value) = value {
                identifier.push_str(mark);
                if !sf::is_sf_string(value) {
                    return Err(unfit(&identifier, "key", "printable ASCII"));
                }
                sf::push_string(&mut identifier, value);
            }
        }
        Self::checked(name, options, identifier)
    }

    /// The one place where the rules between name and parameters stand.
    fn checked(name: Name, options: Options, identifier: String) -> Result<Self, ComponentError> {
        if identifier.len() > MAX_COMPONENT_BYTES {
            return Err(ComponentError::TooLong(identifier.len()));
        }
        let Options { sf, bs, tr, req, key } = &options;
        if matches!(name, Name::Field(_)) {
            if *bs && (*sf || key.is_some()) {
                return Err(unfit(&identifier, "bs", "not beside \"sf\" or \"key\""));
            }
        } else {
            for (set, parameter) in [(*sf, "sf"), (*bs, "bs"), (*tr, "tr"), (key.is_some(), "key")] {
                if set {
                    return Err(unfit(&identifier, parameter, "fields only"));
                }
            }
            if *req && name == Name::Status {
                return Err(unfit(&identifier, "req", "a request has no status"));
            }
        }
        if key.as_ref().is_some_and(|key| !sf::is_key(key)) {
            return Err(unfit(&identifier, "key", "the key of a dictionary member"));
        }
        Ok(Self { name, options, identifier })
    }

    /// Reads an identifier out of a parsed Signature-Input member.
    pub(crate) fn from_item(item: &Item<'_>) -> Result<Self, ComponentError> {
        let Some(name) = item.string() else {
            return Err(SyntaxError::new(0, "a component name is a string").into());
        };
        let identifier = if item.params.is_empty() { quoted(name) } else { item.write() };
        let mut options = Options::default();
        let mut query_name = None;
        for (key, value) in item.params.iter() {
            let flag = value.as_boolean() == Some(true);
            let text = value.as_string().map(|value| value.as_str().to_owned());
            let (parameter, fits) = match key {
                "sf" => ("sf", std::mem::replace(&mut options.sf, flag) || flag),
                "bs" => ("bs", std::mem::replace(&mut options.bs, flag) || flag),
                "tr" => ("tr", std::mem::replace(&mut options.tr, flag) || flag),
                "req" => ("req", std::mem::replace(&mut options.req, flag) || flag),
                "key" => {
                    ("key", std::mem::replace(&mut options.key, text).is_some() || options.key.is_some())
                }
                "name" => {
                    ("name", std::mem::replace(&mut query_name, text).is_some() || query_name.is_some())
                }
                other => {
                    return Err(ComponentError::UnknownParameter {
                        component: identifier,
                        parameter: other.to_owned(),
                    });
                }
            };
            if !fits {
                return Err(unfit(
                    &identifier,
                    parameter,
                    "sf, bs, tr and req are flags, key and name strings",
                ));
            }
        }
        Self::checked(Name::of(name, query_name)?, options, identifier)
    }
}

impl Name {
    fn of(name: &str, query_name: Option<String>) -> Result<Self, ComponentError> {
        let found = match name {
            "@method" => Self::Method,
            "@target-uri" => Self::TargetUri,
            "@authority" => Self::Authority,
            "@scheme" => Self::Scheme,
            "@request-target" => Self::RequestTarget,
            "@path" => Self::Path,
            "@query" => Self::Query,
            "@status" => Self::Status,
            "@query-param" => match query_name {
                Some(query_name) => return Ok(Self::QueryParam(query_name)),
                None => return Err(unfit("\"@query-param\"", "name", "it must name a query parameter")),
            },
            _ if name.starts_with('@') => return Err(ComponentError::UnknownDerived(name.to_owned())),
            _ if is_field_name(name) => Self::Field(name.to_owned()),
            _ => return Err(ComponentError::FieldName(name.to_owned())),
        };
        match query_name {
            Some(_) => Err(unfit(name, "name", "\"@query-param\" only")),
            None => Ok(found),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Method => "@method",
            Self::TargetUri => "@target-uri",
            Self::Authority => "@authority",
            Self::Scheme => "@scheme",
            Self::RequestTarget => "@request-target",
            Self::Path => "@path",
            Self::Query => "@query",
            Self::QueryParam(_) => "@query-param",
            Self::Status => "@status",
            Self::Field(name) => name,
        }
    }

    fn parameter(&self) -> Option<&String> {
        match self {
            Self::QueryParam(name) => Some(name),
            _ => None,
        }
    }
}

impl FromStr for Component {
    type Err = ComponentError;

    /// Reads `"name";parameters`, or the short form in which the name stands without quotes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_COMPONENT_BYTES {
            return Err(ComponentError::TooLong(text.len()));
        }
        if text.starts_with('"') {
            return Self::from_item(&member::item(text)?);
        }
        let (name, parameters) = text.split_at(text.find(';').unwrap_or(text.len()));
        if !sf::is_sf_string(name) {
            return Err(ComponentError::FieldName(name.to_owned()));
        }
        let mut strict = String::with_capacity(text.len() + 2);
        sf::push_string(&mut strict, name);
        strict.push_str(parameters);
        Self::from_item(&member::item(&strict)?)
    }
}

impl PartialEq for Component {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.options == other.options
    }
}

impl Eq for Component {}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.identifier)
    }
}

/// A name without parameters as an identifier.
fn quoted(name: &str) -> String {
    let mut identifier = String::with_capacity(name.len().saturating_add(2));
    sf::push_string(&mut identifier, name);
    identifier
}

fn unfit(component: &str, parameter: &'static str, expected: &'static str) -> ComponentError {
    ComponentError::UnfitParameter { component: component.to_owned(), parameter, expected }
}

fn is_field_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| {
            matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+'
                | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~')
        })
}
