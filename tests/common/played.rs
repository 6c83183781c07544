//! Recordings as the engine plays them.

use std::path::Path;

use gatewatch::cluster::World;
use gatewatch::record::{self, Reading, Recording};
use gatewatch::run::{Run, derive};
use jiff::Timestamp;

/// A recording, of which nothing may be missing.
pub fn recording(path: impl AsRef<Path>) -> Recording {
    let path = path.as_ref();
    let Reading::Recording(recording) = record::open(path).unwrap() else { panic!("{} is a dump", path.display()) };
    assert!(recording.cuts.is_empty(), "{}: {:?}", path.display(), recording.cuts);
    recording
}

/// The world of a recording at a moment.
pub fn world(path: impl AsRef<Path>, until: Timestamp) -> World {
    let mut world = World::default();
    recording(path).events.into_iter().filter(|event| event.time <= until).for_each(|event| world.apply(event));
    world
}

/// The run after each event of a recording that has one only, and the event's time of day.
pub fn runs(path: impl AsRef<Path>) -> Vec<(String, Run)> {
    let mut world = World::default();
    let after = recording(path).events.into_iter().filter_map(|event| {
        let at = event.time.strftime("%H:%M:%S%.3f").to_string();
        world.apply(event);
        let mut runs = derive(&world);
        assert!(runs.len() <= 1, "{at}: {} runs of one thing", runs.len());
        runs.pop().map(|run| (at, run))
    });
    after.collect()
}
