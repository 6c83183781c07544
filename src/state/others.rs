//! What several programs keep of the same upgrade at the same time: each of them writes the whole file, and what one of
//! them saw while another was stopped, or could not reach the cluster, must outlive the other's writing.
//!
//! Before a file is written, it is looked at: where somebody else wrote it since, what it holds is taken along. Two that
//! write in the same instant may miss each other; the next writing of either makes up for it.

use std::collections::BTreeMap;
use std::io;

use super::Kept;
use super::folder::{Folder, Found, Stamp};

/// What is known of the files, by the instance and the generation of the upgrade.
#[derive(Debug, Default)]
pub(super) struct Others(BTreeMap<(String, i64), Known>);

/// What is known of a file.
#[derive(Debug)]
struct Known {
    /// The state it was in when we last read or wrote it.
    stamp: Stamp,
    /// What others wrote into it since our program goes on from it.
    theirs: Option<Kept>,
}

impl Others {
    /// Our program goes on from what was found: all that is in it is ours from now on.
    pub(super) fn resume(&mut self, found: &Found) {
        self.0.insert(key(&found.kept), Known { stamp: found.stamp, theirs: None });
    }

    /// Writes what is to be kept, and with it what others wrote.
    ///
    /// # Errors
    /// If it can't be written; what was there before is then still there.
    pub(super) fn write(&mut self, kept: Kept, folder: &Folder) -> io::Result<()> {
        let key = key(&kept);
        let known = self.0.remove(&key);
        let (stamp, before) = known.map(|known| (known.stamp, known.theirs)).unzip();
        let now = folder.stamp(&kept.memory.upgrade);
        let news = if now == stamp { None } else { folder.read(&kept.memory.upgrade) };
        let theirs = match news {
            Some(found) => Some(found.kept.and(before.flatten())),
            None => before.flatten(),
        };
        let written = folder.write(&kept.and(theirs.clone()));
        if let Some(stamp) = written.as_ref().ok().copied().or(now) {
            self.0.insert(key, Known { stamp, theirs });
        }
        written.map(drop)
    }
}

impl Kept {
    /// That, and what another program kept of the same upgrade.
    fn and(self, other: Option<Self>) -> Self {
        let Some(Self { journal, memory, .. }) = other else { return self };
        Self { about: self.about, journal: self.journal.and(journal), memory: self.memory.and(memory) }
    }
}

fn key(kept: &Kept) -> (String, i64) {
    (kept.memory.upgrade.instance.0.clone(), kept.memory.upgrade.generation)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::super::format;
    use super::super::sample::kept_of;
    use super::*;
    use crate::cluster::Uid;

    /// A program: its folder, and what it knows of the files.
    struct Program(Folder, Others);

    impl Program {
        fn new(home: &TempDir) -> Self {
            Self(Folder(home.path().join("state")), Others::default())
        }

        fn resume(&mut self) -> Kept {
            let found = self.0.newest(&Uid("u".into())).unwrap().0.unwrap();
            self.1.resume(&found);
            found.kept
        }

        fn write(&mut self, message: &str) {
            self.1.write(kept_of("u", 1, message), &self.0).unwrap();
        }

        fn text(&self) -> String {
            format!("{:?}", self.0.newest(&Uid("u".into())).unwrap().0.unwrap().kept)
        }
    }

    #[test]
    fn what_two_programs_keep_of_one_upgrade_survives_the_writing_of_either() {
        let home = TempDir::new().unwrap();
        let (mut one, mut other) = (Program::new(&home), Program::new(&home));
        one.write("first");
        other.resume();
        let text = String::from_utf8(format::write(&kept_of("u", 1, "first")).unwrap()).unwrap();
        let evidence = format::read(text.replace("containerd://2", "containerd://7").as_bytes()).unwrap();
        other.1.write(evidence, &other.0).unwrap();
        for _ in 0..2 {
            one.write("first");
            assert_eq!(one.text().matches("rake aborted!").count(), 2, "its own log, and theirs");
        }
        let both = one.text();
        let all = other.resume();
        other.1.write(all, &other.0).unwrap();
        assert_eq!(other.text(), both);
    }

    #[test]
    fn what_was_resumed_from_is_not_read_again_and_what_somebody_else_wrote_is_once() {
        let home = TempDir::new().unwrap();
        let (mut one, mut other) = (Program::new(&home), Program::new(&home));
        one.write("x");
        other.resume();
        other.write("x");
        let theirs = |program: &Program| program.1.0.values().next().unwrap().theirs.is_some();
        assert!(!theirs(&other), "nobody else wrote");
        one.write("x");
        assert!(theirs(&one));
        one.resume();
        assert!(!theirs(&one));
    }

    #[test]
    fn a_file_that_was_removed_or_damaged_meanwhile_is_written_anew() {
        let home = TempDir::new().unwrap();
        let mut program = Program::new(&home);
        program.write("x");
        let file = fs::read_dir(&program.0.0).unwrap().next().unwrap().unwrap().path();
        fs::write(&file, "{").unwrap();
        program.write("x");
        assert!(program.text().contains("rake aborted!"));
        fs::remove_file(&file).unwrap();
        program.write("x");
        assert!(program.text().contains("rake aborted!"));
    }
}
