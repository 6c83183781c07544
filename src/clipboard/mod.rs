//! Copying a command out of the program.
//!
//! In come the text to copy and what the environment says of the terminal; out goes an [`Outcome`]: the clipboard took it,
//! or here are the bytes for the terminal, or nothing can be done and the text is to be shown alone. Only what happened is
//! reported: OSC 52 has no answer, so what goes through it was sent, and not copied.
//!
//! | file | holds |
//! |---|---|
//! | `way` | which ways to copy there are here, from the environment; pure |
//! | `osc52` | the escape sequence; pure |
//! | `system` | the system clipboard, on a thread of its own |
//! | `owner` | copies by the ways there are, and keeps what was copied until the program leaves |

mod osc52;
mod owner;
mod system;
mod way;

pub use osc52::{LONGEST, osc52};
pub use owner::{Clipboard, Outcome};
pub use way::{Environment, Way, plan};
