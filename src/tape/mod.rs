//! The tape: what a source said, in order, and the way back and forth on it.
//!
//! In come [`ClusterEvent`](crate::cluster::ClusterEvent)s, of a live feed one after the other and of a recording all at
//! once, and the machine's time; out come moments: the runs and the feed as they were after any event. A live feed and a
//! recording differ in one thing alone: how far the tape was taken in.
//!
//! - The **frontier** is that far: what the journal, the notices and the state on disk have seen. Of a live feed it is
//!   always the end; of a recording the furthest that the playhead has been. It moves on and never back, so that nothing is
//!   told twice however often one goes back and forth.
//! - A **mark** is an instant after which what is derived differs: what a person calls a change.
//! - The **playhead** stands at a recorded time, plays from there or waits; on a live feed it follows the end until
//!   somebody looks back.
//!
//! Bounds: of a live feed the last [`MOST_BYTES`] of events are kept, by an estimate of what they take; the oldest go first.
//! A copy of the world is kept about every [`MOST_BETWEEN`] events, and less often where the world is larger, so that the
//! copies take about as much as the events at most, and that a step back costs no more than so many events. A recording is
//! on the tape as a whole: whoever opens it has chosen how much that is.
//!
//! | file | holds |
//! |---|---|
//! | `reel` | the events, the copies of the world between them, the marks; the world after any event |
//! | `marker` | what is a mark, and what is a failure |
//! | `outline` | runs without what changes all the time |
//! | `playhead` | where it is, by the machine's time |
//! | `moment` | what comes out: a moment, and how the playhead stands |
//! | `travel` | where one can go |
//! | `deck` | all of it put together: events, time and keys in, moments out |

mod deck;
mod marker;
mod moment;
mod outline;
mod playhead;
mod reel;
mod travel;

pub use deck::{Deck, Step, Wait};
pub use moment::{Gauge, Moment, Motion, Shown};
pub use reel::{MOST_BETWEEN, MOST_BYTES};
pub use travel::Travel;
