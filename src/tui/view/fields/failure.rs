//! What is told of the last failure: what ended and how, the line that tells most of it, the lines around that, and where
//! they come from.

use super::attempts::short_pod;
use super::{CAUSE, Fields, HEAD, LOOSE, MESSAGE, MORE};
use crate::cluster::{Excerpt, ExcerptKind};
use crate::gate::{Failure, GateJob, LastFailure, LogSource};
use crate::run::Run;
use crate::tui::theme::Tone;
use crate::tui::view::words;
use crate::tui::widget::text::width;

/// The most lines below the one that tells most, where not all are shown.
const LINES: usize = 2;

impl Fields<'_> {
    pub(super) fn last_failure(&mut self, run: &Run, last: &LastFailure, job: &GateJob, rank: u8) {
        let LastFailure::Known(failure) = last else {
            self.text(
                rank,
                "Last failure",
                Tone::Text,
                "The detail is no longer available: it failed before gatewatch looked.",
                2,
            );
            let recorded = run.recorded().filter(|_| !self.model.settings.redact);
            if let Some(recorded) = recorded {
                // It recorded what nobody else has any more; most of it only repeats how the Job stands.
                let told = if self.whole { recorded.into() } else { Excerpt::telling_message(recorded) };
                self.text(rank.max(CAUSE), "Operator says", Tone::Text, &told, MESSAGE);
                self.keep_second(rank);
            }
            return;
        };
        self.ending(failure, job, rank);
        self.reason(failure, rank);
    }

    /// What ended, and how; when, and in which pod.
    fn ending(&mut self, failure: &Failure, job: &GateJob, rank: u8) {
        let theme = self.theme;
        let ending = failure.ending.to_string();
        let (what, why) = ending.split_once(" (").unwrap_or((&ending, ""));
        let mut value = vec![theme.span(Tone::Strong, what.to_owned())];
        if !why.is_empty() {
            value.push(theme.span(Tone::Muted, format!(" ({why}")));
        }
        let gone = if failure.pod_gone { " (deleted)" } else { "" };
        let pod = format!(", pod {}", short_pod(&failure.pod, &job.name, 40, theme));
        let ago = failure.time.map(|time| format!("{} ago", words::age(self.model.now(), time)));
        let own_row = ago.as_ref().filter(|ago| !self.add(&mut value, Tone::Text, ago));
        let mut when = own_row.map(|ago| vec![theme.span(Tone::Text, ago.clone())]);
        let line = when.as_mut().unwrap_or(&mut value);
        let taken = line.iter().map(|span| width(&span.content)).sum::<usize>();
        if !failure.pod.is_empty() && taken + width(&pod) + width(gone) <= self.room() {
            line.extend([theme.span(Tone::Text, pod), theme.span(Tone::Muted, gone)]);
        }
        self.field(rank, "Last failure", value);
        if let Some(when) = when {
            self.field(rank.max(CAUSE), "", when);
        }
    }

    /// Why, as far as its message or its log tells.
    fn reason(&mut self, failure: &Failure, rank: u8) {
        if failure.counting.matched().is_some() {
            self.text(rank.max(CAUSE), "", Tone::Muted, &failure.counting.to_string(), 2);
        }
        if self.model.settings.redact {
            return;
        }
        let (bad, rank) = (if rank == HEAD { Tone::Bad } else { Tone::Muted }, rank.max(CAUSE));
        let telling = failure.telling();
        if let Some(telling) = telling.as_ref().filter(|telling| !telling.tail) {
            self.text(rank, "", bad, &telling.text, MESSAGE);
            self.keep_second(rank);
        }
        match &failure.excerpt {
            Some(excerpt) if excerpt.kind == ExcerptKind::Error => {
                self.around(excerpt, &telling.map(|telling| telling.text.into_owned()).unwrap_or_default());
            }
            // Below a message the end of a log is worth its room only where everything is shown.
            Some(tail) if self.whole => self.text(rank, "Log ends", Tone::Text, &tail.lines.join("\n"), MESSAGE),
            Some(tail) if telling.is_some_and(|telling| telling.tail) => {
                self.text(rank, "Log ends", Tone::Text, tail.telling(), 2);
            }
            _ => {}
        }
        if let Some(migration) = failure.excerpt.as_ref().and_then(|excerpt| excerpt.migration.as_ref()) {
            self.text(LOOSE, "", Tone::Muted, &format!("in migration {migration}"), 1);
        }
        // A message that stands there has nothing to explain.
        let explains = match failure.source() {
            LogSource::Log(..) => self.whole,
            LogSource::Message => false,
            LogSource::Nowhere(_) => true,
        };
        if explains {
            self.text(LOOSE, "", Tone::Muted, &failure.source().to_string(), 2);
        }
    }

    /// The lines that belong to the one that was told.
    fn around(&mut self, excerpt: &Excerpt, told: &str) {
        let lines = excerpt.lines.iter().filter(|line| *line != told);
        let most = if self.whole { usize::MAX } else { LINES };
        let lines: Vec<&String> = lines.take(most).collect();
        for line in lines {
            self.text(MORE, "", Tone::Text, line, LINES);
        }
    }
}
