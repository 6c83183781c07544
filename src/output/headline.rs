//! What stands over all that is told of a run.

use std::fmt::Write;

use crate::run::{Run, Source, Verdict};

/// The name of a run, its verdict, and where it goes or what made it.
pub(super) fn headline(run: &Run) -> String {
    let kind = match run.source {
        Source::GitLabCore => String::new(),
        source => format!("{} ", source.word()),
    };
    let mut words = format!("{kind}{}: {}", run.full_name(), run.word());
    if let Some(made_by) = &run.made_by {
        let _ = write!(words, ", {made_by}");
    }
    let course = &run.course;
    match (&course.from, &course.target) {
        (Some(from), Some(target)) if run.verdict != Verdict::Settled => {
            let _ = write!(words, ", {from} to {target}");
        }
        (_, Some(version)) | (Some(version), None) => {
            let _ = write!(words, ", {version}");
        }
        (None, None) => {}
    }
    if let Some(hop) = course.hop.as_ref().filter(|hop| hop.of > 1 && run.verdict != Verdict::Settled) {
        let _ = write!(words, ", hop {hop}");
    }
    words
}
