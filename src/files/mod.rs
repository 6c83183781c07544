//! What a person names to be read: files, folders and archives, put together as one dump or one recording.
//!
//! In come paths; out comes a [`Reading`]. A file that is named has to be readable. In a folder or an archive, at any depth,
//! files that do not look like objects of Kubernetes are passed over and counted, and one that does and is cut off or
//! broken is an error: half a dump would show half a cluster. Nothing is written to a disk, and what an archive unpacks to
//! is bounded. An archive in an archive or in a folder is not opened.
//!
//! | file | holds |
//! |---|---|
//! | `taken` | what was read so far, and what all of it is |
//! | `archive` | tar and zip |
//! | `folder` | the files under a folder |
//! | `support` | archives of GitLab's support script, which hold no objects |

mod archive;
mod folder;
mod support;
mod taken;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::cluster::Selection;
use crate::error::ExpectedError;
use crate::record::{Budget, Fault, MOST_UNPACKED, Opened, Reading, standard_input_once};
use archive::Unpacked;
use taken::Taken;

/// The command whose output holds all that gatewatch reads.
pub(crate) const COMMAND: &str = "kubectl get glc,jobs,pods,events,deployments -n NAMESPACE -o json";

/// Reads files, folders and archives, at least one, as one; standard input where a path is `-`. Several dumps are one dump,
/// and several recordings are merged by their times. A recording is of what is asked for, where that is said, and else of what
/// it tells.
///
/// # Errors
/// What can't be read, is cut off or broken, or holds nothing that gatewatch reads, or, as a dump, nothing of what is asked
/// for; dumps and recordings together; standard input named twice. One sentence with the file's name, the line where there is
/// one, and what to do; exit code 2.
pub fn open(paths: &[PathBuf], asked: Option<&Selection>) -> Result<Reading, ExpectedError> {
    standard_input_once(paths)?;
    let mut taken = Taken::default();
    for path in paths {
        take(path, &mut taken)?;
    }
    taken.finish(asked)
}

fn take(path: &Path, taken: &mut Taken) -> Result<(), ExpectedError> {
    if path == Path::new("-") {
        return source(io::stdin().lock(), "standard input", None, taken);
    }
    let name = format!("`{}`", path.display());
    let unreadable = |error| Fault::Unreadable(error).told_of(&name);
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        taken.names(&name);
        return folder::take(path, &name, taken);
    }
    source(File::open(path).map_err(unreadable)?, &name, modified(&metadata), taken)
}

/// Reads a file that was named, whatever it is, or standard input.
fn source(bytes: impl Read, name: &str, written: Option<Timestamp>, taken: &mut Taken) -> Result<(), ExpectedError> {
    source_within(bytes, name, written, &Budget::of(MOST_UNPACKED), taken)
}

fn source_within(
    bytes: impl Read,
    name: &str,
    written: Option<Timestamp>,
    budget: &Budget,
    taken: &mut Taken,
) -> Result<(), ExpectedError> {
    taken.names(name);
    let opened = Opened::new(bytes, budget.clone()).map_err(|error| Fault::Unreadable(error).told_of(name))?;
    match () {
        () if archive::is_zip(opened.head()) => Unpacked { name, written, budget, taken }.take_zip(opened.whole()),
        () if archive::is_tar(opened.head()) => Unpacked { name, written, budget, taken }.take_tar(opened.whole()),
        () => taken.named(opened, name, written),
    }
}

/// When a file was last written.
fn modified(metadata: &fs::Metadata) -> Option<Timestamp> {
    Timestamp::try_from(metadata.modified().ok()?).ok()
}
