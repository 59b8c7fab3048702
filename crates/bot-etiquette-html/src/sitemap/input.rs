//! The bytes of a sitemap, unpacked and decoded as they come.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use bot_etiquette_lenient::text;
use encoding_rs::{Decoder, Encoding, UTF_8};
use flate2::bufread::GzDecoder;

/// Bytes looked at to tell what the file is.
const HEAD: usize = 1_024;
const CHUNK: usize = 16 * 1_024;

/// What went wrong below the parser, seen from above it.
#[derive(Debug, Clone, Default)]
pub(super) struct Trouble(Arc<AtomicU8>);

impl Trouble {
    pub(super) const TRAILING: u8 = 1;
    pub(super) const BROKEN: u8 = 2;
    pub(super) const CUT: u8 = 4;

    pub(super) fn note(&self, what: u8) {
        self.0.fetch_or(what, Ordering::Relaxed);
    }

    /// What was noted since it was last asked.
    pub(super) fn take(&self) -> u8 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

/// A source whose first bytes are known.
pub(super) type Source<'a> = io::Chain<io::Cursor<Vec<u8>>, Box<dyn BufRead + Send + 'a>>;

/// Text at last: UTF-8, and no more of it than the limit.
pub(super) struct Input<'a> {
    pub(super) text: Recode<'a>,
    /// The start, for a look at what it is.
    pub(super) head: String,
}

/// Unpacks (twice at the most), finds the charset, and bounds what comes out.
pub(super) fn open<'a>(
    source: impl BufRead + Send + 'a,
    limit: usize,
    trouble: &Trouble,
) -> io::Result<Input<'a>> {
    let mut source: Box<dyn BufRead + Send + 'a> = Box::new(source);
    let mut head = first_bytes(&mut source)?;
    for _ in 0..2 {
        if !head.starts_with(&[0x1F, 0x8B]) {
            break;
        }
        let packed: Source<'a> = io::Cursor::new(head).chain(source);
        source = Box::new(BufReader::with_capacity(CHUNK, Unpacked::new(packed, trouble.clone())));
        head = first_bytes(&mut source)?;
    }
    let encoding = encoding(&head);
    let (decoded, _) = encoding.decode_with_bom_removal(&head);
    let shown = decoded.into_owned();
    let source: Source<'a> = io::Cursor::new(head).chain(source);
    Ok(Input { text: Recode::new(source, encoding, limit, trouble.clone()), head: shown })
}

fn first_bytes(source: &mut (impl BufRead + ?Sized)) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    source.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// A byte order mark, else the XML declaration, else UTF-8.
fn encoding(head: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    match head {
        [b'<', 0, ..] => return encoding_rs::UTF_16LE,
        [0, b'<', ..] => return encoding_rs::UTF_16BE,
        _ => {}
    }
    let declaration = head.trim_ascii_start().strip_prefix(b"<?xml").unwrap_or_default();
    let declaration = declaration.split(|byte| *byte == b'>').next().unwrap_or_default();
    let declaration = String::from_utf8_lossy(declaration);
    let label = declaration.split_once("encoding").and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        rest.get(1..)?.split(quote).next()
    });
    let named = label.and_then(|label| text::decode_as(b"", label)).map(|decoded| decoded.charset());
    let named = named.and_then(|name| Encoding::for_label(name.as_bytes()));
    // A document that could be read so far is not in UTF-16, whatever it says.
    named.filter(|named| named.is_ascii_compatible()).unwrap_or(UTF_8)
}

/// gzip members one after another; what is no member ends it, and so does a broken one.
struct Unpacked<'a> {
    member: Option<GzDecoder<Source<'a>>>,
    trouble: Trouble,
}

impl<'a> Unpacked<'a> {
    fn new(source: Source<'a>, trouble: Trouble) -> Self {
        Self { member: Some(GzDecoder::new(source)), trouble }
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            match member.read(buffer) {
                Ok(0) if !buffer.is_empty() => {
                    let Some(member) = self.member.take() else { break };
                    let mut source = member.into_inner();
                    let rest = source.fill_buf()?;
                    if rest.starts_with(&[0x1F]) {
                        self.member = Some(GzDecoder::new(source));
                    } else if !rest.is_empty() {
                        self.trouble.note(Trouble::TRAILING);
                    }
                }
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::InvalidInput
                            | io::ErrorKind::InvalidData
                            | io::ErrorKind::UnexpectedEof
                    ) =>
                {
                    self.member = None;
                    self.trouble.note(Trouble::BROKEN);
                }
                answer => return answer,
            }
        }
        Ok(0)
    }
}

/// Any charset to UTF-8.
pub(super) struct Recode<'a> {
    source: Source<'a>,
    decoder: Decoder,
    buffer: Vec<u8>,
    from: usize,
    to: usize,
    left: usize,
    ended: bool,
    trouble: Trouble,
}

impl<'a> Recode<'a> {
    fn new(source: Source<'a>, encoding: &'static Encoding, limit: usize, trouble: Trouble) -> Self {
        let decoder = encoding.new_decoder_with_bom_removal();
        // Any charset: three bytes of text for each byte read, and what the decoder had kept back.
        let buffer = vec![0; CHUNK * 3 + 64];
        Self { source, decoder, buffer, from: 0, to: 0, left: limit, ended: false, trouble }
    }

    fn refill(&mut self) -> io::Result<()> {
        (self.from, self.to) = (0, 0);
        while self.to == 0 && !self.ended {
            let bytes = self.source.fill_buf()?;
            self.ended = bytes.is_empty();
            let bytes = bytes.get(..CHUNK).unwrap_or(bytes);
            let (_, read, written, _) = self.decoder.decode_to_utf8(bytes, &mut self.buffer, self.ended);
            self.to = written;
            self.source.consume(read);
        }
        if self.to > self.left {
            self.trouble.note(Trouble::CUT);
            self.ended = true;
            self.to = self.left;
            while self.to > 0 && self.buffer.get(self.to).is_some_and(|byte| byte & 0xC0 == 0x80) {
                self.to = self.to.saturating_sub(1);
            }
        }
        self.left = self.left.saturating_sub(self.to);
        Ok(())
    }
}

impl Read for Recode<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Recode<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.from >= self.to {
            self.refill()?;
        }
        Ok(self.buffer.get(self.from..self.to).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.from = self.from.saturating_add(count);
    }
}
