//! What is read on a screen of text: the logs of a gate, or an object. It keeps the last there was of it: neither a hop that
//! advances nor an object that is deleted takes a text away from whoever reads it.
//!
//! | file | holds |
//! |---|---|
//! | `logs` | the logs of a gate: which run's, and which one next |
//! | `object` | an object, as YAML or described |

mod logs;
mod object;

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use logs::{Logs, Which};
pub use object::{Form, Object};

use super::pager::{Pager, Text};
use crate::run::Run;

/// A text that is read, and where in it one is.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What is read.
    pub subject: Subject,
    /// Where in it one is.
    pub pager: Pager,
}

/// What is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The logs of a gate.
    Logs(Box<Logs>),
    /// An object.
    Object(Box<Object>),
}

impl Reading {
    /// The logs of a gate.
    pub fn logs(logs: Logs) -> Self {
        Self { subject: Subject::Logs(Box::new(logs)), pager: Pager::at_end() }
    }

    /// An object.
    pub fn object(object: Object) -> Self {
        Self { subject: Subject::Object(Box::new(object)), pager: Pager::at_start() }
    }

    /// The text itself.
    pub fn text(&self) -> Text<'_> {
        text(&self.subject)
    }

    /// The text, and where in it one is.
    pub fn parts(&mut self) -> (Text<'_>, &mut Pager) {
        (text(&self.subject), &mut self.pager)
    }

    /// When what is read began, where that is known.
    pub fn began(&self) -> Option<Timestamp> {
        match &self.subject {
            Subject::Logs(logs) => logs.job.started,
            Subject::Object(object) => object.began,
        }
    }

    /// Whether what is read is one of what these runs are made of.
    pub fn is_among(&self, runs: &[Run]) -> bool {
        match &self.subject {
            Subject::Logs(logs) => logs.now(runs).is_some(),
            Subject::Object(object) => object.now(runs).is_some(),
        }
    }

    /// Takes in what became of it. While its end is followed, the next attempt takes the place of the one that was shown.
    pub fn see(&mut self, runs: &[Run], zone: &TimeZone) {
        match &mut self.subject {
            Subject::Logs(logs) => {
                if logs.see(runs, self.pager.sticks()) {
                    self.pager.turn();
                }
            }
            Subject::Object(object) => object.see(runs, zone),
        }
        let (text, pager) = self.parts();
        pager.refresh(text);
    }
}

fn text(subject: &Subject) -> Text<'_> {
    match subject {
        Subject::Logs(logs) => logs.text(),
        Subject::Object(object) => Text::whole(&object.lines),
    }
}
