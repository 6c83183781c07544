//! The files of the upgrades: `UID-gGENERATION-TARGET.json`. Only files of such a name are ever read, set aside or removed.
//!
//! Logs may hold secrets, so the folder and its files are for their owner alone. A file is written beside its place and
//! moved there: it is the old one or the new one, whenever the program is killed. Other programs may write and remove
//! files at the same time, so that a file that was there a moment ago may be gone.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, Metadata, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::Builder;

use super::format::{self, Kept, Unusable};
use crate::cluster::{Uid, Upgrade};

/// The most upgrades kept of one instance, and of all of them.
const MOST_OF_ONE: usize = 20;
const MOST: usize = 200;
/// The longest file that is read, in bytes; what is written is far below it.
const LONGEST: u64 = 64 * 1024 * 1024;
/// What follows the name of a file that was set aside.
const SET_ASIDE: &str = ".set-aside";
/// What begins the name of a file that is being written.
const UNFINISHED: &str = ".unfinished-";
/// How old a file that is being written gets at most before nobody writes it any more.
const ABANDONED: Duration = Duration::from_secs(3600);
/// What stands in a name between the instance and the generation.
const GENERATION: &str = "-g";
/// The most characters of a word in a name.
const LONGEST_WORD: usize = 64;

/// The folder, which need not be there yet.
#[derive(Debug)]
pub(super) struct Folder(pub(super) PathBuf);

/// A file that was set aside.
#[derive(Debug)]
pub(super) struct SetAside {
    /// Its name since.
    pub(super) name: String,
    /// Why.
    pub(super) why: Unusable,
}

/// One state of a file: nobody writes a file anew without another stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    inode: u64,
    length: u64,
    modified: (i64, i64),
}

/// What a file holds.
#[derive(Debug)]
pub(super) struct Found {
    /// What was kept.
    pub(super) kept: Kept,
    /// Which state of the file that is.
    pub(super) stamp: Stamp,
}

/// A file of ours.
struct Ours {
    path: PathBuf,
    name: String,
    instance: String,
    generation: i64,
    written: SystemTime,
    set_aside: bool,
}

impl Folder {
    /// What was kept of the newest upgrade of an instance. A file that can't be used is set aside, and the next one taken.
    ///
    /// # Errors
    /// If the folder can't be read, or a file not be set aside; that there is none is no error.
    pub(super) fn newest(&self, instance: &Uid) -> io::Result<(Option<Found>, Vec<SetAside>)> {
        let mut aside = Vec::new();
        let mut files = self.files()?;
        files.retain(|file| file.instance == sound(&instance.0) && !file.set_aside);
        files.sort_by_key(|file| Reverse(file.generation));
        for file in files {
            match read(&file.path, instance) {
                Ok(found) => return Ok((Some(found), aside)),
                Err(why) => {
                    let mut name = file.name;
                    name.push_str(SET_ASIDE);
                    fs::rename(&file.path, self.0.join(&name))?;
                    aside.push(SetAside { name, why });
                }
            }
        }
        Ok((None, aside))
    }

    /// Which state the file of an upgrade is in; `None` where there is none.
    pub(super) fn stamp(&self, upgrade: &Upgrade) -> Option<Stamp> {
        Some(Stamp::of(&fs::symlink_metadata(self.0.join(name(upgrade))).ok()?))
    }

    /// What the file of an upgrade holds; `None` where it can't be used.
    pub(super) fn read(&self, upgrade: &Upgrade) -> Option<Found> {
        read(&self.0.join(name(upgrade)), &upgrade.instance).ok()
    }

    /// Writes what is to be kept of an upgrade.
    ///
    /// # Errors
    /// If it can't be written; what was there before is then still there.
    pub(super) fn write(&self, kept: &Kept) -> io::Result<Stamp> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        if fs::metadata(&self.0)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(&self.0, Permissions::from_mode(0o700))?;
        }
        let mut file = Builder::new().prefix(UNFINISHED).tempfile_in(&self.0)?;
        file.write_all(&format::write(kept)?)?;
        file.as_file().sync_all()?;
        let file = file.persist(self.0.join(name(&kept.memory.upgrade))).map_err(|error| error.error)?;
        Ok(Stamp::of(&file.metadata()?))
    }

    /// Removes the oldest files once there are too many, and what a kill left unfinished; never the file of that upgrade,
    /// which was just written: a clock that was set back makes it seem the oldest.
    ///
    /// # Errors
    /// If the folder can't be read, or a file not be removed.
    pub(super) fn clear(&self, upgrade: &Upgrade) -> io::Result<()> {
        let (mut files, written) = (self.files()?, name(upgrade));
        files.sort_by_key(|file| file.name != written);
        let mut of_instance: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, file) in files.iter().enumerate() {
            let count = of_instance.entry(&file.instance).or_default();
            *count += 1;
            if *count > MOST_OF_ONE || index >= MOST {
                unless_gone(fs::remove_file(&file.path))?;
            }
        }
        let Some(newest) = files.first().map(|file| file.written) else { return Ok(()) };
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            if !entry.file_name().to_str().is_some_and(|name| name.starts_with(UNFINISHED)) {
                continue;
            }
            let Some(metadata) = unless_gone(entry.metadata())? else { continue };
            if newest.duration_since(metadata.modified()?).unwrap_or_default() > ABANDONED {
                unless_gone(fs::remove_file(entry.path()))?;
            }
        }
        Ok(())
    }

    /// Our files, the one written last first.
    fn files(&self) -> io::Result<Vec<Ours>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry?;
            let Some(metadata) = unless_gone(entry.metadata())? else { continue };
            if metadata.is_file() {
                files.extend(Ours::of(entry.path(), metadata.modified()?));
            }
        }
        files.sort_by(|one, other| (other.written, &other.name).cmp(&(one.written, &one.name)));
        Ok(files)
    }
}

impl Ours {
    fn of(path: PathBuf, written: SystemTime) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_owned();
        let (stem, set_aside) = match name.strip_suffix(SET_ASIDE) {
            Some(stem) => (stem, true),
            None => (name.as_str(), false),
        };
        let (instance, rest) = stem.strip_suffix(".json")?.split_once(GENERATION)?;
        let generation = rest.split('-').next()?.parse().ok()?;
        let instance = instance.to_owned();
        Some(Self { path, name, instance, generation, written, set_aside })
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        Self { inode: metadata.ino(), length: metadata.len(), modified }
    }
}

/// What a file holds, if it is of that instance.
fn read(path: &Path, instance: &Uid) -> Result<Found, Unusable> {
    let mut text = Vec::new();
    let opened = File::open(path).and_then(|file| {
        let stamp = Stamp::of(&file.metadata()?);
        file.take(LONGEST).read_to_end(&mut text).map(|_| stamp)
    });
    let stamp = opened.map_err(|_| Unusable::Unreadable)?;
    let kept = format::read(&text)?;
    if kept.memory.upgrade.instance == *instance { Ok(Found { kept, stamp }) } else { Err(Unusable::Foreign) }
}

/// What came of asking for a file; `None` where it is gone.
fn unless_gone<T>(answer: io::Result<T>) -> io::Result<Option<T>> {
    match answer {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        answer => answer.map(Some),
    }
}

/// The name of the file of an upgrade.
fn name(upgrade: &Upgrade) -> String {
    let Upgrade { instance, generation, target } = upgrade;
    let target = target.as_deref().map_or("unknown".into(), sound);
    format!("{}{GENERATION}{generation}-{target}.json", sound(&instance.0))
}

/// A word as a part of a file's name, whatever it holds.
fn sound(word: &str) -> String {
    let sound = |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
    word.chars().take(LONGEST_WORD).map(|character| if sound(character) { character } else { '_' }).collect()
}

#[cfg(test)]
mod tests;
