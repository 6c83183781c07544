mod live;

use std::path::Path;

use serde_json::json;

use super::*;
use crate::cluster::{Kind, Object};
use crate::fixture::at;
use crate::journal::Journals;
use crate::record::{self, Reading};

/// The machine's time: a day on which nothing was recorded.
fn machine(milliseconds: i64) -> Timestamp {
    "2027-03-01T09:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_millis(milliseconds)
}

fn recorded(name: &str) -> Vec<ClusterEvent> {
    let path = format!("{}/tests/recordings/{name}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let Reading::Recording(recording) = record::open(Path::new(&path)).unwrap() else { panic!("a dump") };
    recording.events
}

fn core(version: &str) -> ClusterEvent {
    let core = json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": "core-1"},
        "spec": {"chart": {"version": version}}, "status": {"phase": "Upgrading"}});
    ClusterEvent { cluster: None, time: at(0), change: Change::Applied(Box::new(Object::read(&core).unwrap())) }
}

fn alive(second: i64) -> ClusterEvent {
    ClusterEvent { cluster: None, time: at(second), change: Change::Alive(Kind::Pod) }
}

/// Does all that is to be done at once, and says what came of it at the frontier.
fn work(deck: &mut Deck, now: Timestamp) -> Vec<Moment> {
    let mut frontier = Vec::new();
    while deck.wait(now) == Wait::Work {
        frontier.extend(deck.advance(now).frontier);
    }
    frontier
}

/// Plays on until nothing more is due, and says what came of it at the frontier.
fn play(deck: &mut Deck, now: &mut Timestamp) -> Vec<Moment> {
    let mut frontier = work(deck, *now);
    while let Wait::For(time) = deck.wait(*now) {
        *now = now.checked_add(SignedDuration::try_from(time).unwrap()).unwrap();
        // As a timer does, it comes a little late.
        *now += SignedDuration::from_millis(1);
        frontier.extend(work(deck, *now));
    }
    frontier
}

fn gauge(deck: &mut Deck, now: Timestamp) -> Gauge {
    match deck.show(now) {
        Shown::Frontier(gauge) | Shown::Past(_, gauge) => gauge,
        Shown::Now => panic!("it follows"),
    }
}

fn travel(deck: &mut Deck, travel: Travel, now: Timestamp) -> Option<&'static str> {
    let refused = deck.travel(travel, now).refused;
    work(deck, now);
    refused
}

/// What a journal tells of those moments.
fn journal(moments: &[Moment]) -> Vec<String> {
    let mut journals = Journals::default();
    let mut before: &[Run] = &[];
    for Moment { runs, feed, time } in moments {
        for run in journals.see(before, runs, feed, *time).asked {
            journals.recall(&run, None);
            let _ = journals.see(runs, runs, feed, *time);
        }
        before = runs;
    }
    let entries = journals.entries(None);
    entries.into_iter().map(|(_, entry)| format!("{} {} {}", entry.time, entry.title(), entry.text)).collect()
}

#[test]
fn events_come_as_far_apart_as_they_were_recorded_or_faster() {
    let mut deck = Deck::recording(vec![alive(100), alive(130), alive(160)], 10.0, machine(0));
    work(&mut deck, machine(0));
    assert_eq!(deck.wait(machine(0)), Wait::For(Duration::from_secs(3)));
    work(&mut deck, machine(4_000));
    assert_eq!(deck.wait(machine(4_000)), Wait::For(Duration::from_secs(2)));
    work(&mut deck, machine(6_000));
    assert_eq!(deck.wait(machine(6_000)), Wait::Never);
    assert_eq!(gauge(&mut deck, machine(9_000)).motion, Motion::Ended);
}

#[test]
fn every_watch_is_live_first_and_ended_last() {
    let mut deck = Deck::recording(vec![alive(0), alive(30)], 1.0, machine(0));
    let first = work(&mut deck, machine(0)).pop().unwrap();
    assert_eq!(first.feed.watch(Kind::Pod), Some(&WatchState::Live { since: at(0) }));
    let last = play(&mut deck, &mut machine(0)).pop().unwrap();
    assert_eq!((last.feed.watch(Kind::Job), last.time), (Some(&WatchState::Ended), at(30)));
}

#[test]
fn a_recording_that_tells_how_its_watches_fared_says_so_itself() {
    let starting = Change::Watch { kind: Kind::Pod, state: WatchState::Starting };
    let mut deck =
        Deck::recording(vec![ClusterEvent { cluster: None, time: at(0), change: starting }, alive(9)], 1.0, machine(0));
    let feed = work(&mut deck, machine(0)).pop().unwrap().feed;
    assert_eq!(feed.watch(Kind::Pod), Some(&WatchState::Starting));
    assert_eq!(feed.watch(Kind::Job), Some(&WatchState::Live { since: at(0) }));
    let later = Change::Watch { kind: Kind::Pod, state: WatchState::Starting };
    let mut deck =
        Deck::recording(vec![alive(0), ClusterEvent { cluster: None, time: at(5), change: later }], 1.0, machine(0));
    let feed = work(&mut deck, machine(0)).pop().unwrap().feed;
    assert!(!matches!(feed.watch(Kind::Pod), Some(WatchState::Live { .. })), "and nothing is said before it does");
}

#[test]
fn the_journal_of_a_recording_is_the_same_at_any_speed() {
    let told = |speed| {
        let (mut deck, mut now) = (Deck::recording(recorded("retry"), speed, machine(0)), machine(0));
        journal(&play(&mut deck, &mut now))
    };
    let once = told(1.0);
    assert!(once.len() > 10, "{once:#?}");
    assert_eq!(told(1000.0), once);
    // In one leap, as by a key.
    let mut deck = Deck::recording(recorded("retry"), 1.0, machine(0));
    let _ = deck.travel(Travel::End, machine(0));
    assert_eq!(journal(&work(&mut deck, machine(0))), once);
}

#[test]
fn going_back_and_forth_tells_nothing_twice_and_nothing_that_was_not_reached() {
    let mut deck = Deck::recording(recorded("retry"), 1.0, machine(0));
    let now = machine(0);
    work(&mut deck, now);
    let _ = deck.travel(Travel::NextFailure, now);
    let reached = work(&mut deck, now);
    assert!(!reached.is_empty());
    for key in [Travel::Back, Travel::Start, Travel::Forward, Travel::Later, Travel::Later, Travel::NextFailure] {
        let _ = deck.travel(key, now);
        assert_eq!(work(&mut deck, now), [], "{key:?}");
    }
    let _ = deck.travel(Travel::NextFailure, now);
    let beyond = work(&mut deck, now);
    assert!(beyond.first().is_some_and(|moment| moment.time > reached.last().unwrap().time));
}

#[test]
fn changes_are_counted_and_stepped_through_one_by_one() {
    let mut deck = Deck::recording(recorded("retry"), 1.0, machine(0));
    let now = machine(0);
    travel(&mut deck, Travel::End, now);
    let changes = gauge(&mut deck, now).changes;
    assert!(changes > 100, "{changes}");
    let mut seen = vec![gauge(&mut deck, now).change];
    while travel(&mut deck, Travel::Back, now).is_none() {
        seen.push(gauge(&mut deck, now).change);
    }
    let last = gauge(&mut deck, now);
    assert_eq!((last.time, last.motion), (last.first, Motion::Paused));
    let expected: Vec<usize> = (1..=changes).rev().collect();
    assert_eq!(seen[..changes - 1], expected[..changes - 1]);
    let mut forth = Vec::new();
    while travel(&mut deck, Travel::Forward, now).is_none() {
        forth.push(gauge(&mut deck, now).change);
    }
    assert_eq!(forth.last(), Some(&changes));
    assert!(forth.windows(2).all(|pair| pair[1] == pair[0] + 1 || pair == [changes, changes]), "{forth:?}");
}

#[test]
fn the_next_failure_is_found_also_before_all_was_read() {
    let mut deck = Deck::recording(recorded("retry"), 1.0, machine(0));
    let now = machine(0);
    assert_eq!(deck.travel(Travel::NextFailure, now).refused, None);
    let mut times = Vec::new();
    work(&mut deck, now);
    times.push(gauge(&mut deck, now).time);
    while travel(&mut deck, Travel::NextFailure, now).is_none() {
        times.push(gauge(&mut deck, now).time);
    }
    assert_eq!(times[..], gauge(&mut deck, now).failures[..]);
    let mut deck = Deck::recording(recorded("smooth"), 1.0, now);
    let _ = deck.travel(Travel::NextFailure, now);
    let mut refused = None;
    while deck.wait(now) == Wait::Work {
        refused = deck.advance(now).refused.or(refused);
    }
    assert_eq!(refused, Some("no failure after this"));
}

#[test]
fn as_many_failures_on_as_were_asked_for_also_before_all_was_read() {
    let now = machine(0);
    let asked = |travels: &[Travel]| {
        let mut deck = Deck::recording(recorded("retry"), 1.0, now);
        for travel in travels {
            assert_eq!(deck.travel(*travel, now).refused, None);
        }
        work(&mut deck, now);
        gauge(&mut deck, now)
    };
    let twice = asked(&[Travel::NextFailure, Travel::NextFailure]);
    assert_eq!(twice.time, twice.failures[1]);
    let and_back = asked(&[Travel::NextFailure, Travel::NextFailure, Travel::Earlier]);
    assert_eq!(and_back.time, twice.failures[1] - LEAP);
    let to_start = asked(&[Travel::Later, Travel::NextFailure, Travel::Start]);
    assert_eq!(to_start.time, to_start.first, "whoever goes to the start looks for nothing any more");
}

#[test]
fn ten_seconds_are_ten_recorded_ones_and_go_on_as_it_did() {
    let mut deck = Deck::recording(vec![alive(0), alive(100)], 2.0, machine(0));
    work(&mut deck, machine(0));
    assert_eq!(travel(&mut deck, Travel::Earlier, machine(0)), Some(BEGINNING));
    travel(&mut deck, Travel::Later, machine(5_000));
    let gauge = |deck: &mut Deck, now| {
        let gauge = gauge(deck, machine(now));
        (gauge.time, gauge.motion)
    };
    assert_eq!(gauge(&mut deck, 5_000), (at(20), Motion::Playing));
    assert_eq!(gauge(&mut deck, 6_000), (at(22), Motion::Playing));
    travel(&mut deck, Travel::Toggle, machine(6_000));
    travel(&mut deck, Travel::Earlier, machine(7_000));
    assert_eq!(gauge(&mut deck, 9_000), (at(12), Motion::Paused));
    travel(&mut deck, Travel::Toggle, machine(9_000));
    travel(&mut deck, Travel::Faster, machine(10_000));
    assert_eq!(gauge(&mut deck, 11_000), (at(19), Motion::Playing));
    for _ in 0..9 {
        travel(&mut deck, Travel::Later, machine(11_000));
    }
    assert_eq!(gauge(&mut deck, 11_000), (at(100), Motion::Ended));
    for key in [Travel::Later, Travel::Forward, Travel::End, Travel::Toggle] {
        assert_eq!(travel(&mut deck, key, machine(11_000)), Some(END), "{key:?}");
    }
    travel(&mut deck, Travel::Start, machine(11_000));
    assert_eq!(gauge(&mut deck, 11_000), (at(0), Motion::Playing));
}

#[test]
fn on_its_way_to_the_end_it_can_be_stopped() {
    let now = machine(0);
    for before in [&[][..], &[Travel::Toggle]] {
        let mut deck = Deck::recording(recorded("smooth"), 1.0, now);
        for key in before.iter().chain([&Travel::End]) {
            let _ = deck.travel(*key, now);
        }
        for _ in 0..30 {
            let _ = deck.advance(now);
        }
        let _ = deck.travel(Travel::Toggle, now);
        assert_eq!(work(&mut deck, now), []);
        let gauge = gauge(&mut deck, now);
        assert!(gauge.motion == Motion::Paused && gauge.first < gauge.time && gauge.time < gauge.last, "{before:?}");
    }
}

#[test]
fn one_change_forward_is_one_also_where_nothing_was_read_yet() {
    let mut deck = Deck::recording(recorded("smooth"), 1.0, machine(0));
    assert_eq!(travel(&mut deck, Travel::Forward, machine(0)), None);
    let Gauge { change, motion, .. } = gauge(&mut deck, machine(0));
    assert_eq!((change, motion), (2, Motion::Paused));
}

#[test]
fn one_change_back_is_from_the_end_also_where_that_was_not_read_yet() {
    let mut deck = Deck::recording(recorded("smooth"), 1.0, machine(0));
    let now = machine(0);
    assert_eq!(deck.travel(Travel::End, now).refused, None);
    assert_eq!(deck.travel(Travel::Back, now).refused, None);
    work(&mut deck, now);
    let Gauge { change, changes, motion, .. } = gauge(&mut deck, now);
    assert_eq!((change + 1, motion), (changes, Motion::Paused));
}
