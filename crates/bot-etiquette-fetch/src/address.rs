//! [`AddressPolicy`]: which addresses and ports a crawler may connect to.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use url::{Host, Url};

/// Which addresses and ports may be connected to. The default is the public internet on ports 80 and 443.
///
/// Links come from strangers, and a link to `http://169.254.169.254/` must not reach the machine's own network. Look
/// at the URL before asking ([`check_url`](Self::check_url)), and at every address the name resolved to
/// ([`check_ip`](Self::check_ip)) right before connecting to that very address: a name may resolve to something else
/// the next time. Redirects bring new URLs and pass the same two checks.
///
/// ```
/// use bot_etiquette_fetch::AddressPolicy;
/// use url::Url;
///
/// let policy = AddressPolicy::default();
/// let refused = |url: &str| policy.check_url(&Url::parse(url).unwrap()).is_err();
/// assert!(!refused("https://example.com/"));
/// assert!(refused("https://example.com:6443/"));
/// assert!(refused("http://0x7f.1/")); // 127.0.0.1
/// assert!(refused("http://[::ffff:10.0.0.1]/"));
///
/// let gis = AddressPolicy::default().allow_port(6443);
/// assert!(gis.check_url(&Url::parse("https://example.com:6443/").unwrap()).is_ok());
/// assert!(policy.check_ip("192.168.0.1".parse().unwrap()).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct AddressPolicy {
    public: bool,
    loopback: bool,
    private: bool,
    any_port: bool,
    ports: Vec<u16>,
}

impl Default for AddressPolicy {
    fn default() -> Self {
        Self { public: true, loopback: false, private: false, any_port: false, ports: vec![80, 443] }
    }
}

impl AddressPolicy {
    /// This machine alone, on any port: for demonstrations and tests.
    #[must_use]
    pub const fn loopback_only() -> Self {
        Self { public: false, loopback: true, private: false, any_port: true, ports: Vec::new() }
    }

    /// Whether nothing but this machine can be reached.
    ///
    /// ```
    /// use bot_etiquette_fetch::AddressPolicy;
    ///
    /// assert!(AddressPolicy::loopback_only().is_loopback_only());
    /// assert!(!AddressPolicy::loopback_only().allow_private().is_loopback_only());
    /// assert!(!AddressPolicy::default().is_loopback_only());
    /// ```
    #[must_use]
    pub const fn is_loopback_only(&self) -> bool {
        !self.public && !self.private
    }

    /// Lets loopback addresses through too.
    #[must_use]
    pub const fn allow_loopback(mut self) -> Self {
        self.loopback = true;
        self
    }

    /// Lets the private networks through too: 10/8, 172.16/12, 192.168/16 and fc00::/7. Link-local addresses, where
    /// cloud machines keep their secrets, stay refused.
    #[must_use]
    pub const fn allow_private(mut self) -> Self {
        self.private = true;
        self
    }

    /// Lets this port through beside the others.
    #[must_use]
    pub fn allow_port(mut self, port: u16) -> Self {
        self.ports.push(port);
        self
    }

    /// Lets every port through.
    #[must_use]
    pub const fn allow_any_port(mut self) -> Self {
        self.any_port = true;
        self
    }

    /// Judges an address; an IPv4 address inside an IPv6 one (`::ffff:127.0.0.1`) is judged as itself.
    ///
    /// # Errors
    /// [`AddressRefusal::Address`] with the kind of network it belongs to.
    pub fn check_ip(&self, address: IpAddr) -> Result<(), AddressRefusal> {
        let kind = AddressKind::of(address);
        let allowed = match kind {
            AddressKind::Public => self.public,
            AddressKind::Loopback => self.loopback,
            AddressKind::Private => self.private,
            _ => false,
        };
        if allowed { Ok(()) } else { Err(AddressRefusal::Address { address, kind }) }
    }

    /// Judges a port.
    ///
    /// # Errors
    /// [`AddressRefusal::Port`] when it is not listed.
    pub fn check_port(&self, port: u16) -> Result<(), AddressRefusal> {
        if self.any_port || self.ports.contains(&port) { Ok(()) } else { Err(AddressRefusal::Port { port }) }
    }

    /// Judges an address with its port.
    ///
    /// # Errors
    /// As [`check_ip`](Self::check_ip) and [`check_port`](Self::check_port).
    pub fn check_socket(&self, address: SocketAddr) -> Result<(), AddressRefusal> {
        self.check_port(address.port())?;
        self.check_ip(address.ip())
    }

    /// Judges all that a URL tells before its name is resolved: scheme, credentials, port, an address written as
    /// host in whatever spelling, and the names that mean this machine.
    ///
    /// # Errors
    /// [`AddressRefusal`] says which of these it was.
    pub fn check_url(&self, url: &Url) -> Result<(), AddressRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressRefusal::Scheme { scheme: url.scheme().to_owned() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressRefusal::Credentials);
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(AddressRefusal::NoHost);
        };
        self.check_host(&host, port)
    }

    /// Judges the host and port that a URL names.
    pub(crate) fn check_host(&self, host: &Host<&str>, port: u16) -> Result<(), AddressRefusal> {
        self.check_port(port)?;
        match host {
            Host::Ipv4(address) => self.check_ip((*address).into()),
            Host::Ipv6(address) => self.check_ip((*address).into()),
            Host::Domain(name) => self.check_name(name),
        }
    }

    /// `localhost` and the names under it mean this machine, whatever a resolver says (RFC 6761 section 6.3).
    fn check_name(&self, name: &str) -> Result<(), AddressRefusal> {
        let bare = name.trim_end_matches('.');
        if bare.is_empty() {
            return Err(AddressRefusal::NoHost);
        }
        let last = bare.rsplit('.').next().unwrap_or(bare);
        if last.eq_ignore_ascii_case("localhost") && !self.loopback {
            return Err(AddressRefusal::LocalName { name: bare.to_ascii_lowercase() });
        }
        Ok(())
    }
}

/// Why a URL or an address was refused before anything was sent to it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressRefusal {
    /// Not http or https.
    #[error("the scheme {scheme} is not http or https")]
    Scheme {
        /// The scheme met.
        scheme: String,
    },
    /// No host at all.
    #[error("the URL names no host")]
    NoHost,
    /// A user name or a password before the host.
    #[error("the URL holds a user name or password")]
    Credentials,
    /// A port that is not listed.
    #[error("port {port} is not among the allowed ones")]
    Port {
        /// The port met.
        port: u16,
    },
    /// A name that means this machine.
    #[error("the name {name} means this machine")]
    LocalName {
        /// The name met, without its last dot.
        name: String,
    },
    /// An address outside the public internet, or outside what was allowed.
    #[error("the address {address} is {kind}")]
    Address {
        /// The address met.
        address: IpAddr,
        /// The network it belongs to.
        kind: AddressKind,
    },
}

/// What kind of network an address belongs to, after the IANA special-purpose address registries.
///
/// ```
/// use bot_etiquette_fetch::AddressKind;
///
/// assert_eq!(AddressKind::of("100.64.0.1".parse().unwrap()), AddressKind::Shared);
/// assert_eq!(AddressKind::of("64:ff9b::7f00:1".parse().unwrap()), AddressKind::Translated);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressKind {
    /// Reachable by everybody.
    Public,
    /// This machine: 127/8, ::1.
    Loopback,
    /// A private network: 10/8, 172.16/12, 192.168/16, fc00::/7 and the former fec0::/10.
    Private,
    /// Between a provider and its customers: 100.64/10.
    Shared,
    /// One link alone: 169.254/16, fe80::/10.
    LinkLocal,
    /// Many receivers: 224/4, ff00::/8.
    Multicast,
    /// For examples in documents: 192.0.2/24, 198.51.100/24, 203.0.113/24, 2001:db8::/32, 3fff::/20.
    Documentation,
    /// For measurements: 198.18/15, 2001:2::/48.
    Benchmarking,
    /// No address: 0/8, ::.
    Unspecified,
    /// An IPv4 address in disguise, behind a translator or a tunnel: NAT64, 6to4 and its relays, Teredo.
    Translated,
    /// Everything else that IANA has not given out for public use.
    Reserved,
}

impl AddressKind {
    /// The kind of this address.
    #[must_use]
    pub const fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => match address.to_ipv4_mapped() {
                Some(mapped) => Self::of_v4(mapped),
                None => Self::of_v6(address),
            },
        }
    }

    const fn of_v4(address: Ipv4Addr) -> Self {
        match address.octets() {
            [0, ..] => Self::Unspecified,
            [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Self::Private,
            [100, 64..=127, ..] => Self::Shared,
            [127, ..] => Self::Loopback,
            [169, 254, ..] => Self::LinkLocal,
            [192, 0, 0, _] => Self::Reserved,
            [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Self::Documentation,
            [192, 88, 99, _] => Self::Translated,
            [198, 18..=19, ..] => Self::Benchmarking,
            [224..=239, ..] => Self::Multicast,
            [240..=255, ..] => Self::Reserved,
            _ => Self::Public,
        }
    }

    const fn of_v6(address: Ipv6Addr) -> Self {
        match address.segments() {
            [0, 0, 0, 0, 0, 0, 0, 0] => Self::Unspecified,
            [0, 0, 0, 0, 0, 0, 0, 1] => Self::Loopback,
            [0x64, 0xff9b, 0, 0, 0, 0, _, _] | [0x64, 0xff9b, 1, ..] => Self::Translated,
            [0x2001, 0, ..] | [0x2002, ..] => Self::Translated,
            [0x2001, 2, 0, ..] => Self::Benchmarking,
            [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Self::Documentation,
            // The rest of 2001::/23 is kept for protocols.
            [0x2001, 1..=0x1ff, ..] => Self::Reserved,
            [0x2000..=0x3fff, ..] => Self::Public,
            [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Self::Private,
            [0xfe80..=0xfebf, ..] => Self::LinkLocal,
            [0xff00..=0xffff, ..] => Self::Multicast,
            _ => Self::Reserved,
        }
    }
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "public",
            Self::Loopback => "this machine's own",
            Self::Private => "of a private network",
            Self::Shared => "of a provider's own network",
            Self::LinkLocal => "of one link only",
            Self::Multicast => "for many receivers",
            Self::Documentation => "kept for documentation",
            Self::Benchmarking => "kept for measurements",
            Self::Unspecified => "no address of a host",
            Self::Translated => "a translated or tunnelled IPv4 one",
            Self::Reserved => "reserved",
        })
    }
}
