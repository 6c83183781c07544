//! What a recording of 100,000 events costs: to open it, and what a key waits for at most.

#![allow(clippy::expect_used, reason = "a recording that is not there has to stop the bench")]

use std::path::Path;

use divan::Bencher;
use gatewatch::cluster::ClusterEvent;
use gatewatch::record::{self, Reading};
use gatewatch::tape::{Deck, Travel, Wait};
use jiff::{SignedDuration, Timestamp};

/// How many events there are.
const EVENTS: usize = 100_000;

fn main() {
    divan::main();
}

/// An upgrade that goes through its failures again and again, one hour after the other.
fn events() -> Vec<ClusterEvent> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/retry.jsonl.gz");
    let Reading::Recording(recording) = record::open(&path).expect("a recording of ours") else {
        unreachable!("it is a recording")
    };
    let again = (0..).flat_map(|hour| {
        let events = recording.events.iter().cloned();
        events.map(move |event| ClusterEvent { time: event.time + SignedDuration::from_hours(hour), ..event })
    });
    again.take(EVENTS).collect()
}

fn deck() -> Deck {
    let mut deck = Deck::recording(events(), 1.0, now());
    let _ = deck.travel(Travel::Toggle, now());
    deck
}

fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

fn work(deck: &mut Deck) {
    while deck.wait(now()) == Wait::Work {
        let _ = deck.advance(now());
    }
}

/// Until the first frame can be drawn, once the file was read.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn open(bencher: Bencher) {
    bencher.with_inputs(events).bench_local_values(|events| Deck::recording(events, 1.0, now()));
}

/// Until every change of it is known, in parts between which keys are answered.
#[divan::bench(sample_count = 2, sample_size = 1)]
fn read_all(bencher: Bencher) {
    bencher.with_inputs(deck).bench_local_refs(work);
}

/// One of those parts: to stay far below what a person notices.
#[divan::bench(sample_count = 200, sample_size = 1)]
fn read_a_part(bencher: Bencher) {
    let mut deck = deck();
    bencher.bench_local(|| deck.advance(now()));
}

/// To the end in one leap, in parts between which keys are answered and frames drawn.
#[divan::bench(sample_count = 2, sample_size = 1)]
fn leap_to_the_end(bencher: Bencher) {
    let leap = || {
        let mut deck = deck();
        work(&mut deck);
        let _ = deck.travel(Travel::End, now());
        deck
    };
    bencher.with_inputs(leap).bench_local_refs(work);
}

/// One key back, far from where the tape was read last; to stay far below what a person notices.
#[divan::bench(args = [Travel::Back, Travel::Earlier], sample_count = 300, sample_size = 1)]
fn a_key_back(bencher: Bencher, key: Travel) {
    let mut deck = deck();
    work(&mut deck);
    let _ = deck.travel(Travel::End, now());
    work(&mut deck);
    bencher.bench_local(|| deck.travel(key, now()));
}

/// From the end to the start and back.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn to_the_start_and_the_end(bencher: Bencher) {
    let mut deck = deck();
    let _ = deck.travel(Travel::End, now());
    work(&mut deck);
    bencher.bench_local(|| {
        let _ = deck.travel(Travel::Start, now());
        deck.travel(Travel::End, now())
    });
}
