//! The DNS names of a certificate: a walk over its DER that looks at nothing else.

const SEQUENCE: u8 = 0x30;
const OBJECT_ID: u8 = 0x06;
const OCTETS: u8 = 0x04;
/// The field of a certificate that holds its extensions.
const EXTENSIONS: u8 = 0xa3;
/// A general name that is a DNS name.
const DNS_NAME: u8 = 0x82;
/// 2.5.29.17, the subject's alternative names.
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];

/// The part of a certificate that its issuer signed.
pub(super) fn to_be_signed(certificate: &[u8]) -> Option<&[u8]> {
    let (SEQUENCE, inside, []) = element(certificate)? else { return None };
    let (SEQUENCE, ..) = element(inside)? else { return None };
    Some(inside)
}

/// The DNS names among the subject's alternative names; none where the bytes are no certificate.
///
/// `to_sign` begins with the part that is signed; what follows it is not looked at. Common names are left out: they name
/// nothing that the alternative names do not.
pub(super) fn dns_names(to_sign: &[u8]) -> Vec<String> {
    let Some((SEQUENCE, fields, _)) = element(to_sign) else { return Vec::new() };
    let list = children(fields).find(|(tag, _)| *tag == EXTENSIONS).and_then(|(_, list)| element(list));
    let Some((SEQUENCE, extensions, _)) = list else { return Vec::new() };
    let names = children(extensions).find_map(|(_, extension)| {
        let mut parts = children(extension);
        let is_wanted = parts.next() == Some((OBJECT_ID, SUBJECT_ALT_NAME));
        // Whether the extension is critical stands in between, or nothing does.
        let (_, value) = parts.find(|(tag, _)| *tag == OCTETS).filter(|_| is_wanted)?;
        element(value)
    });
    let Some((SEQUENCE, names, _)) = names else { return Vec::new() };
    let name = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    children(names).filter(|(tag, _)| *tag == DNS_NAME).filter_map(|(_, bytes)| name(bytes)).collect()
}

/// The elements one after the other; it ends where one cannot be read.
fn children(bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (tag, inside, after) = element(rest)?;
        rest = after;
        Some((tag, inside))
    })
}

/// Tag and content of the first element, and what follows it. Only tags of one byte occur here.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0x00..=0x7f => (usize::from(*first), rest),
        // No certificate has 2^24 bytes.
        0x81..=0x83 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 3))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    let (inside, after) = rest.split_at_checked(length)?;
    Some((*tag, inside, after))
}
