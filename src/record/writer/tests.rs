use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::cluster::{Kind, Object, Scope};
use crate::fixture::{at, pod, running, with};
use crate::record::{Reading, open, read};

/// Longer than any of it takes.
const BOUND: Duration = Duration::from_secs(20);

fn applied(second: i64) -> ClusterEvent {
    let value = pod("a", 0, json!({"state": running(second), "restartCount": second}));
    let object = Object::read(&value).unwrap().whole(&value);
    ClusterEvent { cluster: None, time: at(second), change: Change::Applied(Box::new(object)) }
}

/// A recording into `out`, and what is told of its end.
fn recorder<W: Write + Send + 'static>(out: Out<W>) -> (Recorder, Receiver<String>) {
    let (tell, told) = channel();
    (Recorder::new(out, "`it`".into(), None, move |why| tell.send(why).unwrap()), told)
}

fn events(bytes: &[u8]) -> Vec<ClusterEvent> {
    match read(bytes, "`it`").unwrap() {
        Reading::Recording(recording) => recording.events,
        Reading::Dump(_) => panic!("a dump"),
    }
}

/// A disk that hands over what it has with each flush, waits each time to be let on, and has room for so many bytes.
struct Disk {
    bytes: Vec<u8>,
    room: usize,
    flushed: Sender<Vec<u8>>,
    go_on: Receiver<()>,
}

/// What a test holds of such a disk.
struct Hand {
    flushed: Receiver<Vec<u8>>,
    go_on: Sender<()>,
}

fn disk(room: usize) -> (Disk, Hand) {
    let ((flushed, seen), (let_on, go_on)) = (channel(), channel());
    (Disk { bytes: Vec::new(), room, flushed, go_on }, Hand { flushed: seen, go_on: let_on })
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() == self.room {
            let _ = self.flushed.send(self.bytes.clone());
            return Err(io::ErrorKind::StorageFull.into());
        }
        let fits = bytes.len().min(self.room - self.bytes.len());
        self.bytes.extend(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.flushed.send(self.bytes.clone());
        let _ = self.go_on.recv();
        Ok(())
    }
}

#[test]
fn what_is_written_can_be_read_at_once_also_packed() {
    for packed in [false, true] {
        let (disk, hand) = disk(usize::MAX);
        let out = if packed { Out::Packed(GzEncoder::new(disk, Compression::default())) } else { Out::Plain(disk) };
        let (recorder, _) = recorder(out);
        for second in 1..4 {
            recorder.pen().write(&applied(second));
            // The program may be killed now.
            assert_eq!(events(&hand.flushed.recv_timeout(BOUND).unwrap()).len() as i64, second);
            hand.go_on.send(()).unwrap();
        }
        drop(hand);
        let written = Written { changes: 3, span: Some((at(1), at(3))) };
        assert_eq!(recorder.close(), Ok(written));
    }
}

#[test]
fn a_disk_that_fills_up_ends_the_recording_and_leaves_what_was_written() {
    let line = {
        let mut lines = Vec::new();
        Encoder::default().encode(&applied(1), None, &mut lines).unwrap();
        lines.len()
    };
    let (disk, hand) = disk(line * 5 / 2);
    let (recorder, told) = recorder(Out::Plain(disk));
    drop(hand.go_on);
    for second in 1..9 {
        recorder.pen().write(&applied(second));
    }
    let why = told.recv_timeout(BOUND).unwrap();
    assert_eq!(why, "the recording ended: no space left on the device; `it` can be replayed up to there");
    assert_eq!(recorder.ended(), Some(why.as_str()));
    assert_eq!(events(&hand.flushed.iter().last().unwrap()), [applied(1), applied(2)]);
    recorder.pen().write(&applied(9));
    assert_eq!(recorder.close(), Err(why));
    assert_eq!(told.iter().count(), 0, "it is told once");
}

#[test]
fn a_full_device_and_a_closed_pipe_end_the_recording_with_their_name() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let (full, told) = recorder(Out::Packed(GzEncoder::new(full, Compression::default())));
    full.pen().write(&applied(1));
    assert!(told.recv_timeout(BOUND).unwrap().contains("no space left"));
    assert!(full.close().is_err());

    // A reader that was dropped could live on for a moment in a program that is just being started.
    let (reader, writer) = UnixStream::pair().unwrap();
    reader.shutdown(Shutdown::Both).unwrap();
    let (pipe, told) = recorder(Out::Plain(writer));
    pipe.pen().write(&applied(1));
    assert!(told.recv_timeout(BOUND).unwrap().contains("nobody reads it any more"));
    assert!(pipe.close().is_err());
}

#[test]
fn a_disk_that_hangs_ends_the_recording_and_holds_nobody_up() {
    let (disk, hand) = disk(usize::MAX);
    let (recorder, told) = recorder(Out::Plain(disk));
    let pen = recorder.pen();
    pen.write(&applied(1));
    hand.flushed.recv_timeout(BOUND).unwrap();
    // The disk hangs, and the queue runs full.
    for second in 0..=WAITING as i64 {
        pen.write(&applied(second % 60));
    }
    assert!(told.recv_timeout(BOUND).unwrap().contains("takes too long"));
    // It goes on: what waited is written, and what came later is not, so that nothing is missing in between.
    hand.go_on.send(()).unwrap();
    hand.flushed.recv_timeout(BOUND).unwrap();
    pen.write(&applied(59));
    drop(hand.go_on);
    assert!(recorder.close().is_err());
    assert_eq!(events(&hand.flushed.iter().last().unwrap()).len(), 1 + WAITING);
}

#[test]
fn a_name_tells_whether_it_is_packed_and_what_was_written_is_read_back() {
    let home = TempDir::new().unwrap();
    for (name, packed) in [("a.jsonl.gz", true), ("a.jsonl", false), ("b.GZ", true)] {
        let path = home.path().join(name);
        let recorder = Recorder::create(&path, |why| panic!("{why}")).unwrap();
        (1..4).for_each(|second| recorder.pen().write(&applied(second)));
        recorder.close().unwrap();
        assert_eq!(fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]), packed);
        let Reading::Recording(recording) = open(&path).unwrap() else { panic!() };
        assert_eq!((recording.events.len(), recording.cuts), (3, Vec::new()));
    }
}

#[test]
fn where_it_cannot_be_made_it_says_why_before_anything_else() {
    let home = TempDir::new().unwrap();
    let path = |name: &str| home.path().join(name);
    fs::write(path("there"), "precious").unwrap();
    let refused = |path: &Path| Recorder::create(path, |_| {}).map(drop).unwrap_err();
    for (name, told) in [
        ("there", "exists already"),
        ("none/x", "there is no folder"),
        ("", "is a directory"),
        ("there/x", "cannot be made"),
    ] {
        let error = refused(&path(name));
        assert!(error.message.contains(told), "{}", error.message);
        assert_eq!(error.code, crate::error::ExitCode::Usage);
    }
    assert_eq!(fs::read_to_string(path("there")).unwrap(), "precious");
    let denied = super::refused(Path::new("x"), &io::ErrorKind::PermissionDenied.into());
    assert!(denied.contains("may not be written"), "{denied}");
}

#[test]
fn a_file_into_which_nothing_was_written_goes_again() {
    let home = TempDir::new().unwrap();
    for (name, alive) in [("a.gz", false), ("b", true)] {
        let path = home.path().join(name);
        let recorder = Recorder::create(&path, |_| {}).unwrap();
        if alive {
            recorder.pen().write(&ClusterEvent { cluster: None, time: at(0), change: Change::Alive(Kind::Pod) });
        }
        assert_eq!(recorder.close().unwrap().changes, 0);
        assert_eq!(path.exists(), alive);
    }
}

#[test]
fn a_list_of_one_namespace_says_nothing_of_another() {
    let object = |namespace: &str, name: &str| {
        let value = with(pod(name, 0, json!({})), json!({"metadata": {"namespace": namespace, "uid": name}}));
        Object::read(&value).unwrap().whole(&value)
    };
    let (disk, hand) = disk(usize::MAX);
    let (recorder, _) = recorder(Out::Plain(disk));
    let list = |namespace: Option<&str>, objects: &[Object]| {
        let change = Change::Replaced { kind: Kind::Pod, scope: Scope::All, objects: objects.to_vec() };
        recorder.pen().of_namespace(namespace).write(&ClusterEvent { cluster: None, time: at(0), change });
        let heard = events(&hand.flushed.recv_timeout(BOUND).unwrap());
        hand.go_on.send(()).unwrap();
        let Some(Change::Replaced { objects, .. }) = heard.last().map(|event| event.change.clone()) else { panic!() };
        objects.iter().map(|object| object.meta().name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(list(Some("one"), &[object("one", "a"), object("one", "b")]), ["a", "b"]);
    assert_eq!(list(Some("other"), &[object("other", "c")]), ["a", "b", "c"]);
    assert_eq!(list(Some("one"), &[object("one", "b")]), ["b", "c"], "what went meanwhile");
    assert_eq!(list(None, &[object("other", "c")]), ["c"], "all of them were looked at");
    hand.go_on.send(()).ok();
    recorder.close().unwrap();
}

#[test]
fn a_file_that_is_removed_with_its_folder_is_told_to_be_lost() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let recorder = Recorder::create(&folder.join("a"), |_| {}).unwrap();
    recorder.pen().write(&applied(1));
    fs::remove_dir_all(&folder).unwrap();
    let why = recorder.close().unwrap_err();
    assert!(why.ends_with("a` was removed while it was written, and what it held is lost"), "{why}");
}
