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
mod tests {
    use tempfile::TempDir;

    use super::super::sample::kept_of;
    use super::*;

    const UID: &str = "ab5f0552-1b1f-4d5c-9c4e-0d2b71f40000";

    fn folder(home: &TempDir) -> Folder {
        Folder(home.path().join("state/gatewatch"))
    }

    fn names(folder: &Folder) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names.into_iter().map(|name| name.into_string().unwrap()).collect()
    }

    fn newest(folder: &Folder, uid: &str) -> (Option<i64>, Vec<Unusable>) {
        let (kept, aside) = folder.newest(&Uid(uid.into())).unwrap();
        (kept.map(|found| found.kept.memory.upgrade.generation), aside.into_iter().map(|aside| aside.why).collect())
    }

    /// Makes a file as old as that.
    fn age(folder: &Folder, name: &str, seconds: u64) {
        let file = File::options().write(true).open(folder.0.join(name)).unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        file.set_modified(written - Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn each_upgrade_has_a_file_of_its_own_that_only_its_owner_can_read() {
        let home = TempDir::new().unwrap();
        let folder = folder(&home);
        assert_eq!(newest(&folder, UID), (None, vec![]));
        for generation in [1, 2, 2] {
            folder.write(&kept_of(UID, generation, "x")).unwrap();
        }
        folder.write(&kept_of("another", 7, "x")).unwrap();
        assert_eq!(
            names(&folder),
            [1, 2]
                .map(|number| format!("{UID}-g{number}-3.0.0.json"))
                .into_iter()
                .chain(["another-g7-3.0.0.json".into()])
                .collect::<Vec<_>>()
        );
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder.0), mode(&folder.0.join("another-g7-3.0.0.json"))), (0o700, 0o600));
        assert_eq!(newest(&folder, UID), (Some(2), vec![]));
        assert_eq!(newest(&folder, "another"), (Some(7), vec![]));
    }

    #[test]
    fn a_folder_that_others_can_read_is_closed() {
        let home = TempDir::new().unwrap();
        let folder = folder(&home);
        DirBuilder::new().recursive(true).mode(0o755).create(&folder.0).unwrap();
        folder.write(&kept_of(UID, 1, "x")).unwrap();
        assert_eq!(fs::metadata(&folder.0).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_file_that_cannot_be_used_is_set_aside_and_the_one_before_it_taken() {
        let home = TempDir::new().unwrap();
        let folder = folder(&home);
        folder.write(&kept_of(UID, 1, "x")).unwrap();
        let text = fs::read(folder.0.join(name(&kept_of(UID, 1, "x").memory.upgrade))).unwrap();
        let put =
            |generation: i64, text: &[u8]| fs::write(folder.0.join(format!("{UID}-g{generation}-3.0.0.json")), text);
        put(2, &text[..text.len() / 2]).unwrap();
        put(3, b"{\"program\":\"another\"}").unwrap();
        put(4, b"{\"program\":\"gatewatch\",\"format\":99}").unwrap();
        put(5, &format::write(&kept_of("another", 5, "x")).unwrap()).unwrap();
        let unusable = vec![Unusable::Foreign, Unusable::Version, Unusable::Foreign, Unusable::Damaged];
        assert_eq!(newest(&folder, UID), (Some(1), unusable));
        assert_eq!(newest(&folder, UID), (Some(1), vec![]), "it is told once");
        let half = fs::read(folder.0.join(format!("{UID}-g2-3.0.0.json{SET_ASIDE}"))).unwrap();
        assert_eq!(half, text[..text.len() / 2]);
    }

    #[test]
    fn the_newest_upgrades_stay_and_what_is_not_ours_is_left_alone() {
        let home = TempDir::new().unwrap();
        let folder = folder(&home);
        let most = MOST_OF_ONE as i64;
        for generation in 1..=most {
            folder.write(&kept_of(UID, generation, "x")).unwrap();
            age(&folder, &format!("{UID}-g{generation}-3.0.0.json"), 3600 - generation as u64);
        }
        folder.write(&kept_of("another", 1, "x")).unwrap();
        for name in ["notes.json", "a-gx-1.json", ".unfinished-old", ".unfinished-new"] {
            fs::write(folder.0.join(name), "mine").unwrap();
        }
        age(&folder, ".unfinished-old", 2 * ABANDONED.as_secs());
        folder.write(&kept_of(UID, most + 1, "x")).unwrap();
        folder.clear(&kept_of(UID, most + 1, "x").memory.upgrade).unwrap();
        let names = names(&folder);
        assert!(!names.contains(&format!("{UID}-g1-3.0.0.json")));
        assert!(!names.contains(&".unfinished-old".into()));
        for left in ["notes.json", "a-gx-1.json", ".unfinished-new", "another-g1-3.0.0.json"] {
            assert!(names.contains(&left.into()), "{left}");
        }
        assert_eq!(names.iter().filter(|name| name.starts_with(UID)).count(), MOST_OF_ONE);
    }

    #[test]
    fn what_was_just_written_stays_though_the_clock_was_set_back() {
        let home = TempDir::new().unwrap();
        let folder = folder(&home);
        for generation in 1..=MOST_OF_ONE as i64 + 1 {
            folder.write(&kept_of(UID, generation, "x")).unwrap();
        }
        age(&folder, &format!("{UID}-g{}-3.0.0.json", MOST_OF_ONE + 1), 24 * 3600);
        folder.clear(&kept_of(UID, MOST_OF_ONE as i64 + 1, "x").memory.upgrade).unwrap();
        assert_eq!(newest(&folder, UID), (Some(MOST_OF_ONE as i64 + 1), vec![]));
        assert_eq!(names(&folder).len(), MOST_OF_ONE);
    }

    #[test]
    fn files_that_others_make_and_remove_meanwhile_are_no_fault() {
        let home = TempDir::new().unwrap();
        let folder = folder(&home);
        folder.write(&kept_of(UID, 1, "x")).unwrap();
        let (path, upgrade) = (folder.0.clone(), kept_of(UID, 1, "x").memory.upgrade);
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || {
            while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                for number in 0..20 {
                    let names = [format!("{UNFINISHED}{number}"), format!("other-g{number}-3.0.0.json")];
                    names.iter().for_each(|name| fs::write(path.join(name), "").unwrap());
                    names.iter().for_each(|name| fs::remove_file(path.join(name)).unwrap());
                }
            }
        });
        for _ in 0..500 {
            assert_eq!(newest(&folder, UID).0, Some(1));
            folder.clear(&upgrade).unwrap();
        }
        drop(stop);
        other.join().unwrap();
    }

    #[test]
    fn a_uid_or_a_version_is_no_way_out_of_the_folder() {
        let target = Some("../../../etc/\u{1b}passwd".into());
        let upgrade = Upgrade { instance: Uid("../../x/y".into()), generation: -1, target };
        assert_eq!(name(&upgrade), ".._.._x_y-g-1-.._.._.._etc__passwd.json");
        let long = Upgrade { instance: Uid("x".repeat(9_999)), generation: 1, target: Some("y".repeat(9_999)) };
        assert!(name(&long).len() < 255);
    }
}
