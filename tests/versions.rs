//! The same upgrades on Kubernetes 1.28 to 1.37.
//!
//! `versions/play.py` played each scenario on each version's own API server, controllers, scheduler and kubelet, and
//! `gatewatch record` recorded it: `versions/1.28/retry.jsonl.gz`. `versions/retry.yaml` states once what all of them tell,
//! and where a version differs; `versions/1.28/retry.yaml` states one of them whole, each change at its moment.
//!
//! What came with a version, of what is read:
//!
//! | version | |
//! |---|---|
//! | 1.29 | Sidecars: init containers with `restartPolicy: Always`. Before, the API server drops that field. |
//! | 1.31 | `FailureTarget` precedes `Failed` for every reason, and `SuccessCriteriaMet` precedes `Complete`. Before, `Failed` comes at once, while the Job's pods still run, and the update before it counts them as failed without a word of why. A pod failure policy alone had `FailureTarget` from the first. |
//! | 1.32 | `ImagePullBackOff` repeats the error of the pull, which before only `ErrImagePull` and events tell. |
//!
//! The rest that is read is the same in all of them: the counts, `uncountedTerminatedPods`, the finalizer and the labels of
//! pods, their `DisruptionTarget` and `status.reason`, the states of containers, the events.

mod common;
#[path = "scenarios/held.rs"]
mod held;
#[path = "scenarios/play.rs"]
mod play;
#[path = "scenarios/stated.rs"]
mod stated;
#[path = "versions/told.rs"]
mod told;

use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::Result;

/// The minor versions, of each of which there are recordings.
const MINORS: RangeInclusive<u32> = 28..=37;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/versions")
}

/// The scenarios that a file in the folder of that name states, without its ending.
fn scenarios_in(directory: &Path, ending: &str) -> Result<BTreeSet<String>> {
    let names = fs::read_dir(directory)?.map(|file| Ok(file?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<Result<_>>()?;
    Ok(names.iter().filter_map(|name| name.strip_suffix(ending)).map(str::to_owned).collect())
}

/// One test for each scenario, so that it can be run by name.
macro_rules! scenarios {
    ($($name:ident: $scenario:literal),* $(,)?) => {
        const SCENARIOS: &[&str] = &[$($scenario),*];
        $(#[test]
        fn $name() -> Result<()> {
            told::hold(&directory(), MINORS, $scenario)
        })*
    };
}

scenarios! {
    deadline: "deadline",
    drain: "drain",
    drain_ignored: "drain-ignored",
    evicted: "evicted",
    exhausted: "exhausted",
    exhausted_pods: "exhausted-pods",
    image: "image",
    init_fails: "init-fails",
    never_policy: "never-policy",
    pod_deleted: "pod-deleted",
    retry: "retry",
    sidecar: "sidecar",
    suspended: "suspended",
    upgrade: "upgrade",
}

#[test]
fn what_is_stated_whole_holds_at_each_moment() -> Result<()> {
    for minor in MINORS {
        let version = format!("1.{minor}");
        for scenario in scenarios_in(&directory().join(&version), ".yaml")? {
            held::holds(&directory(), &directory(), &format!("{version}/{scenario}"))?;
        }
    }
    Ok(())
}

#[test]
fn every_scenario_is_recorded_in_every_version_and_stated_whole_in_one() -> Result<()> {
    let scenarios: BTreeSet<String> = SCENARIOS.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(scenarios_in(&directory(), ".yaml")?, scenarios);
    let mut whole = BTreeSet::new();
    for minor in MINORS {
        let of_version = directory().join(format!("1.{minor}"));
        let mut played = BTreeSet::new();
        for scenario in &scenarios {
            played.extend(told::read(&directory(), scenario)?.plays_on(minor).then(|| scenario.clone()));
        }
        assert_eq!(scenarios_in(&of_version, ".jsonl.gz")?, played, "1.{minor}");
        whole.append(&mut scenarios_in(&of_version, ".yaml")?);
    }
    assert_eq!(whole, scenarios);
    Ok(())
}
