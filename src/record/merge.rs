//! Several recordings as one: `kubectl get -w` watches one kind, so that an upgrade is in several files.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{Reading, Recording, open};
use crate::cluster::{ClusterEvent, Selection};
use crate::error::ExpectedError;

/// Reads recordings, at least one, and merges them by their times. The order within each of them stays.
///
/// # Errors
/// As [`open`] for each of them; a dump, which it names; standard input (`-`) named twice, and no file at all.
pub fn open_all(paths: &[PathBuf]) -> Result<Recording, ExpectedError> {
    standard_input_once(paths)?;
    let recordings: Vec<Recording> = paths.iter().map(|path| open_recording(path)).collect::<Result<_, _>>()?;
    merge(recordings).ok_or_else(|| ExpectedError::usage("there is no recording to read; name a file"))
}

/// Fails where standard input (`-`) is named twice.
pub(crate) fn standard_input_once(paths: &[PathBuf]) -> Result<(), ExpectedError> {
    match paths.iter().filter(|path| path.as_path() == Path::new("-")).count() {
        0 | 1 => Ok(()),
        _ => Err(ExpectedError::usage("standard input can be read once; give `-` once")),
    }
}

fn open_recording(path: &Path) -> Result<Recording, ExpectedError> {
    match open(path)? {
        Reading::Recording(recording) => Ok(recording),
        Reading::Dump(_) => {
            let name = path.display();
            let hint = "a dump shows one moment, and nothing in it moves; read it with `gatewatch status -f`";
            Err(ExpectedError::usage(format!("`{name}` is no recording: {hint}")))
        }
    }
}

/// Several recordings as one, by their times, of all that they say or of what there is; `None` where there is none.
pub(crate) fn merge(recordings: Vec<Recording>) -> Option<Recording> {
    let first = recordings.iter().map(|recording| recording.first).min()?;
    let last = recordings.iter().map(|recording| recording.last).max()?;
    let mut said: Vec<Selection> = recordings.iter().filter_map(Recording::says).collect();
    said.dedup();
    let (mut timed, mut cuts) = (Vec::new(), Vec::new());
    for recording in recordings {
        cuts.extend(recording.cuts);
        timed.extend(by_newest(recording.events));
    }
    // The sort is stable: what comes at the same time keeps its order, and so does each file.
    timed.sort_by_key(|(newest, _)| *newest);
    let events = timed.into_iter().map(|(_, event)| event).collect();
    let merged = Recording { events, cuts, first, last };
    Some(match said.as_slice() {
        [] => merged.of_what_there_is(),
        [_] => merged,
        several => merged.of(Selection::of(several.iter().flat_map(Selection::picks).cloned())),
    })
}

/// Events with the newest time up to each: one that lies before its predecessor comes right behind it.
fn by_newest(events: Vec<ClusterEvent>) -> impl Iterator<Item = (Timestamp, ClusterEvent)> {
    let mut newest = Timestamp::MIN;
    events.into_iter().map(move |event| {
        newest = newest.max(event.time);
        (newest, event)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::cluster::Change;

    /// A recording of pods, by the second and the name.
    fn written(home: &TempDir, file: &str, pods: &[(u32, &str)]) -> PathBuf {
        let line = |(second, name): &(u32, &str)| {
            let object = format!(r#"{{"kind":"Pod","metadata":{{"name":"{name}"}}}}"#);
            format!("{{\"time\":\"2026-11-29T15:00:{second:02}Z\",\"type\":\"ADDED\",\"object\":{object}}}\n")
        };
        let path = home.path().join(file);
        fs::write(&path, pods.iter().map(line).collect::<String>()).unwrap();
        path
    }

    fn names(recording: &Recording) -> Vec<String> {
        let name = |event: &ClusterEvent| match &event.change {
            Change::Applied(object) => object.meta().name.clone(),
            other => panic!("{other:?}"),
        };
        recording.events.iter().map(name).collect()
    }

    #[test]
    fn recordings_are_merged_by_time_and_each_keeps_its_order() {
        let home = TempDir::new().unwrap();
        let one = written(&home, "one", &[(1, "a"), (9, "b"), (5, "c"), (20, "d")]);
        let two = written(&home, "two", &[(0, "k"), (6, "l"), (9, "m"), (30, "n")]);
        let merged = open_all(&[one, two]).unwrap();
        assert_eq!(names(&merged), ["k", "a", "l", "b", "c", "m", "d", "n"]);
        assert_eq!((merged.first, merged.last), (merged.events[0].time, merged.events[7].time));
    }

    #[test]
    fn a_cut_is_told_of_each_file() {
        let home = TempDir::new().unwrap();
        let paths = ["one", "two"].map(|file| {
            let path = written(&home, file, &[(1, "a"), (2, "b")]);
            let whole = fs::read(&path).unwrap();
            fs::write(&path, &whole[..whole.len() - 9]).unwrap();
            path
        });
        let merged = open_all(&paths).unwrap();
        assert_eq!(names(&merged), ["a", "a"]);
        let warnings: Vec<_> = merged.cuts.iter().map(|cut| cut.warning.as_str()).collect();
        assert!(
            matches!(warnings.as_slice(), [one, two] if one.contains("one") && two.contains("two")),
            "{warnings:?}"
        );
    }

    #[test]
    fn what_is_no_recording_is_named() {
        let home = TempDir::new().unwrap();
        let one = written(&home, "one", &[(1, "a")]);
        let dump = home.path().join("dump");
        fs::write(&dump, r#"{"kind":"Pod","metadata":{"name":"p"}}"#).unwrap();
        let error = open_all(&[one.clone(), dump.clone()]).unwrap_err().message;
        assert!(error.starts_with(&format!("`{}` is no recording", dump.display())), "{error}");
        let error = open_all(&[home.path().to_owned()]).unwrap_err().message;
        assert_eq!(error, format!("`{}` is a directory; name a file in it", home.path().display()));
        let error = open_all(&[one, home.path().join("none")]).unwrap_err().message;
        assert!(error.contains("there is no file") && error.contains("none"), "{error}");
    }

    #[test]
    fn standard_input_is_read_once_and_nothing_not_at_all() {
        let stdin = || PathBuf::from("-");
        assert!(open_all(&[stdin(), stdin()]).unwrap_err().message.contains("once"));
        assert!(open_all(&[]).is_err());
    }
}
