//! What is kept on disk, so that the program goes on where it ended: of each upgrade its journal, and what the world
//! remembers of its Jobs and pods.
//!
//! In come what to keep and whose memory is asked for; out goes a [`Report`]: what was kept, or why nothing can be. Files
//! are read and written by a thread of their own, as a disk can hang. A fault is told once and never ends anything.
//!
//! | file | holds |
//! |---|---|
//! | `place` | the folder, from the environment; pure |
//! | `format` | what stands in a file; what is read is cleaned anew |
//! | `folder` | the files of the upgrades: their names, which of them is newest, which are old |
//! | `others` | what several programs keep of one upgrade |
//! | `keeper` | the thread |

mod folder;
mod format;
mod keeper;
mod others;
mod place;
#[cfg(test)]
mod sample;

pub use format::Kept;
pub use keeper::{Keeper, Report};
pub use place::Place;
