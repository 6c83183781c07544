//! The files under a folder, in the order of their names.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::modified;
use super::taken::Taken;
use crate::cluster::clean_sentence;
use crate::error::ExpectedError;
use crate::record::{Budget, Fault, MOST_UNPACKED, Opened};

/// As deep as folders are looked into, and as many files as are looked at: enough for any dump, and an end where somebody
/// names the root of a disk.
const DEEPEST: usize = 32;
const MOST_FILES: usize = 100_000;

/// Takes in what is under a folder. Links are not followed, and what is no file is passed over.
pub(super) fn take(folder: &Path, name: &str, taken: &mut Taken) -> Result<(), ExpectedError> {
    take_at_most(MOST_FILES, folder, name, taken)
}

fn take_at_most(most: usize, folder: &Path, name: &str, taken: &mut Taken) -> Result<(), ExpectedError> {
    taken.looks_into();
    let mut left = most;
    match under(folder, DEEPEST, &mut left, taken)? {
        Looked::AtAll => Ok(()),
        Looked::AtSome => Err(ExpectedError::usage(clean_sentence(&format!(
            "{name} holds more than {most} files; name the folder in it that holds the dump"
        )))),
    }
}

/// How much of a folder was looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looked {
    AtAll,
    AtSome,
}

fn under(folder: &Path, deeper: usize, left: &mut usize, taken: &mut Taken) -> Result<Looked, ExpectedError> {
    let unreadable = |path: &Path, error: io::Error| Fault::Unreadable(error).told_of(&format!("`{}`", path.display()));
    let read = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = read.map_err(|error| unreadable(folder, error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let Some(fewer) = left.checked_sub(1) else { return Ok(Looked::AtSome) };
        *left = fewer;
        let path = entry.path();
        let metadata = entry.metadata().map_err(|error| unreadable(&path, error))?;
        if metadata.is_dir() && deeper > 0 {
            if under(&path, deeper - 1, left, taken)? == Looked::AtSome {
                return Ok(Looked::AtSome);
            }
        } else if metadata.is_file() {
            let name = format!("`{}`", path.display());
            let opened = File::open(&path).and_then(|file| Opened::new(file, Budget::of(MOST_UNPACKED)));
            taken.found(opened.map_err(|error| unreadable(&path, error))?, &path, &name, modified(&metadata))?;
        } else {
            taken.pass_over(&path);
        }
    }
    Ok(Looked::AtAll)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_folder_of_very_many_files_is_not_the_one_that_was_meant() {
        let home = TempDir::new().unwrap();
        fs::create_dir(home.path().join("a")).unwrap();
        ["a/b", "a/c", "d"].iter().for_each(|name| fs::write(home.path().join(name), "x").unwrap());
        let read = |most| take_at_most(most, home.path(), "`it`", &mut Taken::default()).map_err(|error| error.message);
        assert_eq!(read(4), Ok(()));
        for most in [0, 1, 2, 3] {
            let told = format!("`it` holds more than {most} files; name the folder in it that holds the dump");
            assert_eq!(read(most), Err(told));
        }
    }
}
