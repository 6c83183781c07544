//! What breaks on a real cluster while an upgrade is watched.
//!
//! | file | what breaks |
//! |---|---|
//! | `outages` | the API server and etcd, killed and started again |
//! | `compaction` | etcd compacted, so that watches end with 410 |
//! | `credentials`, `token` | a token that expires |
//! | `status` | an operator that writes nonsense |
//! | `together` | nothing: several watch the same |
//! | `rights` | nothing: who watches has few rights |
//! | `definition` | the definition of `GitLabCore` |
//! | `jobs` | the Job of a gate |
//! | `namespace` | the namespace |
//! | `node` | the node as a whole |
//! | `restarts` | the kubelet, containerd |
//! | `scene`, `under_way` | upgrades that are played meanwhile: one whose runs fail when a test says so, and several at once |
//! | `waiting` | `gatewatch wait`, used without blocking |
//! | `way` | a way to the API server that can be cut |

mod compaction;
mod credentials;
mod definition;
mod jobs;
mod namespace;
mod node;
mod outages;
mod restarts;
mod rights;
pub mod scene;
mod status;
mod together;
mod token;
mod under_way;
mod waiting;
mod way;

use std::sync::Arc;

use anyhow::Result;
use libtest_mimic::{Failed, Trial};

use crate::harness::Cluster;

/// Something that breaks, and what has to hold then.
type Fault = (&'static str, fn(&Cluster) -> Result<()>);

/// Those that take something away that all of the cluster needs: they run one at a time, after the upgrades. The longer the
/// API server was away, and the oftener within two minutes, the later the controllers and the kubelet ask it again: what keeps
/// it away longest comes last.
const OF_ALL: &[Fault] = &[
    ("etcd-compacted", compaction::etcd),
    ("containerd-restarted", restarts::of_containerd),
    ("kubelet-restarted", restarts::of_the_kubelet),
    ("node-silent", node::is_silent),
    ("definition-deleted", definition::goes_and_comes_back),
    ("etcd-killed", outages::etcd),
    ("api-server-killed", outages::api_server),
];

/// Those of the same kind that take minutes: only `--ignored` runs them.
const SLOW: &[Fault] = &[("node-gone", node::is_gone)];

/// Those that disturb nothing outside of their own namespaces: they run beside the upgrades.
const OF_A_NAMESPACE: &[Fault] = &[
    ("token-for-good", credentials::for_good),
    ("token-of-a-plugin", credentials::plugin),
    ("token-of-a-file", credentials::file),
    ("status-of-nonsense", status::nonsense),
    ("watched-by-many", together::all),
    ("rights-suffice", rights::suffice),
    ("namespace-deleted", namespace::is_deleted),
    ("job-deleted", jobs::is_deleted),
    ("job-leaves-its-pod", jobs::leaves_its_pod_behind),
    ("job-expires", jobs::goes_when_its_time_has_come),
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
