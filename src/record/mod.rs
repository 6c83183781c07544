//! Recordings: how they are written, and read; and what `kubectl get` prints, which is read as well.
//!
//! To write one, in comes every event that a source says; out goes a file. To read, in comes a file or standard input, plain
//! or gzip, JSON or YAML; out comes a [`Reading`]: the objects of a dump, or the events of a recording in their order.
//! Whatever `kubectl` can print is read: a `List`, a list of one kind, one object, several documents one after the other, and
//! the events of `kubectl get -w --output-watch-events`. A recording is such events, one JSON line each, with the `time` of
//! their arrival added, and what is no object keeps that shape.
//!
//! Objects are reduced to what gatewatch needs as they are read, so a file may be far larger than the memory it takes.
//!
//! | file | holds |
//! |---|---|
//! | `input` | bytes: the file, gzip, where it was cut off |
//! | `document` | one document of JSON or YAML |
//! | `gather` | documents put together: a dump or a recording |
//! | `fault` | why a file cannot be read, in one sentence |
//! | `dump` | what a dump holds, and what a source would say of it |
//! | `printed` | the logs that stand between the documents of a dump |
//! | `merge` | several recordings as one |
//! | `selected` | what a recording is of |
//! | `encode` | the lines of an event: the format |
//! | `redact` | what a recording leaves out |
//! | `present` | what is there by what was recorded so far |
//! | `writer` | the thread that writes, and what ends a recording |
//! | `when` | which fields hold times, and the time of an event that was recorded without |

mod document;
mod dump;
mod encode;
mod fault;
mod gather;
mod input;
mod merge;
mod present;
mod printed;
#[cfg(test)]
mod properties;
mod redact;
mod selected;
mod when;
mod writer;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::cluster::ClusterEvent;
use crate::error::ExpectedError;
use document::Document;
use gather::Gathered;
use input::{Format, Input};

pub use dump::Dump;
pub(crate) use fault::{Fault, REMEDY};
pub(crate) use input::{Budget, MOST_UNPACKED, Opened, Whole, Within, is_utf16};
pub use merge::open_all;
pub(crate) use merge::{merge, standard_input_once};
pub use printed::PrintedLog;
pub(crate) use printed::START;
pub(crate) use when::is_time;
pub use writer::{Pen, Recorder, Written};

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// The objects of a cluster at one moment.
    Dump(Dump),
    /// What happened in a cluster.
    Recording(Recording),
}

/// What happened in a cluster, as one recording tells it, or several together.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The events in the order of the file, at least one. Kinds come on streams of their own, so the times of
    /// neighbours can be out of order by milliseconds; each keeps its own.
    pub events: Vec<ClusterEvent>,
    /// Where it was cut off, if it was: once for each file that was.
    pub cuts: Vec<Cut>,
    /// The earliest time of an event.
    pub first: Timestamp,
    /// The latest time of an event.
    pub last: Timestamp,
}

/// Where a recording stopped being readable. What comes before is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// A sentence: the file, the line, and what was made of it.
    pub warning: String,
}

/// Reads a file, or standard input where the path is `-`.
///
/// # Errors
/// A file that is missing, a directory, empty, binary, cut off, not Kubernetes, or without an object of a kind that
/// gatewatch reads: one sentence with the file's name, the line where there is one, and what to do; exit code 2.
pub fn open(path: &Path) -> Result<Reading, ExpectedError> {
    if path == Path::new("-") {
        return read(io::stdin().lock(), "standard input");
    }
    let name = format!("`{}`", path.display());
    read(File::open(path).map_err(|error| Fault::Unreadable(error).told_of(&name))?, &name)
}

/// Reads what `source` holds; `name` is how errors call it.
///
/// # Errors
/// As [`open`].
pub fn read(source: impl Read, name: &str) -> Result<Reading, ExpectedError> {
    let opened = Opened::new(source, Budget::of(MOST_UNPACKED)).map_err(Fault::Unreadable);
    let reading = opened.and_then(|opened| text(opened, name)).map_err(|fault| fault.told_of(name))?;
    match &reading {
        Reading::Dump(dump) if dump.is_empty() => Err(Fault::NothingOfOurs { instead: dump.instead() }.told_of(name)),
        _ => Ok(reading),
    }
}

/// Reads one text, which may be a dump that holds nothing of ours; `name` is how a recording that was cut off calls it.
pub(crate) fn text(opened: Opened<impl Read>, name: &str) -> Result<Reading, Fault> {
    let mut input = Input::new(opened)?;
    let mut gathered = Gathered::default();
    let parsed = match input.format() {
        Format::Json => take_all(json_documents(&mut input), &mut gathered),
        Format::Yaml => take_all(yaml_documents(&mut input), &mut gathered),
    };
    let fault = match (input.fault(), parsed) {
        // What ended the bytes explains what the parser stumbled over, and tells of a document that seems whole that it
        // may not be.
        (Some(fault), _) => Some(fault),
        (None, Ok(())) if gathered.is_in_list() => Some(Fault::Cut { line: input.line() }),
        (None, parsed) => parsed.err().map(|fault| fault.at_last_in(input.line())),
    };
    gathered.finish(fault, input.take_logs(), name)
}

fn take_all(documents: impl Iterator<Item = Result<Document, Fault>>, gathered: &mut Gathered) -> Result<(), Fault> {
    documents.into_iter().try_for_each(|document| document.map(|document| gathered.take(document)))
}

fn json_documents<T: DeserializeOwned>(input: impl Read) -> impl Iterator<Item = Result<T, Fault>> {
    serde_json::Deserializer::from_reader(BufReader::new(input))
        .into_iter()
        .map(|document| document.map_err(Fault::from))
}

/// The documents of a YAML file. The limits of the library are meant for configuration; a dump of ten thousand pods has
/// millions of nodes, and a person who chose the file stands behind it. Its limits on aliases stay.
fn yaml_documents<'a, T: DeserializeOwned + 'a>(
    input: &'a mut impl Read,
) -> impl Iterator<Item = Result<T, Fault>> + 'a {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_reader_input_bytes: None,
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_total_scalar_bytes: usize::MAX,
        },
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    };
    serde_saphyr::read_with_options(input, options).enumerate().map(|(index, document)| {
        document.map_err(|error| match Fault::from(error) {
            fault if index == 0 => fault.in_first_document(),
            fault => fault,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::cluster::{Change, Kind, WatchState};

    const JOB: &str = r#"{"kind":"Job","metadata":{"name":"j","creationTimestamp":"2026-11-29T15:00:00Z"}}"#;
    const POD: &str = r#"{"kind":"Pod","metadata":{"name":"p"}}"#;

    fn line(seconds: u32, what: &str, object: &str) -> String {
        format!("{{\"time\":\"2026-11-29T15:00:{seconds:02}Z\",\"type\":\"{what}\",\"object\":{object}}}\n")
    }

    fn recording(text: impl AsRef<[u8]>) -> Recording {
        match read(text.as_ref(), "`it`").unwrap() {
            Reading::Recording(recording) => recording,
            Reading::Dump(_) => panic!("a dump"),
        }
    }

    fn dump(text: &str) -> Vec<String> {
        match read(text.as_bytes(), "`it`").unwrap() {
            Reading::Dump(dump) => dump.objects.iter().map(|object| object.meta().name.clone()).collect(),
            Reading::Recording(_) => panic!("a recording"),
        }
    }

    fn error(text: impl AsRef<[u8]>) -> String {
        read(text.as_ref(), "`it`").unwrap_err().message
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        gzip.finish().unwrap()
    }

    #[test]
    fn events_keep_their_order_and_their_own_times() {
        let read = recording(line(2, "ADDED", JOB) + &line(1, "MODIFIED", POD) + &line(3, "DELETED", POD));
        let seconds: Vec<_> = read.events.iter().map(|event| event.time.to_string()).collect();
        assert_eq!(seconds, ["2026-11-29T15:00:02Z", "2026-11-29T15:00:01Z", "2026-11-29T15:00:03Z"]);
        assert!(matches!(read.events[1].change, Change::Applied(_)));
        assert!(matches!(read.events[2].change, Change::Deleted(_)));
        assert_eq!((read.first, read.last), (read.events[1].time, read.events[2].time));
    }

    #[test]
    fn bookmarks_are_signs_of_life_and_errors_are_passed_over() {
        let status = r#"{"kind":"Status","code":410}"#;
        let bookmark = r#"{"kind":"Job","metadata":{"resourceVersion":"5"}}"#;
        let read = recording(line(1, "ADDED", JOB) + &line(2, "ERROR", status) + &line(3, "BOOKMARK", bookmark));
        assert_eq!(read.events.len(), 2);
        assert_eq!(read.events[1].change, Change::Alive(Kind::Job));
    }

    #[test]
    fn watch_events_without_a_time_advance_by_what_their_objects_tell() {
        let deployment = r#"{"kind":"Deployment","metadata":{"name":"d"}}"#;
        let later = JOB.replace("15:00:00", "15:00:40");
        let text = [POD, JOB, deployment, &later, JOB]
            .map(|object| format!("{{\n  \"type\": \"MODIFIED\",\n  \"object\": {object}\n}}\n"))
            .concat();
        let times: Vec<_> =
            recording(text).events.iter().map(|event| event.time.strftime("%M:%S").to_string()).collect();
        assert_eq!(times, ["00:00", "00:00", "00:00", "00:40", "00:40"]);
    }

    #[test]
    fn several_documents_one_after_the_other_are_one_dump() {
        assert_eq!(dump(&format!("{JOB}{POD}\n{JOB}")), ["j", "p", "j"]);
        let yaml = "---\nkind: Job\nmetadata:\n  name: j\n---\n# nothing\n---\nkind: Pod\nmetadata: {name: p}\n";
        assert_eq!(dump(yaml), ["j", "p"]);
    }

    #[test]
    fn a_list_reads_the_same_in_json_and_yaml() {
        assert_eq!(dump(&format!(r#"{{"kind":"List","items":[{JOB},{POD}]}}"#)), ["j", "p"]);
        let yaml = "apiVersion: v1\nitems:\n- kind: Job\n  metadata:\n    name: j\nkind: List\n";
        assert_eq!(dump(yaml), ["j"]);
    }

    #[test]
    fn a_byte_order_mark_and_blank_lines_do_not_matter() {
        assert_eq!(dump(&format!("\u{feff}\n\n {JOB}")), ["j"]);
    }

    #[test]
    fn gzip_is_known_by_its_first_bytes() {
        assert_eq!(recording(gzip(&line(1, "ADDED", JOB))), recording(line(1, "ADDED", JOB)));
    }

    #[test]
    fn a_recording_that_was_cut_off_is_used_up_to_the_cut() {
        let whole = line(1, "ADDED", JOB) + &line(2, "ADDED", POD);
        let read = recording(&whole[..whole.len() - 20]);
        assert_eq!(read.events.len(), 1);
        assert_eq!(read.cuts[0].warning, "`it` is cut off in line 2; what comes before is used");
    }

    #[test]
    fn a_recording_with_a_broken_line_is_used_up_to_that_line() {
        let read = recording(line(1, "ADDED", JOB) + "error: lost connection\n" + &line(2, "ADDED", POD));
        assert_eq!(read.events.len(), 1);
        let warning = &read.cuts[0].warning;
        assert!(warning.starts_with("`it` is broken in line 2: "), "{warning}");
    }

    #[test]
    fn a_recording_whose_gzip_breaks_off_is_used_up_to_there() {
        let lines: String =
            (0..60).map(|second| line(second, "ADDED", &JOB.replace('j', &format!("j{second}")))).collect();
        let packed = gzip(&lines);
        let read = recording(&packed[..packed.len() * 3 / 4]);
        let count = read.events.len();
        assert!((1..60).contains(&count), "{count}");
        let warning = &read.cuts[0].warning;
        assert_eq!(*warning, format!("`it` is cut off in line {}; what comes before is used", count + 1));
    }

    #[test]
    fn a_list_that_was_cut_off_between_two_lines_is_left_out_and_that_is_told() {
        let begins = r#"{"kind":"Pod","metadata":{"annotations":{"gatewatch/list-begins":""}}}"#;
        let ends = r#"{"kind":"Pod","metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}"#;
        let half = line(1, "ADDED", JOB) + &line(2, "BOOKMARK", begins) + &line(2, "ADDED", POD);
        let read = recording(&half);
        assert_eq!(read.events.len(), 1);
        assert_eq!(read.cuts[0].warning, "`it` is cut off in line 4; what comes before is used");
        let whole = recording(half + &line(2, "BOOKMARK", ends));
        assert!(matches!(&whole.events[1].change, Change::Replaced { objects, .. } if objects.len() == 1));
        assert_eq!(whole.cuts, []);
    }

    #[test]
    fn a_list_is_ended_by_its_own_mark_and_holds_its_own_kind_alone() {
        let mark = |kind, marks| format!(r#"{{"kind":"{kind}","metadata":{{"annotations":{{{marks}}}}}}}"#);
        let (begins, ends) = (r#""gatewatch/list-begins":"""#, r#""k8s.io/initial-events-end":"true""#);
        let lines = [
            line(1, "BOOKMARK", &mark("Pod", begins)),
            line(1, "ADDED", POD),
            line(2, "BOOKMARK", &mark("Job", ends)),
            line(2, "BOOKMARK", &mark("Pod", "")),
            line(3, "ADDED", JOB),
            line(4, "BOOKMARK", &mark("Pod", ends)),
        ];
        let told = recording(lines.concat()).events.into_iter().map(|event| match event.change {
            Change::Replaced { kind, objects, .. } => format!("{} {kind}", objects.len()),
            Change::Applied(object) => format!("one {}", object.kind()),
            Change::Alive(kind) => format!("alive {kind}"),
            other => format!("{other:?}"),
        });
        assert_eq!(told.collect::<Vec<_>>(), ["alive Job", "alive Pod", "one Job", "1 Pod"]);
    }

    #[test]
    fn lines_of_ours_that_make_no_sense_are_passed_over_and_what_the_others_say_is_cleaned() {
        let wrong = [
            ("LOG", "5"),
            ("LOG", "{}"),
            ("WATCH", r#"{"of":"Pod"}"#),
            ("WATCH", r#"{"of":"Secret","state":"Undefined"}"#),
            ("LATER", "[]"),
        ];
        let forbidden = r#"{"of":"Pod","state":"Forbidden","message":"not\u001b[2J you\u202e"}"#;
        let wrong = wrong.map(|(what, object)| line(1, what, object)).concat();
        let read = recording(wrong + &line(2, "WATCH", forbidden));
        let state = WatchState::Forbidden { message: "not you".into(), heard: None };
        let told: Vec<_> = read.events.into_iter().map(|event| event.change).collect();
        assert_eq!(told, [Change::Watch { kind: Kind::Pod, state }]);
    }

    #[test]
    fn a_dump_that_was_cut_off_is_refused_as_it_would_show_half_a_cluster() {
        let list = format!("{{\"kind\":\"List\",\"items\":[\n{JOB},\n{POD}");
        assert!(error(&list).starts_with("`it` is cut off in line 3; write one with `kubectl get"), "{}", error(&list));
        let whole = format!("{JOB}\n{POD}\n");
        let packed = gzip(&whole);
        assert!(error(&packed[..packed.len() - 4]).starts_with("`it` is cut off in line 3"));
        assert!(error("items:\n- kind: Job\n  metadata: {name: j}\n").contains("probably cut off"));
    }

    #[test]
    fn what_is_no_dump_is_refused_with_the_line_and_what_to_do() {
        for (text, start) in [
            ("", "`it` is empty; write one with"),
            (" \n\n", "`it` is empty"),
            ("# nothing\n", "`it` is empty"),
            ("a\nb\0", "`it` is no text: line 2 holds binary data; write"),
            ("{\"kind\":\n!", "`it` is broken in line 2: expected value; write"),
            ("{\n}", "`it` does not come from Kubernetes in line 2: no Kubernetes object, as it has no `kind`; write"),
            ("just some text\n", "`it` does not come from Kubernetes in line 1: "),
            ("a: [1\nb: 2", "`it` is broken in line 2: "),
            (r#"{"kind":"Secret"}"#, "`it` holds nothing that gatewatch reads, only Secret (1 object); write"),
            (r#"{"kind":"List","items":[]}"#, "`it` holds nothing that gatewatch reads, only an empty list; write"),
        ] {
            let error = error(text);
            assert!(error.starts_with(start), "{text:?} gives {error}");
            assert!(!error.contains('\n'), "{error}");
        }
        assert!(error([0xff, 0xfe, b'{', 0]).contains("UTF-8"));
    }

    #[test]
    fn a_list_nested_without_end_is_refused() {
        assert!(error("[".repeat(100_000)).starts_with("`it` is broken in line 1"));
        assert!(error("- ".repeat(100_000)).starts_with("`it` is broken in line 1"));
    }
}
