//! Random histories of objects: how many are told, and what there is after a part of one.

use std::collections::BTreeMap;

use gatewatch::cluster::{Change, ClusterEvent, Kind, Object};
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// So many histories, the same at every run, so that a change is to blame for a difference; as many others as `HISTORIES` asks
/// for, where it does.
pub fn config(cases: u32, seed: u64) -> ProptestConfig {
    let asked = std::env::var("HISTORIES").ok();
    let rng_seed = if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(seed) };
    let cases = asked.map_or(cases, |many| many.parse().expect("HISTORIES is a number"));
    ProptestConfig { cases, failure_persistence: None, rng_seed, ..ProptestConfig::default() }
}

/// The object that an event of a history tells of.
pub fn object(event: &ClusterEvent) -> &Object {
    let (Change::Applied(object) | Change::Deleted(object)) = &event.change else { unreachable!() };
    object
}

/// The objects of a kind that there are after those events.
pub fn there<'a>(events: impl Iterator<Item = &'a ClusterEvent>, kind: Kind) -> Vec<&'a Object> {
    let mut there = BTreeMap::new();
    for event in events.filter(|event| object(event).kind() == kind) {
        let of = object(event);
        match event.change {
            Change::Deleted(_) => drop(there.remove(&of.meta().uid)),
            _ => drop(there.insert(&of.meta().uid, of)),
        }
    }
    there.into_values().collect()
}
