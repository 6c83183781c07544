//! Where cluster events come from.
//!
//! In goes a connection; out come [`ClusterEvent`]s, into a channel, until the source ends or nobody
//! listens any more. How a watch fares is an event too: what breaks is said where everything is said, and never ends in
//! a log.
//!
//! | file | holds |
//! |---|---|
//! | `live` | watches on a cluster |
//! | `recorded` | another source, recorded |
//! | `server` | no source: an API server in the box, for a live watch to connect to |

pub mod live;
mod recorded;
pub mod server;

use std::future::Future;

use thiserror::Error;
use tokio::sync::mpsc::Sender;

use crate::cluster::ClusterEvent;

pub use recorded::Recorded;

/// Something that cluster events come from.
pub trait Source {
    /// Sends what it hears into `out`, until there is nothing more to come or the receiver is gone. Dropping the future
    /// ends everything the source had started.
    ///
    /// # Errors
    /// A [`SourceError`] if a part of it died. That the cluster can't be reached is none: it's an event.
    fn run(self, out: Sender<ClusterEvent>) -> impl Future<Output = Result<(), SourceError>> + Send;
}

/// Why a source ended before its time.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The task of a watch died of a fault of ours.
    #[error("a watch died of an error in gatewatch; please report it")]
    Died(#[source] tokio::task::JoinError),
}
