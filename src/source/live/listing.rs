//! How a kind is listed: as a stream, where the server has streaming lists.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a kind is listed, shared by the watches of that kind: as a stream, until the server turns out not to have it, and
/// in pages from then on.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    in_pages: Arc<AtomicBool>,
}

impl Listing {
    /// Whether to ask for a stream.
    pub(super) fn streams(&self) -> bool {
        !self.in_pages.load(Ordering::Relaxed)
    }

    /// From now on, lists come in pages.
    pub(super) fn give_up_streams(&self) {
        self.in_pages.store(true, Ordering::Relaxed);
    }
}
