//! The recordings that are part of the program.

use crate::error::ExpectedError;
use crate::record::{self, Reading, Recording};

/// A recorded upgrade that can be played.
#[derive(Debug)]
pub struct Scenario {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What happens in it, in one sentence.
    pub tells: &'static str,
    recording: &'static [u8],
}

macro_rules! scenarios {
    ($($name:literal: $tells:literal,)*) => {
        &[$(Scenario {
            name: $name,
            tells: $tells,
            recording: include_bytes!(concat!("../../assets/demo/", $name, ".jsonl.gz")),
        }),*]
    };
}

/// All of them, the simplest first.
pub const SCENARIOS: &[Scenario] = scenarios! {
    "smooth": "Two hops, and nothing fails",
    "retry": "The full migrations fail three times, then pass",
    "rails": "The full migrations fail twice without a message, and only their log tells why",
    "exhausted": "Every attempt of the full migrations fails, up to the limit, and the upgrade with them",
    "evicted-storage": "The pod of the pre-deployment migrations is evicted, and its replacement passes",
    "image-missing": "The image of the pre-deployment migrations cannot be pulled, until it is mended",
    "secret-missing": "The pre-deployment migrations need a secret that is missing, until it is made",
    "deadline": "The background migrations do not end before the deadline of the gate that waits for them",
};

/// The name of the one that is played where none is asked for: it has the most to show.
pub const DEFAULT: &str = "rails";

impl Scenario {
    /// The one of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SCENARIOS.iter().find(|scenario| scenario.name == name)
    }

    /// What was recorded.
    ///
    /// # Errors
    /// None that a test of this module would not find first.
    pub fn recording(&self) -> Result<Recording, ExpectedError> {
        let name = format!("the recording `{}`", self.name);
        match record::read(self.recording, &name)? {
            Reading::Recording(recording) => Ok(recording),
            Reading::Dump(_) => Err(ExpectedError::usage(format!("{name} shows one moment, and nothing in it moves"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cluster::{Object, World};
    use crate::run::{Verdict, derive};

    #[test]
    fn every_scenario_is_a_whole_recording_of_one_instance_that_is_upgraded() {
        for scenario in SCENARIOS {
            let recording = scenario.recording().unwrap();
            assert_eq!(recording.cuts, [], "{}", scenario.name);
            let whole = |object: &Object| object.meta().manifest.object().is_some();
            let mut objects = recording.events.iter().flat_map(|event| event.change.objects());
            assert!(objects.all(whole), "{}: a part of an object can't be served", scenario.name);
            let mut world = World::default();
            recording.events.into_iter().for_each(|event| world.apply(event));
            let runs = derive(&world);
            let [run] = runs.as_slice() else { panic!("{}: {} instances", scenario.name, runs.len()) };
            let failed = matches!(scenario.name, "exhausted" | "deadline");
            assert_eq!(run.verdict, if failed { Verdict::Failed } else { Verdict::Settled }, "{}", scenario.name);
        }
    }

    #[test]
    fn every_recording_of_the_folder_is_a_scenario() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
        let files: BTreeSet<_> = folder.read_dir().unwrap().map(|file| file.unwrap().file_name()).collect();
        let named: BTreeSet<_> =
            SCENARIOS.iter().map(|scenario| format!("{}.jsonl.gz", scenario.name).into()).collect();
        assert_eq!(files, named);
        assert!(Scenario::named(DEFAULT).is_some());
    }
}
