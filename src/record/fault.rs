//! Why a file cannot be read, in one sentence: the file, the line, and what to do.

use std::io;

use serde_json::error::Category;

use super::input::MOST_UNPACKED;
use crate::cluster::clean_sentence;
use crate::error::ExpectedError;

/// How a file of the right kind is made.
pub(crate) const REMEDY: &str = "write one with `kubectl get glc,jobs,pods,events,deployments -o json`";

/// Why a file cannot be read.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The system does not let us read it.
    Unreadable(io::Error),
    /// There is nothing in it.
    Empty,
    /// It is no text.
    Binary {
        /// The line of the first byte that is none.
        line: u64,
    },
    /// It is text of another encoding.
    Utf16,
    /// It ends in the middle.
    Cut {
        /// The line it ends in.
        line: u64,
    },
    /// What it unpacks to has no end.
    TooLarge,
    /// It is neither JSON nor YAML.
    Syntax {
        /// The line, where it is known.
        line: Option<u64>,
        /// What is wrong there.
        problem: String,
    },
    /// A document in it is no Kubernetes object.
    NotKubernetes {
        /// The line, where it is known.
        line: Option<u64>,
        /// What it is instead.
        problem: String,
    },
    /// It holds Kubernetes objects, and none that is of use.
    NothingOfOurs {
        /// What it holds instead, in words.
        instead: String,
    },
}

impl Fault {
    /// The fault of the file that is called `name`.
    pub(crate) fn told_of(&self, name: &str) -> ExpectedError {
        ExpectedError::usage(clean_sentence(&match self {
            Self::Unreadable(error) if error.kind() == io::ErrorKind::NotFound => {
                format!("there is no file {name}; check the path")
            }
            Self::Unreadable(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                format!("{name} may not be read; check its permissions")
            }
            Self::Unreadable(error) if error.kind() == io::ErrorKind::IsADirectory => {
                format!("{name} is a directory; name a file in it")
            }
            Self::Unreadable(error) => format!("{name} cannot be read ({error}); check the file"),
            Self::Empty => format!("{name} is empty; {REMEDY}"),
            Self::TooLarge => format!("{name} {}; unpack it, and name the files in it that count", self.problem()),
            fault => format!("{name} {}; {REMEDY}", fault.problem()),
        }))
    }

    /// What is wrong, as the rest of a sentence that begins with the file's name.
    pub(super) fn problem(&self) -> String {
        match self {
            Self::Unreadable(error) => format!("cannot be read ({error})"),
            Self::Empty => "is empty".into(),
            Self::Binary { line } => format!("is no text: line {line} holds binary data"),
            Self::Utf16 => "is UTF-16 text in line 1, as PowerShell's `>` writes it: it has to be UTF-8".into(),
            Self::Cut { line } => format!("is cut off in line {line}"),
            Self::TooLarge => format!("unpacks to more than {} GiB", MOST_UNPACKED >> 30),
            Self::Syntax { line, problem } => format!("is broken{}: {problem}", in_line(*line)),
            Self::NotKubernetes { line, problem } => {
                format!("does not come from Kubernetes{}: {problem}", in_line(*line))
            }
            Self::NothingOfOurs { instead } => format!("holds nothing that gatewatch reads, only {instead}"),
        }
    }
}

fn in_line(line: Option<u64>) -> String {
    line.map(|line| format!(" in line {line}")).unwrap_or_default()
}

/// What a list is that lacks its `kind`, which kubectl writes behind its items.
pub(super) const CUT_LIST: &str = "a list without `kind`, so it is probably cut off";
/// What a text or a number is that stands where an object belongs. It is not repeated: it may be a whole file.
const NO_OBJECT: &str = "there is text or a number where an object belongs";

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        let line = u64::try_from(error.line()).ok();
        let problem = without_place(&error.to_string());
        match error.classify() {
            Category::Io => Self::Unreadable(error.into()),
            Category::Eof => Self::Cut { line: line.unwrap_or(1) },
            Category::Syntax => Self::Syntax { line, problem },
            Category::Data if problem.starts_with("invalid type") => {
                Self::NotKubernetes { line, problem: NO_OBJECT.into() }
            }
            Category::Data => Self::of_document(line, problem),
        }
    }
}

impl From<serde_saphyr::Error> for Fault {
    fn from(error: serde_saphyr::Error) -> Self {
        let line = error.location().map(|location| location.line());
        match error.without_snippet() {
            serde_saphyr::Error::Message { msg, .. } => Self::of_document(line, msg.clone()),
            serde_saphyr::Error::SerdeInvalidType { .. } => Self::NotKubernetes { line, problem: NO_OBJECT.into() },
            error => Self::Syntax { line, problem: without_place(&error.to_string()) },
        }
    }
}

impl Fault {
    /// What is wrong with a document as such.
    fn of_document(line: Option<u64>, problem: String) -> Self {
        match problem == CUT_LIST {
            true => Self::Syntax { line, problem },
            false => Self::NotKubernetes { line, problem },
        }
    }

    /// A fault of which the parser does not tell the line: it is where the reading ended.
    pub(super) fn at_last_in(self, end: u64) -> Self {
        match self {
            Self::Syntax { line: None, problem } => Self::Syntax { line: Some(end), problem },
            fault => fault,
        }
    }

    /// A fault in the first document of a file begins in its first line, where the parser does not tell.
    pub(super) fn in_first_document(self) -> Self {
        match self {
            Self::NotKubernetes { line: None, problem } => Self::NotKubernetes { line: Some(1), problem },
            fault => fault,
        }
    }
}

/// The message of a parser, without the place that we name ourselves.
fn without_place(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.split(" at line ").next().unwrap_or_default().to_owned()
}
