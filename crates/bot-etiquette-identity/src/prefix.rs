//! [`Prefix`]: a block of addresses.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// A block of addresses in CIDR form, such as `198.51.100.0/24`; a single address is a block of one.
///
/// ```
/// use bot_etiquette_identity::{Prefix, PrefixError};
///
/// let block: Prefix = "2001:db8:7::/48".parse()?;
/// assert!(block.contains("2001:db8:7:1::9".parse().unwrap()));
/// assert!(!block.is_public()); // kept for documentation
/// assert_eq!("198.51.100.7/24".parse::<Prefix>(), Err(PrefixError::HostBits { network: "198.51.100.0/24".parse()? }));
/// # Ok::<(), PrefixError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix {
    address: IpAddr,
    length: u8,
}

/// Why a text is no block of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrefixError {
    /// What stands before the `/` is no IP address.
    #[error("expected an IP address or a block such as 198.51.100.0/24 or 2001:db8::/32")]
    Address,
    /// The length is no number, or longer than the address.
    #[error("the length after the / has to be a number of at most {most}")]
    Length {
        /// 32 or 128.
        most: u8,
    },
    /// The address lies inside the block it is to begin.
    #[error("the address has bits beyond the length; the block it lies in is {network}")]
    HostBits {
        /// The block with those bits cleared.
        network: Prefix,
    },
}

impl Prefix {
    /// The block of this length that holds an address; the bits beyond it are cleared. None where the length is more
    /// than 32 (IPv4) or 128 (IPv6).
    #[must_use]
    pub fn of(address: IpAddr, length: u8) -> Option<Self> {
        let address = match address {
            IpAddr::V4(v4) if length <= 32 => {
                let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
                Ipv4Addr::from(u32::from(v4) & mask).into()
            }
            IpAddr::V6(v6) if length <= 128 => {
                let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
                Ipv6Addr::from(u128::from(v6) & mask).into()
            }
            _ => return None,
        };
        Some(Self { address, length })
    }

    /// The first address of the block.
    #[must_use]
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// How many leading bits all its addresses share.
    #[must_use]
    pub const fn length(&self) -> u8 {
        self.length
    }

    /// Whether an address lies in the block. An IPv4 address is not in an IPv6 block.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4() && Self::of(address, self.length) == Some(*self)
    }

    /// Whether no part of it is set aside: for private networks, loopback, documentation, multicast and the like
    /// (RFC 6890).
    #[must_use]
    pub fn is_public(&self) -> bool {
        let special = SPECIAL.iter().filter_map(|text| text.parse::<Self>().ok());
        !special.into_iter().any(|block| block.contains(self.address) || self.contains(block.address))
    }

    /// Whether it holds more addresses than one operator can have: above /8 (IPv4) or /24 (IPv6).
    #[must_use]
    pub const fn is_too_wide(&self) -> bool {
        match self.address {
            IpAddr::V4(_) => self.length < 8,
            IpAddr::V6(_) => self.length < 24,
        }
    }
}

/// What may be nobody's public address.
const SPECIAL: &[&str] = &[
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/127",
    "::ffff:0:0/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001:db8::/32",
    "3fff::/20",
    "fc00::/7",
    "fe80::/10",
    "ff00::/8",
];

impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Self, PrefixError> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| PrefixError::Address)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let length = match length {
            None => most,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().map_err(|_| PrefixError::Length { most })?
            }
            Some(_) => return Err(PrefixError::Length { most }),
        };
        let network = Self::of(address, length).ok_or(PrefixError::Length { most })?;
        if network.address == address { Ok(network) } else { Err(PrefixError::HostBits { network }) }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Prefix {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error| serde::de::Error::custom(format_args!("{text:?}: {error}")))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Prefix {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
