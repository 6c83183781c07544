//! The same upgrades on Kubernetes 1.28 to 1.37.
//!
//! Each version's own API server, controllers, scheduler and kubelet played the pre-deployment migrations of each scenario,
//! and `gatewatch record` recorded them: `versions/1.28/retry.jsonl.gz`. `versions/retry.yaml` states once what all of them
//! tell, and where a version differs. `versions/1.28/retry.yaml`, where there is one, states one of them whole.

#[path = "scenarios/held.rs"]
mod held;
#[path = "scenarios/play.rs"]
mod play;
#[path = "scenarios/stated.rs"]
mod stated;
#[path = "versions/told.rs"]
mod told;

use std::path::{Path, PathBuf};

use anyhow::Result;

/// The minor versions there are recordings of.
const MINORS: &[u32] = &[28, 34, 37];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/versions")
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
}
