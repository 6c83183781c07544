//! A report of an upgrade, for the change ticket or the post-mortem.
//!
//! In comes a tape, or one look at a cluster with the journals that were kept; out comes one Markdown or HTML file. Nothing
//! is derived a second time: what happened is what the journal says, and the runs as they stand tell the rest.
//!
//! ```text
//! moments ─▶ Course ─▶ Report ─▶ Document ─▶ Markdown, HTML
//! ```
//!
//! Redaction is done where a [`Report`] is made, so that nothing after it could tell what is hidden. What came from a
//! cluster is marked as that in a document (`Piece::Theirs`), and each format has one place that makes
//! it harmless.
//!
//! | file | holds |
//! |---|---|
//! | `course` | what became of the runs on a tape |
//! | `report`, `hops`, `jobs` | the report: the instances, their hops and steps, the Jobs and attempts |
//! | `stages` | what an operator works through: components, and what it says |
//! | `axis` | times as places on a line |
//! | `document`, `content` | the parts of a report in their order, before any format; what stands in them |
//! | `markdown`, `html` | the two formats |

mod axis;
mod content;
mod course;
mod document;
mod hops;
mod html;
mod jobs;
mod markdown;
#[allow(clippy::module_inception, reason = "the folder is about reports, and this file is the report")]
mod report;
mod stages;
#[cfg(test)]
mod tests;

use std::io;

pub use course::Course;
pub use report::{Given, Origin, Report};

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// Markdown, for an issue or a ticket.
    Markdown,
    /// One HTML file that needs nothing else.
    Html,
}

impl Report {
    /// Writes the report.
    ///
    /// # Errors
    /// What writing to `out` gives.
    pub fn print(&self, format: ReportFormat, out: &mut impl io::Write) -> io::Result<()> {
        let document = content::document(self);
        let text = match format {
            ReportFormat::Markdown => markdown::write(&document),
            ReportFormat::Html => html::write(&document),
        };
        out.write_all(text.as_bytes())
    }
}
