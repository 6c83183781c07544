//! What was read so far, and what all of it is.

use std::io::Read;
use std::path::Path;

use jiff::Timestamp;

use super::support::Signs;
use super::{COMMAND, archive};
use crate::cluster::{Kind, Pick, Selection, clean_sentence};
use crate::error::ExpectedError;
use crate::record::{self, Dump, Fault, Opened, REMEDY, Reading, Recording, START, is_utf16};

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// What was named, as errors call it.
    names: Vec<String>,
    dump: Dump,
    /// The first file that is a dump.
    a_dump: Option<String>,
    recordings: Vec<Recording>,
    /// The first file that is a recording.
    a_recording: Option<String>,
    /// Archives that were passed over.
    archives: usize,
    /// Whether a folder or an archive was looked into.
    looked_into: bool,
    /// Whether any file was read.
    read: bool,
    signs: Signs,
}

impl Taken {
    /// Notes that something was named.
    pub(super) fn names(&mut self, name: &str) {
        self.names.push(name.to_owned());
        self.signs.note(name.trim_matches('`'));
    }

    /// Notes that what was named last is a folder or an archive.
    pub(super) fn looks_into(&mut self) {
        self.looked_into = true;
    }

    /// Takes in a file that was named: it has to be one of ours.
    pub(super) fn named(
        &mut self,
        opened: Opened<impl Read>,
        name: &str,
        written: Option<Timestamp>,
    ) -> Result<(), ExpectedError> {
        let reading = record::text(opened, name).map_err(|fault| fault.told_of(name))?;
        self.put(reading, name, written);
        Ok(())
    }

    /// Takes in a file that was found in a folder or an archive, if it is one of ours.
    pub(super) fn found(
        &mut self,
        opened: Opened<impl Read>,
        path: &Path,
        name: &str,
        written: Option<Timestamp>,
    ) -> Result<(), ExpectedError> {
        let head = opened.head();
        self.archives += usize::from(archive::is_zip(head) || archive::is_tar(head));
        let to_be_read = is_ours(head) || (is_utf16(head) && is_document(path));
        if !to_be_read {
            self.pass_over(path);
            return Ok(());
        }
        match record::text(opened, name) {
            Ok(Reading::Dump(mut dump)) => {
                let before = dump.objects.len();
                // A manifest that somebody applies has the same kinds, and says nothing of a cluster.
                dump.objects.retain(|object| object.meta().created.is_some());
                match dump.objects.is_empty() && before > 0 {
                    true => self.pass_over(path),
                    false => self.put(Reading::Dump(dump), name, written),
                }
            }
            Ok(recording) => self.put(recording, name, written),
            Err(Fault::NotKubernetes { .. } | Fault::Binary { .. } | Fault::Empty) => self.pass_over(path),
            Err(fault) => return Err(fault.told_of(name)),
        }
        Ok(())
    }

    /// Notes a file that is none of ours.
    pub(super) fn pass_over(&mut self, path: &Path) {
        self.dump.passed_over += 1;
        path.iter().for_each(|part| self.signs.note(&part.to_string_lossy()));
    }

    fn put(&mut self, reading: Reading, name: &str, written: Option<Timestamp>) {
        self.read = true;
        match reading {
            Reading::Dump(dump) => {
                if !dump.is_empty() {
                    self.a_dump.get_or_insert_with(|| name.to_owned());
                }
                self.dump.add(Dump { written, ..dump });
            }
            Reading::Recording(recording) => {
                self.a_recording.get_or_insert_with(|| name.to_owned());
                self.recordings.push(recording);
            }
        }
    }

    /// What all of it is.
    pub(super) fn finish(self, asked: Option<&Selection>) -> Result<Reading, ExpectedError> {
        if let (Some(dump), Some(recording)) = (&self.a_dump, &self.a_recording) {
            return Err(ExpectedError::usage(clean_sentence(&format!(
                "{dump} shows one moment, and {recording} is a recording; read them one at a time"
            ))));
        }
        if self.dump.is_empty() && self.recordings.is_empty() {
            return Err(self.nothing());
        }
        if self.recordings.is_empty() {
            let selection = asked.cloned().unwrap_or_default();
            let untold = selection.picks().iter().map(Pick::kind).find(|kind| !self.dump.kinds.contains(kind));
            if let Some(kind) = untold {
                return Err(self.holds_none(kind, &selection, asked.is_some()));
            }
        }
        Ok(match (record::merge(self.recordings), asked) {
            (Some(recording), Some(selection)) => Reading::Recording(recording.of(selection.clone())),
            (Some(recording), None) => Reading::Recording(recording),
            (None, _) => Reading::Dump(self.dump),
        })
    }

    /// That nothing tells of what is looked for, how to add what there is none of, and, where nothing was asked for, how to
    /// ask for what there is.
    fn holds_none(self, kind: Kind, selection: &Selection, asked: bool) -> ExpectedError {
        let names = self.names.join(", ");
        let absent = selection.kinds().filter(|kind| !self.dump.kinds.contains(kind));
        let absent: Vec<_> = absent.map(short).collect();
        // It takes every pod's log, and nodes first.
        let cluster_info = !self.dump.logs.is_empty() || self.dump.others.contains_key("Node");
        let why = match kind {
            Kind::GitLabCore if cluster_info => ", as `kubectl cluster-info dump` takes none and no Job either",
            Kind::Job | Kind::GluesyncPlatform if cluster_info => ", as `kubectl cluster-info dump` takes none",
            _ => "",
        };
        let instead = if asked || cluster_info { None } else { self.instead() };
        let instead = instead.map(|instead| format!(", but {instead}")).unwrap_or_default();
        let or = if instead.is_empty() { "; add" } else { ", or add" };
        ExpectedError::usage(clean_sentence(&format!(
            "{names} holds no {kind}{why}{instead}{or} the output of `kubectl get {} -n NAMESPACE -o json` with one more `-f`",
            absent.join(",")
        )))
    }

    /// What else could be asked for, and how.
    fn instead(&self) -> Option<String> {
        let kinds = [Kind::Job, Kind::GluesyncPlatform, Kind::StatefulSet, Kind::DaemonSet, Kind::Deployment];
        let of = |kind: Kind| self.dump.objects.iter().filter(|object| object.kind() == kind).collect::<Vec<_>>();
        let (kind, objects) =
            kinds.into_iter().map(|kind| (kind, of(kind))).find(|(_, objects)| !objects.is_empty())?;
        let name = &objects.first()?.meta().name;
        let (count, plural, them) = match objects.len() {
            1 => (1, "", "it"),
            more => (more, "s", "one"),
        };
        Some(format!("{count} {kind}{plural}: name {them}, as in `{}/{name}`", kind.name().to_lowercase()))
    }

    /// Why there is nothing to tell.
    fn nothing(self) -> ExpectedError {
        let names = self.names.join(", ");
        if self.signs.are_of_kubesos() {
            return ExpectedError::usage(clean_sentence(&format!(
                "{names} is what GitLab's support script KubeSOS writes: the text of `kubectl describe` and `kubectl get`, \
                 made for people, from which states and attempts cannot be told; ask for the output of `{COMMAND}`"
            )));
        }
        if self.looked_into && self.dump.passed_over == 0 && !self.read {
            return Fault::Empty.told_of(&names);
        }
        if !self.looked_into {
            return Fault::NothingOfOurs { instead: self.dump.instead() }.told_of(&names);
        }
        let mut holds = Vec::new();
        if !self.dump.others.is_empty() || self.dump.passed_over == 0 {
            holds.push(format!("only {}", self.dump.instead()));
        }
        match (self.dump.passed_over, self.archives) {
            (0, _) => {}
            (1, 0) => holds.push("1 file that was passed over".into()),
            (1, _) => holds.push("1 archive, which was passed over: name that".into()),
            (count, 0) => holds.push(format!("{count} files that were passed over")),
            (count, _) => holds.push(format!("{count} files that were passed over, an archive among them: name that")),
        }
        ExpectedError::usage(clean_sentence(&format!(
            "{names} holds nothing that gatewatch reads, {}; {REMEDY}",
            holds.join(" and ")
        )))
    }
}

/// A kind as it is typed for `kubectl get`.
fn short(kind: Kind) -> &'static str {
    match kind {
        Kind::GitLabCore => "glc",
        Kind::GluesyncPlatform => "gsp",
        kind => kind.plural(),
    }
}

/// Whether a file that begins so may hold objects: all of them name the version of their API.
fn is_ours(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.starts_with(['{', '[']) {
        true => text.contains("\"apiVersion\""),
        false => {
            text.starts_with(START) || text.lines().any(|line| line.trim_start_matches("- ").starts_with("apiVersion:"))
        }
    }
}

/// Whether a file of that name is meant to hold JSON or YAML.
fn is_document(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["json", "yaml", "yml"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}
