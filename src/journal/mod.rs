//! The journal: what became of each run, entry by entry, once. It goes on where it ended when the program runs again.
//!
//! In come the runs as they were and as they are, how the feed fares, and what was kept of a run's journal; out go the
//! entries, and which of them are worth a word beyond the screen. Nothing here knows a screen or a file. The rules:
//! 1. A change is an entry as [`run::changes`](crate::run::changes) tells it: a relist and a reconnect are none. What
//!    comes before every watch has listed would be half a cluster, and is none either.
//! 2. A run's journal begins with what was kept of it. What stands then is held against what stood last: the same word
//!    and no higher count is no entry; anything else is one, that happened while nobody watched. Only the same Job, or
//!    the same hop, is compared.
//! 3. Of a run of which nothing was kept, what stands is told as it was found.
//! 4. What changes while the answer of what was kept is awaited comes after it.
//!
//! | file | holds |
//! |---|---|
//! | `entry` | one entry, and what stands |
//! | `book` | the journal of one run, as it is kept |
//! | `journals` | those of all runs |

mod book;
mod entry;
mod journals;
#[cfg(test)]
mod tests;

pub use book::{Journal, MOST_ENTRIES};
pub use entry::{Entry, How, News, Tried};
pub use journals::{Journals, Seen};
