//! Small drawing that knows no model: text that is cut and wrapped, pips, a meter, a command.
//!
//! In come texts, numbers and the [`Theme`](super::theme::Theme); out come spans and lines.
//!
//! | file | holds |
//! |---|---|
//! | `text` | how wide a text is; cut, wrapped |
//! | `pips` | attempts, one pip each |
//! | `meter` | how much of something is over |
//! | `track` | where on something long one is, and what lies where |
//! | `curve` | a quantity over time |
//! | `command` | a command, wrapped and highlighted |
//! | `frame` | a frame with a title |
//! | `table` | columns that are as wide as they have to be |

pub mod command;
pub mod curve;
pub mod frame;
pub mod meter;
pub mod pips;
pub mod table;
pub mod text;
pub mod track;
