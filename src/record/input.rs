//! Bytes: a file or a pipe, unpacked, and where it was cut off; and the text that they are.

use std::cell::Cell;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;

use super::fault::Fault;
use super::printed::{PrintedLog, WithoutLogs};

/// As many bytes are looked at to tell text from what is not.
const LOOK: u64 = 8 * 1024;
/// The most bytes that anything packed is unpacked to: ten times what the largest recordings take.
pub(crate) const MOST_UNPACKED: u64 = 2 * 1024 * 1024 * 1024;
/// As many bytes are taken at once.
const BLOCK: usize = 64 * 1024;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Yaml,
}

/// How many bytes may still be unpacked: by one file, or by all that are in an archive together.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Rc<Cell<u64>>);

impl Budget {
    /// One of so many bytes.
    pub(crate) fn of(bytes: u64) -> Self {
        Self(Rc::new(Cell::new(bytes)))
    }

    /// Whether more was asked for than there is.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    fn spend(&self, bytes: usize) -> io::Result<()> {
        self.0.set(self.0.get().saturating_sub(bytes as u64));
        if self.is_spent() { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) }
    }
}

/// Bytes, as many as the budget allows.
pub(crate) struct Within<R>(pub(crate) R, pub(crate) Budget);

impl<R: Read> Read for Within<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.spend(read).map(|()| read)
    }
}

/// A file or a pipe, unpacked where it was packed, of which the beginning was looked at.
pub(crate) struct Opened<R: Read> {
    head: Vec<u8>,
    rest: Unpacked<R>,
}

/// All of the bytes of a file.
pub(crate) type Whole<R> = Chain<Cursor<Vec<u8>>, Unpacked<R>>;

/// The bytes of a file, as they are or unpacked. What was packed and breaks off ends there, and says so afterwards.
pub(crate) enum Unpacked<R: Read> {
    /// As they are.
    Plain(Packed<R>),
    /// Unpacked.
    Gzip {
        /// The bytes, as many as may be.
        bytes: Box<Within<MultiGzDecoder<BufReader<Packed<R>>>>>,
        /// Whether they broke off.
        broken: bool,
    },
}

/// The bytes of a file, after the first two were looked at.
type Packed<R> = Chain<Cursor<Vec<u8>>, R>;

impl<R: Read> Opened<R> {
    /// Looks at the first bytes.
    pub(crate) fn new(mut source: R, budget: Budget) -> io::Result<Self> {
        let magic = peek(&mut source, 2)?;
        let gzip = magic == [0x1f, 0x8b];
        let packed = Cursor::new(magic).chain(source);
        let mut rest = match gzip {
            true => {
                let bytes = MultiGzDecoder::new(BufReader::with_capacity(BLOCK, packed));
                Unpacked::Gzip { bytes: Box::new(Within(bytes, budget)), broken: false }
            }
            false => Unpacked::Plain(packed),
        };
        Ok(Self { head: peek(&mut rest, LOOK)?, rest })
    }

    /// The first bytes, unpacked.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// All of the bytes, unpacked.
    pub(crate) fn whole(self) -> Whole<R> {
        Cursor::new(self.head).chain(self.rest)
    }
}

impl<R: Read> Unpacked<R> {
    /// Whether it was packed, and broke off.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self, Self::Gzip { broken: true, .. })
    }

    fn is_too_large(&self) -> bool {
        matches!(self, Self::Gzip { bytes, .. } if bytes.1.is_spent())
    }
}

/// A text, and the logs that stood in it.
pub(super) struct Input<R: Read> {
    text: WithoutLogs<BufReader<Whole<R>>>,
    format: Format,
    lines: u64,
}

impl<R: Read> Input<R> {
    /// Looks whether it is text, and whether that is JSON or YAML.
    pub(super) fn new(opened: Opened<R>) -> Result<Self, Fault> {
        let Opened { mut head, rest } = opened;
        if is_utf16(&head) {
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
        let text = WithoutLogs::new(BufReader::with_capacity(BLOCK, Cursor::new(head).chain(rest)));
        Ok(Self { text, format, lines: 0 })
    }

    /// How the text is written.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// The logs that stood between its documents, as far as it was read.
    pub(super) fn take_logs(&mut self) -> Vec<PrintedLog> {
        self.text.take_logs()
    }

    /// Why a packed file ended before its end, once it was read up to there.
    pub(super) fn fault(&self) -> Option<Fault> {
        let unpacked = self.text.get_ref().get_ref().get_ref().1;
        match unpacked {
            unpacked if unpacked.is_too_large() => Some(Fault::TooLarge),
            unpacked if unpacked.is_broken() => Some(Fault::Cut { line: self.line() }),
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

fn peek(source: &mut impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    source.take(most).read_to_end(&mut head)?;
    Ok(head)
}

fn breaks(text: &[u8]) -> u64 {
    text.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

/// Whether a text that begins so is in UTF-16, which is not read.
pub(crate) fn is_utf16(head: &[u8]) -> bool {
    head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff])
}
