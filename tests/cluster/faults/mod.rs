//! What breaks on a real cluster while an upgrade is watched. Each of these takes something away that all of the cluster
//! needs, so that they run one at a time, after the upgrades.

use std::sync::Arc;

use libtest_mimic::Trial;

use crate::harness::Cluster;

/// A test for each; without a cluster they can be listed only.
pub fn trials(_cluster: Option<&Arc<Cluster>>) -> Vec<Trial> {
    Vec::new()
}
