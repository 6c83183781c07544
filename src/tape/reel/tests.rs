use std::path::Path;

use serde_json::json;

use super::*;
use crate::cluster::{Kind, LogChange, LogLine, LogNews, Object, RunId, Selection, Uid, Via, WatchState};
use crate::fixture::{at, ended, job, pod, running, with};
use crate::record::{self, Reading};

/// A recording of ours, as it lies on a tape.
fn recorded(name: &str) -> Reel {
    reel_of(&format!("tests/recordings/{name}"))
}

fn reel_of(recording: &str) -> Reel {
    let path = format!("{}/{recording}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let Reading::Recording(recording) = record::open(Path::new(&path)).unwrap() else { panic!("a dump") };
    let mut reel = Reel::new(None);
    let live = WatchState::Live { since: recording.first };
    for event in
        ClusterEvent::watches(Selection::default().kinds(), recording.first, &live).into_iter().chain(recording.events)
    {
        reel.push(event.time, event);
    }
    reel
}

fn read(mut reel: Reel) -> Reel {
    while !reel.is_read() {
        reel.read_instant();
    }
    reel
}

fn applied(value: &serde_json::Value) -> Change {
    Change::Applied(Box::new(Object::read(value).unwrap().whole(value)))
}

fn core() -> serde_json::Value {
    json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": "core-1", "generation": 1},
        "spec": {"chart": {"version": "3.0.0"}}, "status": {"version": "1.0.0", "phase": "Upgrading"}})
}

/// An instance that is upgraded, and the Job of its full migrations: the hash is that of `u-1-18.11.0`.
fn upgraded() -> serde_json::Value {
    let spec = json!({"chart": null, "version": {"type": "Static", "static": {"version": "18.11.0"}}});
    with(core(), json!({"metadata": {"uid": "u"}, "spec": spec, "status": {"version": "18.10.1"}}))
}

fn gate() -> serde_json::Value {
    let owner = json!([{"kind": "GitLabCore", "name": "gitlab", "uid": "u", "controller": true}]);
    with(job(), json!({"metadata": {"name": "gitlab-migrations-6338649a", "ownerReferences": owner}}))
}

/// Says one thing after the other, a second each, after every watch is live.
fn said(changes: impl IntoIterator<Item = Change>) -> Reel {
    let mut reel = Reel::new(None);
    for event in ClusterEvent::watches(Selection::default().kinds(), at(0), &WatchState::Live { since: at(0) }) {
        reel.push(at(0), event);
    }
    for (second, change) in (1..).zip(changes) {
        reel.push(at(second), ClusterEvent { cluster: None, time: at(second), change });
    }
    read(reel)
}

fn seconds(reel: &Reel) -> Vec<i64> {
    reel.marks().iter().map(|mark| mark.time.duration_since(at(0)).as_secs()).collect()
}

#[test]
fn the_world_after_any_event_is_the_same_however_one_comes_there() {
    let reel = read(recorded("smooth"));
    assert!(reel.copies.len() > 2, "there are copies to go from");
    let mut worlds = vec![World::default()];
    for said in &reel.said {
        let mut world = worlds.last().unwrap().clone();
        world.apply(said.event.clone());
        worlds.push(world);
    }
    let mut cursor = Cursor::default();
    let mut position = 0;
    for _ in 0..300 {
        position = (position * 7 + 131) % worlds.len();
        cursor.seek(&reel, position);
        assert!(cursor.world == worlds[position], "at {position}");
    }
}

#[test]
fn what_a_person_would_call_a_change_is_a_mark_and_lines_and_bookmarks_are_none() {
    let run = RunId { container: "migrations".into(), id: "containerd://2".into() };
    let log = |news| Change::Log(LogChange { pod: Uid("a".into()), run: run.clone(), news });
    let labelled = |value| with(value, json!({"metadata": {"annotations": {"touched": "yes"}}}));
    let runs = pod("a", 0, json!({"state": running(2), "containerID": "containerd://2"}));
    let reel = said([
        applied(&upgraded()),
        applied(&labelled(upgraded())),
        Change::Alive(Kind::Pod),
        applied(&gate()),
        applied(&labelled(gate())),
        applied(&runs),
        applied(&labelled(runs.clone())),
        log(LogNews::Opened(Via::Followed)),
        log(LogNews::Lines(vec![LogLine::printed(b"PG::Error: x")])),
        log(LogNews::Closed(crate::cluster::LogEnd::Complete)),
        Change::Watch { kind: Kind::Pod, state: WatchState::Broken { since: at(9), error: "x".into() } },
    ]);
    assert_eq!(seconds(&reel), [1, 4, 6, 11]);
    let job = reel.head().1[0].steps[2].gate().unwrap().job.as_ref().unwrap();
    assert!(job.logs.iter().any(|run| run.log.is_some()), "what is no mark is there all the same");
}

#[test]
fn no_line_of_a_log_is_a_mark_whatever_is_read_from_it() {
    let (mut logs, mut marked) = (0, Vec::new());
    for name in ["rails", "exhausted"] {
        let reel = read(reel_of(&format!("assets/demo/{name}")));
        for (index, said) in reel.said.iter().enumerate() {
            let instant = reel.said.iter().filter(|other| other.at == said.at);
            if instant.clone().all(|said| matches!(said.event.change, Change::Log(_))) {
                logs += 1;
                marked.extend(reel.marks().iter().filter(|mark| mark.time == said.at).map(|_| (name, index)));
            }
        }
    }
    assert!(logs > 20, "{logs}");
    assert!(marked.is_empty(), "{marked:?}");
}

#[test]
fn no_touch_of_an_object_is_a_mark_whatever_it_is() {
    let reel = read(recorded("smooth"));
    let touched = |object: &Object| {
        let mut value = object.meta().manifest.object().unwrap();
        value["metadata"]["annotations"]["touched"] = json!("yes");
        applied(&value)
    };
    let (mut twice, mut touches) = (Reel::new(None), 0);
    for (second, said) in (0..).step_by(2).zip(&reel.said) {
        twice.push(at(second), ClusterEvent { time: at(second), ..said.event.clone() });
        if let Change::Applied(object) = &said.event.change
            && object.meta().manifest.object().is_some()
        {
            twice.push(at(second + 1), ClusterEvent { cluster: None, time: at(second + 1), change: touched(object) });
            touches += 1;
        }
    }
    let twice = read(twice);
    assert!(touches > 100, "{touches}");
    let marked: Vec<i64> = seconds(&twice).into_iter().filter(|second| second % 2 == 1).collect();
    assert!(marked.is_empty(), "{marked:?}");
}

#[test]
fn failures_are_those_of_the_journal() {
    let reel = read(recorded("retry"));
    assert_eq!(reel.failures().len(), 3, "three attempts failed");
    assert!(reel.marks().len() > 100, "{}", reel.marks().len());
    let failed = reel.marks().iter().filter(|mark| mark.failure).map(|mark| mark.time);
    assert!(failed.eq(reel.failures().iter().copied()));
    assert_eq!(read(recorded("exhausted")).failures().len(), 4 + 1, "four attempts, and then the Job");
    assert!(read(recorded("smooth")).failures().is_empty());
}

#[test]
fn what_came_back_from_before_the_program_ran_is_no_failure() {
    let (core, job) = (upgraded(), gate);
    let failed = pod("a", 0, json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)}));
    let mut before = World::default();
    for change in [applied(&core), applied(&job()), applied(&failed)] {
        before.apply(ClusterEvent { cluster: None, time: at(0), change });
    }
    let memory = before.memory(&Uid("u".into()), &[Uid("job-1".into())]).unwrap();
    let seen = || [applied(&core), applied(&job())];
    let failures = |changes: Vec<Change>| said(changes).failures().len();
    assert_eq!(failures(seen().into_iter().chain([applied(&failed)]).collect()), 1, "it is one where it is seen");
    let recalled = seen().into_iter().chain([Change::Remembered(Box::new(memory)), applied(&failed)]);
    assert_eq!(failures(recalled.collect()), 0);
}

#[test]
fn what_is_said_at_one_time_is_one_instant_also_where_it_comes_in_parts() {
    let mut reel = said([applied(&core())]);
    for version in ["4.0.0", "5.0.0"] {
        let change = applied(&with(core(), json!({"spec": {"chart": {"version": version}}})));
        reel.push(at(1), ClusterEvent { cluster: None, time: at(1), change });
        reel = read(reel);
    }
    assert_eq!(seconds(&reel), [1]);
    assert_eq!(reel.marks()[0].position, reel.end());
    assert_eq!(reel.position(at(1)), reel.end());
}

#[test]
fn an_instant_in_which_something_failed_is_one_failure_whatever_else_is_said_then() {
    let mut reel = said([applied(&upgraded()), applied(&gate())]);
    let failed =
        |uid| applied(&pod(uid, 0, json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)})));
    let other = applied(&with(upgraded(), json!({"status": {"phase": "Failed"}})));
    for change in [failed("a"), other, failed("b")] {
        reel.push(at(3), ClusterEvent { cluster: None, time: at(3), change });
        reel = read(reel);
        assert_eq!(reel.marks().back().map(|mark| (mark.time, mark.failure)), Some((at(3), true)));
        assert_eq!(**reel.failures(), [at(3)]);
    }
}

#[test]
fn a_failure_that_is_forgotten_is_counted_no_longer() {
    let whole = read(recorded("retry"));
    let mut bounded = Reel::new(Some(whole.bytes / 3));
    let mut most = 0;
    for said in &whole.said {
        bounded.push(said.at, said.event.clone());
        bounded.read_instant();
        let known = bounded.marks().iter().filter(|mark| mark.failure).map(|mark| mark.time);
        assert!(known.eq(bounded.failures().iter().copied()));
        most = most.max(bounded.failures().len());
    }
    assert_eq!((most, bounded.failures().len()), (3, 0));
}

#[test]
fn what_the_server_wrote_of_the_replicas_of_a_rollout_that_is_watched_stays() {
    let owner = json!([{"kind": "StatefulSet", "name": "db", "uid": "db", "controller": true}]);
    let replica = with(
        pod("db-0", 0, json!({"state": running(2)})),
        json!({"metadata": {"labels": null, "ownerReferences": owner}}),
    );
    let set = json!({"kind": "StatefulSet", "metadata": {"name": "db", "namespace": "gitlab", "uid": "db"},
        "spec": {"replicas": 1}});
    let selected = Change::Selected(Selection::of(["sts/db".parse().unwrap()]));
    let reel = read(said([selected, applied(&set), applied(&replica)]));
    let rollout = reel.head().1[0].steps[0].rollout().unwrap();
    assert_eq!(rollout.workloads[0].replicas[0].manifest.object(), Some(replica));
}

#[test]
fn a_clock_that_was_set_back_does_not_change_the_order() {
    let mut reel = said([applied(&core())]);
    reel.push(at(-600), ClusterEvent { cluster: None, time: at(-600), change: Change::Alive(Kind::Pod) });
    assert_eq!(reel.last(), Some(at(1)));
}

#[test]
fn copies_of_a_large_world_take_no_more_than_what_is_said_between_them() {
    let mut reel = Reel::new(Some(16_000));
    let objects: Vec<Object> = (0..1_000)
        .map(|number| Object::read(&pod(&format!("pod-{number}"), 0, json!({"state": running(2)}))).unwrap())
        .collect();
    let listed = Change::Replaced { kind: Kind::Pod, scope: crate::cluster::Scope::All, objects };
    let run = RunId { container: "migrations".into(), id: "containerd://2".into() };
    let line = LogLine::printed(&[b'x'; 1_000]);
    let more = Change::Log(LogChange { pod: Uid("pod-1".into()), run, news: LogNews::Lines(vec![line; 20]) });
    for (second, change) in (0..).zip([listed.clone()].into_iter().chain(vec![more; 300])) {
        reel.push(at(second), ClusterEvent { cluster: None, time: at(second), change });
        reel.read_instant();
    }
    assert!(reel.copies.len() <= 3, "{} copies", reel.copies.len());
    assert!(reel.start > 0 && reel.bytes < 6_000_000, "{} bytes from {} on", reel.bytes, reel.start);
    let mut whole = Reel::new(None);
    for (second, change) in (0..).zip([listed].into_iter().chain(vec![Change::Alive(Kind::Pod); 900])) {
        whole.push(at(second), ClusterEvent { cluster: None, time: at(second), change });
    }
    assert_eq!(read(whole).copies.len(), 1 + 1, "the world of no object, and one after the list");
}

#[test]
fn the_oldest_go_when_all_take_too_much_and_the_rest_stays_where_it_is() {
    let most = 400_000;
    let whole = read(recorded("smooth"));
    let mut bounded = Reel::new(Some(most));
    for (index, said) in whole.said.iter().enumerate() {
        bounded.push(said.at, said.event.clone());
        if whole.said.get(index + 1).is_none_or(|next| next.at > said.at) {
            bounded.read_instant();
        }
    }
    assert!(bounded.bytes <= most + most / 16 + 100_000, "{}", bounded.bytes);
    assert!(bounded.start > 100 && bounded.copies[0].at == bounded.start, "{}", bounded.start);
    assert_eq!(bounded.end(), whole.end());
    let beyond = whole.marks().iter().filter(|mark| mark.position > bounded.start).copied();
    assert!(bounded.marks().iter().copied().eq(beyond));
    for position in [bounded.start, bounded.start + 1, bounded.end() - 1, bounded.end()] {
        let (mut one, mut other) = (Cursor::default(), Cursor::default());
        one.seek(&whole, position);
        other.seek(&bounded, position);
        assert!(one.world == other.world, "at {position}");
        assert_eq!(whole.position(whole.time(position).unwrap()), bounded.position(whole.time(position).unwrap()));
    }
}
