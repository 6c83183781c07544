//! Bytes: a file or a pipe, unpacked, and where it was cut off.

use std::io::{self, BufReader, Chain, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

use super::fault::Fault;

/// As many bytes are looked at to tell text from what is not.
const LOOK: u64 = 8 * 1024;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Yaml,
}

/// A text, unpacked where it was packed. One that was packed and breaks off ends there, and says so afterwards.
pub(super) struct Input<R: Read> {
    text: Chain<Cursor<Vec<u8>>, Unpacked<R>>,
    format: Format,
    lines: u64,
}

/// The bytes of a file, as they are or unpacked.
enum Unpacked<R: Read> {
    Plain(Packed<R>),
    Gzip { bytes: MultiGzDecoder<BufReader<Packed<R>>>, broken: bool },
}

/// The bytes of a file, after the first two were looked at.
type Packed<R> = Chain<Cursor<Vec<u8>>, R>;

impl<R: Read> Input<R> {
    /// Looks at the first bytes: packed or not, text or not, JSON or YAML.
    pub(super) fn new(mut source: R) -> Result<Self, Fault> {
        let magic = peek(&mut source, 2)?;
        let gzip = magic == [0x1f, 0x8b];
        let packed = Cursor::new(magic).chain(source);
        let mut unpacked = match gzip {
            true => Unpacked::Gzip { bytes: MultiGzDecoder::new(BufReader::new(packed)), broken: false },
            false => Unpacked::Plain(packed),
        };
        let mut head = peek(&mut unpacked, LOOK)?;
        if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
            return Err(Fault::Utf16);
        }
        if let Some(zero) = head.iter().position(|byte| *byte == 0) {
            let line = 1 + breaks(&head[..zero]);
            return Err(Fault::Binary { line });
        }
        if head.starts_with("\u{feff}".as_bytes()) {
            head.drain(..3);
        }
        let format = match head.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[') => Format::Json,
            _ => Format::Yaml,
        };
        Ok(Self { text: Cursor::new(head).chain(unpacked), format, lines: 0 })
    }

    /// How the text is written.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// The line in which a packed file broke off, once it was read to its end.
    pub(super) fn cut(&self) -> Option<u64> {
        match self.text.get_ref().1 {
            Unpacked::Gzip { broken: true, .. } => Some(self.line()),
            _ => None,
        }
    }

    /// The line that was read up to.
    pub(super) fn line(&self) -> u64 {
        self.lines + 1
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer)?;
        self.lines += breaks(&buffer[..read]);
        Ok(read)
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(bytes) => bytes.read(buffer),
            Self::Gzip { broken: true, .. } => Ok(0),
            Self::Gzip { bytes, broken } => match bytes.read(buffer) {
                Err(error) if is_damage(error.kind()) => {
                    *broken = true;
                    Ok(0)
                }
                read => read,
            },
        }
    }
}

/// Whether an error tells of the packed bytes, rather than of the disk they come from.
fn is_damage(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)
}

fn peek(source: &mut impl Read, most: u64) -> Result<Vec<u8>, Fault> {
    let mut head = Vec::new();
    source.take(most).read_to_end(&mut head).map_err(Fault::Unreadable)?;
    Ok(head)
}

fn breaks(text: &[u8]) -> u64 {
    text.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}
