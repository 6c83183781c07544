//! The details of a gate in sections: its limits, its attempts one by one, its pods, conditions and events; and the Jobs
//! a run left behind.

use jiff::Timestamp;
use ratatui::text::{Line, Span};

use super::fields::{outcome, short_pod};
use super::{steps, words};
use crate::cluster::PodPhase;
use crate::gate::{Attempt, Count, GateJob, GatePod, Outcome, Tally};
use crate::run::{PastJob, Run, Step};
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::{Theme, Tone};
use crate::tui::widget::table::{Align, table};
use crate::tui::widget::text::one_line;

/// A title and its lines.
pub struct Section {
    /// The title.
    pub title: &'static str,
    /// What stands below it; at least one line.
    pub lines: Vec<Line<'static>>,
}

/// The sections of a step that have something to say, and at the end the Jobs that the run left behind. `whole` leaves
/// messages more than one line.
pub fn all(model: &Model, run: &Run, step: &Step, columns: usize, whole: bool) -> Vec<Section> {
    let most = if whole { MESSAGE } else { 1 };
    let drawn = Drawn { model, theme: model.theme(), columns, most };
    let mut sections = Vec::new();
    if let Some(job) = step.gate().and_then(|gate| gate.job.as_ref()) {
        sections.push(Section { title: "Limits", lines: drawn.limits(job) });
        sections.push(Section { title: "Attempts", lines: drawn.attempts(job) });
        sections.push(Section { title: "Pods", lines: drawn.pods(job) });
        sections.push(Section { title: "Conditions", lines: drawn.conditions(job) });
        sections.push(Section { title: "Events", lines: drawn.events(job) });
    }
    sections.push(Section { title: "Earlier Jobs", lines: drawn.history(&run.history) });
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// The sections one below the other, a blank line before each but the first.
pub fn lines(model: &Model, sections: Vec<Section>) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for section in sections {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(model.theme().span(Tone::Strong, section.title)));
        lines.extend(section.lines);
    }
    lines
}

type Cells = Vec<Span<'static>>;

struct Drawn<'a> {
    model: &'a Model,
    theme: Theme,
    columns: usize,
    most: usize,
}

/// The most lines of a message.
const MESSAGE: usize = 12;

impl Drawn<'_> {
    fn span(&self, tone: Tone, text: impl Into<String>) -> Span<'static> {
        self.theme.span(tone, text.into())
    }

    fn table(&self, columns: &[Align], rows: Vec<Cells>) -> Vec<Line<'static>> {
        table(self.theme, columns, rows, self.columns, self.most)
    }

    fn clock(&self, time: Option<Timestamp>) -> Span<'static> {
        let text = time.map(|time| words::clock(time, self.model.now, &self.model.settings.zone));
        self.span(Tone::Muted, text.unwrap_or_else(|| "?".into()))
    }

    fn took(&self, started: Option<Timestamp>, ended: Option<Timestamp>) -> Span<'static> {
        let took = started.zip(ended).map(|(started, ended)| words::span(ended.duration_since(started)));
        self.span(Tone::Text, took.unwrap_or_default())
    }

    /// Both counts, the nearer one marked.
    fn limits(&self, job: &GateJob) -> Vec<Line<'static>> {
        let row = |what: &'static str, count: Count, tally: Tally, limit: &str| {
            let near = if job.attempts.any() && job.attempts.nearer == count { "nearer its limit; " } else { "" };
            let tone = if tally.failed > 0 { Tone::Warning } else { Tone::Text };
            vec![
                self.span(Tone::Text, what),
                self.span(tone, format!("{} of {} failed", tally.failed, tally.limit)),
                self.span(Tone::Text, format!("{} left", tally.left())),
                self.span(Tone::Muted, format!("{near}{limit}")),
            ]
        };
        let rows = vec![
            row("restarts", Count::Restarts, job.attempts.restarts, "backoffLimit, at least 1"),
            row("pods", Count::Pods, job.attempts.pods, "backoffLimit + 1"),
        ];
        self.table(&[Align::Left, Align::Right, Align::Right, Align::Left], rows)
    }

    fn attempts(&self, job: &GateJob) -> Vec<Line<'static>> {
        let row = |(number, attempt): (usize, &Attempt)| {
            let (glyph, tone) = outcome(&attempt.outcome);
            let ended = match attempt.outcome {
                Outcome::Running => Some(self.model.now),
                _ => attempt.ended,
            };
            let what = attempt.container().unwrap_or("pod");
            let words = match &attempt.outcome {
                Outcome::Failed { ending, .. } => {
                    let reason = job.reason(number).unwrap_or_default();
                    format!("{ending}  {}", one_line(self.model.told(&reason)))
                }
                Outcome::Running => format!("{what} runs"),
                Outcome::Succeeded => format!("{what} ended well"),
                Outcome::Stopped => format!("{what} was stopped, which is no failure of its own"),
            };
            vec![
                self.span(Tone::Muted, (number + 1).to_string()),
                self.span(tone, self.theme.glyph(glyph)),
                self.clock(attempt.started),
                self.took(attempt.started, ended),
                self.span(Tone::Muted, short_pod(&attempt.pod, &job.name, 20, self.theme)),
                self.span(Tone::Text, words),
            ]
        };
        let rows = job.history.iter().enumerate().map(row).collect();
        self.table(&[Align::Right, Align::Left, Align::Left, Align::Right, Align::Left, Align::Left], rows)
    }

    fn pods(&self, job: &GateJob) -> Vec<Line<'static>> {
        let row = |pod: &GatePod| {
            let (phase, tone) = phase(pod);
            let node = pod.node.as_deref().map_or_else(|| "no node".to_owned(), |node| format!("on {node}"));
            let reason = if pod.reason.is_empty() { String::new() } else { format!(", {}", pod.reason) };
            vec![
                self.span(Tone::Text, short_pod(&pod.name, &job.name, 40, self.theme)),
                self.span(tone, phase),
                self.clock(pod.created),
                self.span(Tone::Text, words::counted(pod.restarts as usize, "restart")),
                self.span(Tone::Muted, format!("{node}{reason}")),
            ]
        };
        self.table(
            &[Align::Left, Align::Left, Align::Left, Align::Right, Align::Left],
            job.pods.iter().map(row).collect(),
        )
    }

    fn conditions(&self, job: &GateJob) -> Vec<Line<'static>> {
        let rows = job.conditions.iter().map(|condition| {
            let (tone, holds) = if condition.holds { (Tone::Text, "True") } else { (Tone::Muted, "False") };
            vec![
                self.clock(condition.since),
                self.span(tone, condition.kind.clone()),
                self.span(tone, holds),
                self.span(tone, condition.reason.clone()),
                self.span(Tone::Muted, one_line(self.model.told(&condition.message))),
            ]
        });
        self.table(&[Align::Left; 5], rows.collect())
    }

    fn events(&self, job: &GateJob) -> Vec<Line<'static>> {
        let rows = job.events.iter().map(|event| {
            let about = match event.about_name == job.name {
                true => "job".to_owned(),
                false => short_pod(&event.about_name, &job.name, 24, self.theme),
            };
            let times = if event.count > 1 { format!("{}x", event.count) } else { String::new() };
            vec![
                self.clock(event.last),
                self.span(if event.warning { Tone::Warning } else { Tone::Text }, event.reason.clone()),
                self.span(Tone::Muted, times),
                self.span(Tone::Muted, about),
                self.span(Tone::Text, one_line(self.model.told(&event.message))),
            ]
        });
        self.table(&[Align::Left, Align::Left, Align::Right, Align::Left, Align::Left], rows.collect())
    }

    fn history(&self, history: &[PastJob]) -> Vec<Line<'static>> {
        let rows = history.iter().map(|job| {
            let title = job.step.map_or("no gate", |step| step.title());
            vec![
                self.clock(job.started),
                self.took(job.started, job.ended),
                self.span(Tone::Muted, job.version.clone().unwrap_or_default()),
                steps::state(self.model, Mark::from(&job.state)),
                self.span(Tone::Text, title),
                self.span(Tone::Muted, job.name.clone()),
            ]
        });
        let columns = [Align::Left, Align::Right, Align::Left, Align::Left, Align::Left, Align::Left];
        self.table(&columns, rows.collect())
    }
}

/// How a pod stands, in words.
fn phase(pod: &GatePod) -> (&'static str, Tone) {
    match pod.phase {
        _ if pod.gone => ("deleted", Tone::Muted),
        _ if pod.terminating => ("terminating", Tone::Warning),
        PodPhase::Pending => ("pending", Tone::Text),
        PodPhase::Running => ("running", Tone::Active),
        PodPhase::Succeeded => ("succeeded", Tone::Good),
        PodPhase::Failed => ("failed", Tone::Bad),
        PodPhase::Unknown => ("unknown", Tone::Muted),
    }
}
