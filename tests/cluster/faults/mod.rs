//! What breaks on a real cluster while an upgrade is watched.
//!
//! | file | what breaks |
//! |---|---|
//! | `definition` | the definition of `GitLabCore` |
//! | `jobs` | the Job of a gate |
//! | `namespace` | the namespace |
//! | `node` | the node as a whole |
//! | `restarts` | the kubelet, containerd |
//! | `under_way` | upgrades that are played meanwhile |
//! | `dashboard` | the dashboard that somebody looks at meanwhile |

mod dashboard;
mod definition;
mod jobs;
mod namespace;
mod node;
#[allow(dead_code, reason = "these tests use a part of it")]
#[path = "../../terminal/pty.rs"]
mod pty;
mod restarts;
mod under_way;

use std::sync::Arc;

use anyhow::Result;
use libtest_mimic::{Failed, Trial};

use crate::harness::Cluster;

/// Something that breaks, and what has to hold then.
type Fault = (&'static str, fn(&Cluster) -> Result<()>);

/// Those that take something away that all of the cluster needs: they run one at a time, after the upgrades.
const OF_ALL: &[Fault] = &[
    ("restarts::of_the_kubelet", restarts::of_the_kubelet),
    ("restarts::of_containerd", restarts::of_containerd),
    ("node::is_silent", node::is_silent),
    ("definition::goes_and_comes_back", definition::goes_and_comes_back),
];

/// Those of the same kind that take minutes: only `--ignored` runs them.
const SLOW: &[Fault] = &[("node::is_gone", node::is_gone)];

/// Those that disturb nothing outside of their own namespaces: they run beside the upgrades.
const OF_A_NAMESPACE: &[Fault] = &[
    ("namespace::is_deleted", namespace::is_deleted),
    ("jobs::is_deleted", jobs::is_deleted),
    ("jobs::leaves_its_pod_behind", jobs::leaves_its_pod_behind),
    ("jobs::goes_when_its_time_has_come", jobs::goes_when_its_time_has_come),
];

/// A test for each that runs by itself; without a cluster they can be listed only.
pub fn trials(cluster: Option<&Arc<Cluster>>) -> Vec<Trial> {
    let slow = SLOW.iter().map(|fault| trial(fault, cluster).with_ignored_flag(true));
    OF_ALL.iter().map(|fault| trial(fault, cluster)).chain(slow).collect()
}

/// A test for each that runs beside others.
pub fn trials_beside(cluster: Option<&Arc<Cluster>>) -> Vec<Trial> {
    OF_A_NAMESPACE.iter().map(|fault| trial(fault, cluster)).collect()
}

fn trial(&(name, holds): &Fault, cluster: Option<&Arc<Cluster>>) -> Trial {
    let cluster = cluster.cloned();
    Trial::test(format!("faults::{name}"), move || {
        let cluster = cluster.ok_or_else(|| Failed::from("no cluster"))?;
        holds(&cluster).map_err(|error| Failed::from(format!("{error:#}")))
    })
}
