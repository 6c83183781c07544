//! Whatever is heard, a recording of it says the same again, also where it was cut off.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::encode::Encoder;
use super::redact::redacted;
use super::{Reading, read};
use crate::cluster::{
    Change, ClusterEvent, Kind, LogChange, LogEnd, LogLine, LogNews, Object, RunId, Scope, Uid, Via, WatchState, World,
    clean, clean_word,
};
use crate::fixture::{at, ended, event, job, pod, running, with};
use crate::run::derive;

/// An object of that kind, one of few, in one of many states.
fn value(kind: Kind, which: u8, state: i64) -> Value {
    let uid = format!("{kind}-{which}");
    let env = json!([{"name": "A", "value": "secret"}]);
    let meta = json!({"metadata": {"name": uid, "uid": uid, "resourceVersion": state.to_string()}});
    let value = match kind {
        Kind::GitLabCore => json!({"kind": "GitLabCore", "apiVersion": "apps.gitlab.com/v2alpha1",
            "metadata": {"namespace": "gitlab", "generation": 1},
            "spec": {"version": {"type": "Static", "static": {"version": format!("18.{}.0", state % 3)}}, "extraEnv": env},
            "status": {"phase": "Upgrading", "version": "18.0.0"}}),
        Kind::Job => with(
            job(),
            json!({"metadata": {"managedFields": [1], "ownerReferences": [{"kind": "GitLabCore", "name": "GitLabCore-0", "uid": "GitLabCore-0", "controller": true}]},
                "status": {"failed": state % 4}}),
        ),
        Kind::Pod => {
            let main = json!({"restartCount": state % 5, "state": running(state), "lastState": ended(1, state - 2, state - 1)});
            let owner = json!({"metadata": {"ownerReferences": [{"kind": "Job", "name": "mig", "uid": "Job-0", "controller": true}]}});
            let labelled =
                if which == 2 { json!({"metadata": {"labels": null, "ownerReferences": null}}) } else { owner };
            let env = json!({"spec": {"containers": [{"name": "migrations", "image": "r.io/a:v1", "env": env}]}});
            with(with(pod("a", 0, main), labelled), env)
        }
        Kind::Event => {
            return with(event(&format!("Pod-{}", which % 2), "BackOff", "x", state % 7), json!({"count": state}));
        }
        kind => {
            json!({"kind": kind.name(), "metadata": {"namespace": "gitlab", "labels": {"app": "sidekiq"}},
            "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "a", "env": env}]}}},
            "status": {"observedGeneration": state}})
        }
    };
    with(value, meta)
}

fn object(kind: Kind, which: u8, state: i64) -> Object {
    let value = value(kind, which, state);
    Object::read(&value).unwrap().whole(&value)
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

fn objects() -> impl Strategy<Value = Object> {
    (kinds(), 0..3_u8, 0..1000_i64).prop_map(|(kind, which, state)| object(kind, which, state))
}

/// A list: every object once, and of events either all or those about one object.
fn lists() -> impl Strategy<Value = Change> {
    (kinds(), prop::collection::btree_map(0..3_u8, 0..1000_i64, 0..4), any::<bool>()).prop_map(
        |(kind, objects, all)| {
            let mut objects: Vec<Object> =
                objects.into_iter().map(|(which, state)| object(kind, which, state)).collect();
            let scope = match kind {
                Kind::Event if !all => Scope::About(Uid("Pod-1".into())),
                _ => Scope::All,
            };
            if let Scope::About(about) = &scope {
                objects.retain(|object| matches!(object, Object::Event(event) if event.about == *about));
            }
            objects.sort_by_key(|object| object.meta().uid.clone());
            objects.dedup_by_key(|object| object.meta().uid.clone());
            Change::Replaced { kind, scope, objects }
        },
    )
}

fn watches() -> impl Strategy<Value = Change> {
    let state = prop_oneof![
        Just(WatchState::Starting),
        (0..100_i64).prop_map(|since| WatchState::Live { since: at(since) }),
        (0..100_i64, ".{0,20}")
            .prop_map(|(since, error)| WatchState::Broken { since: at(since), error: clean(&error) }),
        (".{0,2000}", proptest::option::of((0..100_i64).prop_map(at)))
            .prop_map(|(message, heard)| WatchState::Forbidden { message: clean(&message), heard }),
        Just(WatchState::Undefined),
        Just(WatchState::Ended),
        Just(WatchState::Absent),
    ];
    (kinds(), state).prop_map(|(kind, state)| Change::Watch { kind, state })
}

fn logs() -> impl Strategy<Value = Change> {
    let line = prop_oneof![
        ("(\\PC|\t|\x1b\\[[0-9;]{0,6}m){0,30}", 0..100_i64)
            .prop_map(|(text, second)| LogLine::read(format!("{} {text}", at(second)).as_bytes())),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| LogLine::read(&bytes)),
        Just(LogLine::read(&[b'x'; 5000])),
    ];
    let end = prop_oneof![
        Just(LogEnd::Complete),
        Just(LogEnd::Gone),
        ".{0,20}".prop_map(|text| LogEnd::Forbidden(clean(&text))),
        ".{0,20}".prop_map(|text| LogEnd::Broken(clean(&text))),
    ];
    let news = prop_oneof![
        prop::sample::select(vec![Via::Followed, Via::Afterwards, Via::Previous]).prop_map(LogNews::Opened),
        prop::collection::vec(line, 0..4).prop_map(LogNews::Lines),
        (0..100_i64).prop_map(|second| LogNews::TakenBack(at(second))),
        end.prop_map(LogNews::Closed),
    ];
    ("Pod-[01]", "containerd://[0-9]{1,2}", news).prop_map(|(pod, id, news)| {
        Change::Log(LogChange {
            pod: Uid(pod),
            run: RunId { container: "migrations".into(), id: clean_word(&id) },
            news,
        })
    })
}

fn events() -> impl Strategy<Value = Vec<ClusterEvent>> {
    let change = prop_oneof![
        4 => objects().prop_map(|object| Change::Applied(Box::new(object))),
        2 => objects().prop_map(|object| Change::Deleted(Box::new(object))),
        2 => lists(),
        1 => watches(),
        2 => logs(),
        1 => kinds().prop_map(Change::Alive),
    ];
    let clusters = prop::sample::select(vec![None, Some("eu"), Some("us")]);
    let event = (0..100_000_i64, clusters, change).prop_map(|(millisecond, cluster, change)| ClusterEvent {
        cluster: cluster.map(Into::into),
        time: at(0) + jiff::SignedDuration::from_millis(millisecond),
        change,
    });
    prop::collection::vec(event, 1..40)
}

/// The lines of each event.
fn written(events: &[ClusterEvent]) -> Vec<Vec<u8>> {
    let mut encoder = Encoder::default();
    let lines = events.iter().map(|event| {
        let mut lines = Vec::new();
        encoder.encode(event, None, &mut lines).unwrap();
        lines
    });
    lines.collect()
}

/// What a recording leaves out is all that it changes, and lists are in the order of uids.
fn expected(event: &ClusterEvent) -> ClusterEvent {
    let plain = |object: &Object| {
        let value = redacted(object.meta().manifest.object().unwrap());
        Object::read(&value).unwrap().whole(&value)
    };
    let change = match &event.change {
        Change::Applied(object) => Change::Applied(Box::new(plain(object))),
        Change::Deleted(object) => Change::Deleted(Box::new(plain(object))),
        Change::Replaced { kind, scope, objects } => {
            let mut objects: Vec<Object> = objects.iter().map(plain).collect();
            objects.sort_by_key(|object| object.meta().uid.clone());
            Change::Replaced { kind: *kind, scope: scope.clone(), objects }
        }
        other => other.clone(),
    };
    ClusterEvent { cluster: event.cluster.clone(), time: event.time, change }
}

/// The events that are read, and whether it was cut off.
fn read_back(bytes: &[u8]) -> (Vec<ClusterEvent>, bool) {
    match read(bytes, "`it`") {
        Ok(Reading::Recording(recording)) => (recording.events, !recording.cuts.is_empty()),
        Ok(Reading::Dump(objects)) => panic!("{objects:?}"),
        Err(_) => (Vec::new(), true),
    }
}

/// The same through gzip, each event flushed.
fn packed(lines: &[Vec<u8>]) -> (Vec<u8>, Vec<usize>) {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let ends = lines.iter().map(|lines| {
        gzip.write_all(lines).unwrap();
        gzip.flush().unwrap();
        gzip.get_ref().len()
    });
    let ends = ends.collect();
    (gzip.finish().unwrap(), ends)
}

fn signs_of_life(events: &[ClusterEvent]) -> bool {
    events.iter().all(|event| matches!(event.change, Change::Alive(_)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back_and_the_world_is_the_same(events in events()) {
        let lines = written(&events);
        let expected: Vec<ClusterEvent> = events.iter().map(expected).collect();
        prop_assume!(!signs_of_life(&events));
        let plain = read_back(&lines.concat());
        prop_assert_eq!(&plain, &(expected.clone(), false));
        prop_assert_eq!(read_back(&packed(&lines).0), plain);

        let (mut live, mut replayed) = (World::default(), World::default());
        expected.iter().zip(&events).for_each(|(expected, event)| {
            live.apply(event.clone());
            replayed.apply(expected.clone());
        });
        prop_assert_eq!(without_manifests(&live), without_manifests(&replayed));
        prop_assert_eq!(live.feed(), replayed.feed());
    }

    #[test]
    fn a_recording_cut_off_anywhere_is_what_was_written_until_then(events in events(), cut in any::<Index>()) {
        let lines = written(&events);
        let whole: Vec<ClusterEvent> = events.iter().map(expected).collect();
        let ends: Vec<usize> = lines.iter().scan(0, |end, lines| { *end += lines.len(); Some(*end) }).collect();
        let plain = lines.concat();
        let (gzip, packed_ends) = packed(&lines);
        for (bytes, ends) in [(plain, ends), (gzip, packed_ends)] {
            let cut = cut.index(bytes.len());
            let (read, warned) = read_back(&bytes[..cut]);
            prop_assert_eq!(&read[..], &whole[..read.len()]);
            // All that was flushed is there; a line that lacks but its end is whole.
            let flushed = ends.iter().filter(|end| **end <= cut).count();
            prop_assert!(signs_of_life(&whole[..flushed]) || (flushed..=flushed + 1).contains(&read.len()), "{} of {flushed}", read.len());
            prop_assert!(warned || read.len() >= flushed);
        }
    }
}

fn without_manifests(world: &World) -> String {
    format!("{:?}", derive(world))
}
