//! How the feeds of all clusters fared last, for whoever tells what becomes of them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{RunChange, feed_change};
use crate::cluster::{ClusterName, Feed, FeedState};

/// How the feed of each cluster fared last. A cluster has no name where only one is watched.
#[derive(Debug, Default)]
pub struct Feeds {
    states: BTreeMap<Option<ClusterName>, FeedState>,
    listed: BTreeSet<Option<ClusterName>>,
}

impl Feeds {
    /// Takes in how all of them fare at `time`, and tells what is news, each with the state that the feed came to.
    #[must_use]
    pub fn see(&mut self, feed: &Feed, time: Timestamp) -> Vec<(RunChange, FeedState)> {
        let mut changed = Vec::new();
        for (cluster, feed) in feed.each() {
            let now = feed.state();
            let before = self.states.entry(cluster.cloned()).or_insert(FeedState::Connecting);
            changed.extend(feed_change(cluster, before, &now, time).map(|change| (change, now.clone())));
            if now.all_listed() {
                self.listed.insert(cluster.cloned());
            }
            // While a connection is made again, the feed is what it was: that is when it comes back.
            if now != FeedState::Connecting {
                *before = now;
            }
        }
        changed
    }

    /// The clusters of which everything was listed once. Before that, half a cluster would pass for news.
    pub fn listed(&self) -> &BTreeSet<Option<ClusterName>> {
        &self.listed
    }
}
