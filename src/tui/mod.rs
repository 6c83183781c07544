//! The screens: what an administrator looks at while an upgrade, a Job, a rollout or an update runs.
//!
//! In come runs, keys and the time, as a [`Message`] each; [`update()`] changes the [`Model`] and names what is to be done
//! outside; [`view`] draws the model into a buffer. [`run`] is the loop around them, the only part that knows a terminal.
//!
//! | file | holds |
//! |---|---|
//! | `model`, `seen` | all that the screens show, and where the user is; what of it is seen |
//! | `update/` | what a message changes |
//! | `keymap` | every key: dispatch, the bottom bar and help come from it |
//! | `theme`, `look` | every colour and glyph; the colours of a log |
//! | `pager/` | where in a long text one is, and what is searched in it |
//! | `reading/` | what is read on a screen of text: logs, an object |
//! | `save` | a text becomes a file |
//! | `unkept` | what changed since it was kept on disk |
//! | `recorder` | whether it is recorded beside, and how that fares |
//! | `mark` | the states a step is shown in |
//! | `view/` | the screens, one file each, and their parts |
//! | `widget/` | small drawing without a model: text, tables, pips, meter, frame, command |
//! | `terminal` | into the terminal's own screen, and out again on every way |
//! | `input` | keys and sizes, read in a thread of their own |
//! | `cadence` | when the next frame may come |
//! | `driver` | the loop |

mod cadence;
mod driver;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod frames;
#[cfg(test)]
mod frames_of_clusters;
#[cfg(test)]
mod frames_of_feed;
#[cfg(test)]
mod frames_of_jobs;
#[cfg(test)]
mod frames_of_replay;
#[cfg(test)]
mod frames_of_stages;
#[cfg(test)]
mod frames_of_steps;
mod input;
mod keymap;
mod look;
mod mark;
mod model;
mod pager;
#[cfg(test)]
mod properties;
mod reading;
mod recorder;
#[cfg(test)]
mod said;
mod save;
mod seen;
#[cfg(test)]
mod symptoms;
#[cfg(test)]
mod tape_frames;
mod terminal;
#[cfg(test)]
mod text_frames;
mod theme;
mod unkept;
mod update;
pub mod view;
mod widget;

pub use driver::{Leave, Left, Ports, run};
pub use input::Input;
pub use keymap::{Action, Key, KeyFault, KeyMap};
pub use mark::Mark;
pub use model::{Effect, Message, Mode, Model, Origin, Settings};
pub use recorder::RecorderState;
pub use theme::{Background, Colours, Palette, Theme};
pub use update::update;
