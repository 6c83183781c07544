//! The files under a folder, in the order of their names.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::modified;
use super::taken::Taken;
use crate::error::ExpectedError;
use crate::record::{Budget, Fault, MOST_UNPACKED, Opened};

/// As deep as folders are looked into, and as many files as are looked at: enough for any dump, and an end where somebody
/// names the root of a disk.
const DEEPEST: usize = 32;
const MOST_FILES: usize = 100_000;

/// Takes in what is under a folder. Links are not followed, and what is no file is passed over.
pub(super) fn take(folder: &Path, name: &str, taken: &mut Taken) -> Result<(), ExpectedError> {
    taken.looks_into();
    let mut left = MOST_FILES;
    under(folder, DEEPEST, &mut left, taken)?;
    match left {
        0 => Err(ExpectedError::usage(format!(
            "{name} holds more than {MOST_FILES} files; name the folder in it that holds the dump"
        ))),
        _ => Ok(()),
    }
}

fn under(folder: &Path, deeper: usize, left: &mut usize, taken: &mut Taken) -> Result<(), ExpectedError> {
    let unreadable = |path: &Path, error: io::Error| Fault::Unreadable(error).told_of(&format!("`{}`", path.display()));
    let read = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = read.map_err(|error| unreadable(folder, error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return Ok(());
        }
        let path = entry.path();
        let metadata = entry.metadata().map_err(|error| unreadable(&path, error))?;
        if metadata.is_dir() && deeper > 0 {
            under(&path, deeper - 1, left, taken)?;
        } else if metadata.is_file() {
            let name = format!("`{}`", path.display());
            let opened = File::open(&path).and_then(|file| Opened::new(file, Budget::of(MOST_UNPACKED)));
            taken.found(opened.map_err(|error| unreadable(&path, error))?, &path, &name, modified(&metadata))?;
        } else {
            taken.pass_over(&path);
        }
    }
    Ok(())
}
