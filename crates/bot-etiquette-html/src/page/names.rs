//! The elements and attributes that matter here.

/// An element by what is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    A,
    Area,
    Audio,
    Base,
    /// An element that begins a line of text.
    Block,
    Body,
    Br,
    Button,
    Cell,
    Desc,
    Embed,
    FeImage,
    ForeignObject,
    Form,
    Frame,
    H1,
    Head,
    Html,
    Iframe,
    Image,
    Img,
    /// An element that neither begins a line nor says anything.
    Inline,
    Input,
    Link,
    Math,
    /// `mi`, `mo`, `mn`, `ms`, `mtext`, `annotation-xml`: HTML inside MathML.
    MathText,
    Meta,
    Noscript,
    Object,
    Pattern,
    Plaintext,
    /// `xmp`, `noembed`, `noframes`: raw text that says nothing.
    Raw,
    Script,
    Source,
    Style,
    Svg,
    Table,
    Td,
    Template,
    Textarea,
    Title,
    Track,
    Use,
    Video,
}

impl Element {
    pub(super) fn named(name: &[u8]) -> Self {
        match name {
            b"a" => Self::A,
            b"area" => Self::Area,
            b"audio" => Self::Audio,
            b"base" => Self::Base,
            b"body" => Self::Body,
            b"br" => Self::Br,
            b"button" => Self::Button,
            b"desc" => Self::Desc,
            b"embed" => Self::Embed,
            b"feimage" => Self::FeImage,
            b"foreignobject" => Self::ForeignObject,
            b"form" => Self::Form,
            b"frame" => Self::Frame,
            b"h1" => Self::H1,
            b"head" => Self::Head,
            b"html" => Self::Html,
            b"iframe" => Self::Iframe,
            b"image" => Self::Image,
            b"img" => Self::Img,
            b"input" => Self::Input,
            b"link" => Self::Link,
            b"math" => Self::Math,
            b"mi" | b"mo" | b"mn" | b"ms" | b"mtext" | b"annotation-xml" => Self::MathText,
            b"meta" => Self::Meta,
            b"noscript" => Self::Noscript,
            b"object" => Self::Object,
            b"pattern" => Self::Pattern,
            b"plaintext" => Self::Plaintext,
            b"xmp" | b"noembed" | b"noframes" => Self::Raw,
            b"script" => Self::Script,
            b"source" => Self::Source,
            b"style" => Self::Style,
            b"svg" => Self::Svg,
            b"table" => Self::Table,
            b"td" => Self::Td,
            b"th" => Self::Cell,
            b"template" => Self::Template,
            b"textarea" => Self::Textarea,
            b"title" => Self::Title,
            b"track" => Self::Track,
            b"use" => Self::Use,
            b"video" => Self::Video,
            b"address" | b"article" | b"aside" | b"blockquote" | b"caption" | b"center" | b"dd"
            | b"details" | b"dialog" | b"div" | b"dl" | b"dt" | b"fieldset" | b"figcaption" | b"figure"
            | b"footer" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"header" | b"hgroup" | b"hr"
            | b"legend" | b"li" | b"main" | b"menu" | b"nav" | b"ol" | b"optgroup" | b"option" | b"p"
            | b"pre" | b"search" | b"section" | b"summary" | b"tr" | b"ul" => Self::Block,
            _ => Self::Inline,
        }
    }

    /// As it is written in a report.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::Area => "area",
            Self::Audio => "audio",
            Self::Base => "base",
            Self::Body => "body",
            Self::Button => "button",
            Self::Embed => "embed",
            Self::FeImage => "feImage",
            Self::Form => "form",
            Self::Frame => "frame",
            Self::Iframe => "iframe",
            Self::Image => "image",
            Self::Img => "img",
            Self::Input => "input",
            Self::Link => "link",
            Self::Meta => "meta",
            Self::Object => "object",
            Self::Pattern => "pattern",
            Self::Script => "script",
            Self::Source => "source",
            Self::Style => "style",
            Self::Table => "table",
            Self::Td => "td",
            Self::Track => "track",
            Self::Use => "use",
            Self::Video => "video",
            _ => "*",
        }
    }

    /// Whether the text after it is on a line of its own.
    pub(super) fn breaks_line(self) -> bool {
        matches!(self, Self::Block | Self::Body | Self::Br | Self::Form | Self::H1 | Self::Table)
    }

    /// Whether it may stand before the body without opening it.
    pub(super) fn is_of_head(self) -> bool {
        matches!(
            self,
            Self::Html
                | Self::Head
                | Self::Title
                | Self::Base
                | Self::Link
                | Self::Meta
                | Self::Style
                | Self::Script
                | Self::Noscript
                | Self::Template
        )
    }

    /// Whether it never has content, so that no end tag follows.
    pub(super) fn is_void(self) -> bool {
        matches!(
            self,
            Self::Area
                | Self::Base
                | Self::Br
                | Self::Embed
                | Self::Frame
                | Self::Image
                | Self::Img
                | Self::Input
                | Self::Link
                | Self::Meta
                | Self::Source
                | Self::Track
        )
    }
}

/// Whether this tag ends SVG or MathML that was left open. Source: HTML Standard, "parsing main in foreign content".
pub(super) fn breaks_out(name: &[u8]) -> bool {
    matches!(
        name,
        b"b" | b"big"
            | b"blockquote"
            | b"body"
            | b"br"
            | b"center"
            | b"code"
            | b"dd"
            | b"div"
            | b"dl"
            | b"dt"
            | b"em"
            | b"embed"
            | b"h1"
            | b"h2"
            | b"h3"
            | b"h4"
            | b"h5"
            | b"h6"
            | b"head"
            | b"hr"
            | b"i"
            | b"img"
            | b"li"
            | b"listing"
            | b"menu"
            | b"meta"
            | b"nobr"
            | b"ol"
            | b"p"
            | b"pre"
            | b"ruby"
            | b"s"
            | b"small"
            | b"span"
            | b"strike"
            | b"strong"
            | b"sub"
            | b"sup"
            | b"table"
            | b"tt"
            | b"u"
            | b"ul"
            | b"var"
    )
}

macro_rules! attributes {
    ($($name:ident = $text:literal,)+) => {
        /// An attribute that says something.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Attribute {
            $($name,)+
        }

        impl Attribute {
            pub(super) fn named(name: &[u8]) -> Option<Self> {
                // Comparing text needs no constant of each name; a name that is no UTF-8 is none of them.
                match std::str::from_utf8(name).ok()? {
                    $($text => Some(Self::$name),)+
                    _ => None,
                }
            }

            pub(super) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

attributes! {
    Alt = "alt",
    AriaHidden = "aria-hidden",
    Background = "background",
    Content = "content",
    Data = "data",
    DataBg = "data-bg",
    DataLazySrc = "data-lazy-src",
    DataOriginal = "data-original",
    DataSrc = "data-src",
    DataSrcset = "data-srcset",
    Hidden = "hidden",
    Href = "href",
    Hreflang = "hreflang",
    HttpEquiv = "http-equiv",
    Imagesrcset = "imagesrcset",
    Lang = "lang",
    Name = "name",
    Poster = "poster",
    Property = "property",
    Rel = "rel",
    Role = "role",
    Src = "src",
    Srcdoc = "srcdoc",
    Srcset = "srcset",
    Style = "style",
    Type = "type",
    XlinkHref = "xlink:href",
    XmlLang = "xml:lang",
}
