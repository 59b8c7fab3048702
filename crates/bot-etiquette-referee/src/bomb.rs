//! A gzip stream of zeros that is written piece by piece, never held.
//!
//! After the gzip head comes one deflate block of fixed codes (RFC 1951 3.2.6): a literal zero, then copies of 258
//! bytes at distance 1, 13 bits each, so eight of them are 13 bytes that repeat. Its end code, checksum and length follow.

const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// Zeros that one run of eight copies decodes to.
const RUN: u64 = 8 * 258;
/// Bytes of one run.
const RUN_BYTES: u64 = 13;

/// Bytes of the stream that decodes to at least `zeros`.
pub(crate) fn length(zeros: u64) -> u64 {
    u64::try_from(head().len() + tail(zeros).len())
        .unwrap_or(u64::MAX)
        .saturating_add(runs(zeros) * RUN_BYTES)
}

/// The part of the stream from `at`, `most` bytes of it.
pub(crate) fn piece(zeros: u64, at: u64, most: usize) -> Vec<u8> {
    let (head, tail, run) = (head(), tail(zeros), run());
    let before_tail = u64::try_from(head.len()).unwrap_or_default() + runs(zeros) * RUN_BYTES;
    let byte = |at: u64| {
        let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let start = u64::try_from(head.len()).unwrap_or_default();
        if at < start {
            head.get(index(at)).copied()
        } else if at < before_tail {
            run.get(index((at - start) % RUN_BYTES)).copied()
        } else {
            tail.get(index(at - before_tail)).copied()
        }
    };
    (at..).map_while(byte).take(most).collect()
}

fn runs(zeros: u64) -> u64 {
    zeros.saturating_sub(1).div_ceil(RUN)
}

/// What comes before the runs. The block begins with 11 bits: a byte, and three bits that shift each run.
fn head() -> Vec<u8> {
    let mut bits = Bits::default();
    block_start(&mut bits);
    let mut head = HEAD.to_vec();
    head.extend(bits.whole());
    head
}

fn block_start(bits: &mut Bits) {
    bits.push(1, 1); // the last block
    bits.push(0b01, 2); // of fixed codes
    bits.code(0x30, 8); // a literal zero
}

/// One run as it stands after the three bits that the block's start leaves over.
fn run() -> Vec<u8> {
    let mut bits = Bits::default();
    block_start(&mut bits);
    // Two runs: the second begins with the bits the first left over, as every later one does.
    for _ in 0..16 {
        copy(&mut bits);
    }
    let all = bits.whole();
    all.get(1..14).unwrap_or_default().to_vec()
}

/// Length 258 is code 285, fixed code 11000101 without extra bits; distance 1 is code 0 in five bits.
fn copy(bits: &mut Bits) {
    bits.code(0b1100_0101, 8);
    bits.code(0, 5);
}

/// The end code, then the checksum and length of what decodes.
fn tail(zeros: u64) -> Vec<u8> {
    let mut bits = Bits::default();
    block_start(&mut bits);
    if runs(zeros) > 0 {
        for _ in 0..8 {
            copy(&mut bits);
        }
    }
    let before = bits.whole().len();
    bits.code(0, 7); // the end of the block
    bits.push(0, 7); // fills the last byte
    let mut tail = bits.whole().get(before..).unwrap_or_default().to_vec();
    let decoded = 1 + runs(zeros) * RUN;
    tail.truncate(2);
    tail.extend(crc_of_zeros(decoded).to_le_bytes());
    tail.extend(u32::try_from(decoded & 0xffff_ffff).unwrap_or_default().to_le_bytes());
    tail
}

/// Bits in the order of deflate: from the lowest of each byte; codes from their highest bit.
#[derive(Debug, Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        self.0.extend((0..count).map(|bit| value >> bit & 1 == 1));
    }

    fn code(&mut self, value: u32, count: u32) {
        self.0.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
    }

    /// The whole bytes so far.
    fn whole(&self) -> Vec<u8> {
        self.0
            .chunks_exact(8)
            .map(|eight| eight.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)))
            .collect()
    }
}

/// The CRC-32 of `count` zero bytes: the register is multiplied by x^(8 count), which squaring makes short.
fn crc_of_zeros(count: u64) -> u32 {
    let (mut power, mut factor, mut left) = (1_u32 << 31, 1_u32 << 23, count); // 1, and x^8 reflected
    while left > 0 {
        if left & 1 == 1 {
            power = multiply(power, factor);
        }
        factor = multiply(factor, factor);
        left >>= 1;
    }
    !multiply(u32::MAX, power)
}

/// The product of two polynomials over GF(2) modulo the CRC-32 one, highest power in the lowest bit.
fn multiply(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for bit in (0..32).rev() {
        if a >> bit & 1 == 1 {
            product ^= b;
        }
        b = if b & 1 == 1 { b >> 1 ^ 0xedb8_8320 } else { b >> 1 };
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_zeros_is_the_known_one() {
        assert_eq!(crc_of_zeros(0), 0);
        assert_eq!(crc_of_zeros(1), 0xd202_ef8d);
        assert_eq!(crc_of_zeros(4), 0x2144_df1c);
        assert_eq!(crc_of_zeros(1024), 0xefb5_af2e);
    }

    #[test]
    fn the_stream_decodes_to_zeros_with_a_good_checksum() {
        use std::io::Read;
        for zeros in [1, 2, 259, 2065, 2066, 1_000_000] {
            let stream = piece(zeros, 0, usize::MAX);
            let mut decoded = Vec::new();
            flate2::read::GzDecoder::new(stream.as_slice()).read_to_end(&mut decoded).unwrap();
            assert!(
                decoded.len() as u64 >= zeros && decoded.len() as u64 <= zeros + RUN,
                "{zeros}: {}",
                decoded.len()
            );
            assert!(decoded.iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn pieces_join_to_the_length_that_was_said() {
        for zeros in [0, 1, 2, 2065, 2066, 100_000] {
            let whole = piece(zeros, 0, usize::MAX);
            assert_eq!(whole.len() as u64, length(zeros), "{zeros}");
            let parts: Vec<u8> = (0..=whole.len() as u64 / 7).flat_map(|n| piece(zeros, n * 7, 7)).collect();
            assert_eq!(whole, parts, "{zeros}");
        }
    }
}
