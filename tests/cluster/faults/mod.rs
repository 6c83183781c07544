//! What breaks on a real cluster while an upgrade is watched.
//!
//! | file | what |
//! |---|---|
//! | `outages` | the API server and etcd, killed and started again |
//! | `compaction` | etcd compacted, so that watches end with 410 |
//! | `credentials` | a token that expires |
//! | `status` | an operator that writes nonsense |
//! | `together` | several who watch the same |
//! | `scene` | an upgrade whose runs fail when a test says so |
//! | `waiting`, `dashboard` | those who watch, used without blocking |
//! | `way` | a way to the API server that can be cut |
//! | `token` | tokens that expire |

mod compaction;
mod credentials;
mod dashboard;
mod outages;
mod scene;
mod status;
mod together;
mod token;
mod waiting;
mod way;

use std::sync::Arc;

use anyhow::Result;
use libtest_mimic::{Failed, Trial};

use crate::harness::Cluster;

/// What takes something away that all of the cluster needs: these run one at a time, after the upgrades. Without a cluster
/// they can be listed only.
pub fn trials(cluster: Option<&Arc<Cluster>>) -> Vec<Trial> {
    vec![
        trial("api-server-killed", cluster, outages::api_server),
        trial("etcd-killed", cluster, outages::etcd),
        trial("etcd-compacted", cluster, compaction::etcd),
    ]
}

/// What concerns its own namespace alone: these run beside the upgrades.
pub fn trials_beside(cluster: Option<&Arc<Cluster>>) -> Vec<Trial> {
    vec![
        trial("token-for-good", cluster, credentials::for_good),
        trial("token-of-a-plugin", cluster, credentials::plugin),
        trial("token-of-a-file", cluster, credentials::file),
        trial("status-of-nonsense", cluster, status::nonsense),
        trial("watched-by-many", cluster, together::all),
    ]
}

fn trial(name: &str, cluster: Option<&Arc<Cluster>>, test: fn(&Cluster) -> Result<()>) -> Trial {
    let cluster = cluster.cloned();
    Trial::test(format!("faults::{name}"), move || {
        let cluster = cluster.ok_or_else(|| Failed::from("no cluster"))?;
        test(&cluster).map_err(|error| Failed::from(format!("{error:#}")))
    })
}
