//! The files that pages speak of: recordings, and a dump of the moment in which an upgrade retries.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use flate2::read::GzDecoder;
use jiff::Timestamp;
use serde_json::{Value, json};

/// The names of files that pages speak of, and the recordings that they are. `rails.jsonl.gz` is what the demo plays.
const RECORDINGS: [(&str, &str); 6] = [
    ("upgrade.jsonl.gz", "retry"),
    ("failed.jsonl.gz", "exhausted"),
    ("evicted.jsonl.gz", "evicted-storage"),
    ("policy.jsonl.gz", "never-policy"),
    ("blocked.jsonl.gz", "image-missing"),
    ("deadline.jsonl.gz", "deadline"),
];

/// When the dump was made, of `upgrade.jsonl.gz`: after the third failure, in the back-off.
const DUMPED: &str = "2026-11-29T15:34:10Z";

/// Whether a command reads a recording, so that all it prints is of then.
pub fn reads_recording(command: &str) -> bool {
    command.contains(".jsonl")
}

/// Makes all of them in that folder.
pub fn make(folder: &Path) {
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/rails.jsonl.gz"), folder.join("rails.jsonl.gz"))
        .unwrap();
    for (name, recording) in RECORDINGS {
        fs::copy(path(recording), folder.join(name)).unwrap();
    }
    let kiosk = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/kubernetes/kiosk.yaml");
    fs::copy(kiosk, folder.join("kiosk.yaml")).unwrap();
    let objects = objects("retry", DUMPED);
    let dump = json!({"apiVersion": "v1", "kind": "List", "items": &objects});
    write(&folder.join("dump.yaml"), &serde_saphyr::to_string(&dump).unwrap());
    make_sent(folder, &objects);
}

/// What somebody sends: a file for some kinds, a folder and an archive of all, `kubectl cluster-info dump`, KubeSOS.
fn make_sent(folder: &Path, objects: &[Value]) {
    let list = |kind: &str, of: &[&str]| {
        let items: Vec<&Value> =
            objects.iter().filter(|object| of.iter().any(|kind| object["kind"] == *kind)).collect();
        json!({"apiVersion": "v1", "kind": kind, "items": items}).to_string()
    };
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    };
    put("glc-and-jobs.json", &list("List", &["GitLabCore", "Job"]));
    put("pods.json", &list("List", &["Pod"]));
    for kind in ["GitLabCore", "Job", "Pod", "Event", "Deployment"] {
        put(&format!("dump/{kind}.json"), &list("List", &[kind]));
    }
    for kind in ["Pod", "Event", "Deployment", "Node"] {
        let namespace = if kind == "Node" { "" } else { "gitlab/" };
        let name = format!("cluster-dump/{namespace}{}s.json", kind.to_lowercase());
        put(&name, &list(&format!("{kind}List"), &[kind]));
    }
    put("kubesos-1764500000/kubectl-check", "Client Version: v1.34.1\n");
    put("kubesos-1764500000/get_pods", "NAME                READY   STATUS\ngitlab-gitaly-0     1/1     Running\n");
    put("kubesos-1764500000/describe_pods", "Name:             gitlab-gitaly-0\nNamespace:        gitlab\n");
    for (archive, of) in [("support.tar.gz", "dump"), ("kubesos.tar.gz", "kubesos-1764500000")] {
        let packed = Command::new("tar").args(["-czf", archive, of]).current_dir(folder).status().unwrap();
        assert!(packed.success(), "{archive} was not made");
    }
}

/// Writes a dump, as it was written then.
fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    let dumped: Timestamp = DUMPED.parse().unwrap();
    let dumped = UNIX_EPOCH + Duration::from_secs(dumped.as_second().unsigned_abs());
    fs::File::options().write(true).open(path).unwrap().set_modified(dumped).unwrap();
}

fn path(recording: &str) -> String {
    format!("{}/tests/recordings/{recording}.jsonl.gz", env!("CARGO_MANIFEST_DIR"))
}

/// The objects that stood at a moment of a recording.
fn objects(recording: &str, until: &str) -> Vec<Value> {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path(recording)).unwrap()).read_to_string(&mut text).unwrap();
    let mut objects = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let (Some(time), object) = (line["time"].as_str(), &line["object"]) else { continue };
        let Some(name) = object["metadata"]["name"].as_str().filter(|_| time < until) else { continue };
        let key = (object["kind"].to_string(), name.to_owned());
        match line["type"].as_str() {
            Some("ADDED" | "MODIFIED") => drop(objects.insert(key, object.clone())),
            Some("DELETED") => drop(objects.remove(&key)),
            _ => {}
        }
    }
    objects.into_values().collect()
}
