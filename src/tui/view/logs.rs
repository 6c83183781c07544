//! The logs of a gate, one run at a time: which one it is, how it ended, where the text is from; and the text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::fields::{outcome as outcome_of, short_pod};
use super::{bar, text, words};
use crate::cluster::{Log, LogEnd, Via};
use crate::gate::{Attempt, Outcome, RunLog};
use crate::tui::model::{Model, Origin};
use crate::tui::pager::Room;
use crate::tui::reading::{Logs, Reading, Which};
use crate::tui::theme::{Glyph, Tone};
use crate::tui::widget::text::{line_width, one_line, width};

/// The rows of what is said of the text.
const HEADS: u16 = 3;
/// From how many columns on the step and the pod have room beside the Job and the container.
const BROAD: u16 = 80;

/// The columns that margins take, and how long a run took.
const WHEN: usize = 4 + "took 59m59s".len();

/// How much of the text is seen at once.
pub fn room(model: &Model, area: Rect) -> Room {
    text::room(model, area, HEADS)
}

/// Draws the screen.
pub fn draw(model: &Model, reading: &Reading, logs: &Logs, buffer: &mut Buffer) {
    let area = buffer.area;
    let over = logs.job.ended.is_some() || logs.job.gone;
    let following = reading.pager.sticks() && logs.is_live() && !over;
    let status = text::status(model, reading, room(model, area), following);
    let heads = vec![
        (title(model, logs), which(model, logs)),
        (how(model, logs), Line::from(when(model, logs))),
        (Line::from(source(model, logs, following)), Line::from(status)),
    ];
    text::draw(model, reading, heads, buffer);
    bar::draw(model, Line::default(), buffer);
}

fn title(model: &Model, logs: &Logs) -> Line<'static> {
    let theme = model.theme();
    let mut spans = Vec::new();
    if model.size().width >= BROAD {
        spans.push(theme.span(Tone::Strong, logs.step.title()));
        spans.push(theme.span(Tone::Muted, format!(" {} ", theme.glyph(Glyph::Dot))));
    }
    spans.push(theme.span(Tone::Strong, format!("job/{}", one_line(&logs.job.name))));
    if logs.job.gone {
        spans.push(theme.span(Tone::Muted, " (deleted)"));
    }
    Line::from(spans)
}

/// Which attempt of how many, between the keys that lead to others.
fn which(model: &Model, logs: &Logs) -> Line<'static> {
    let theme = model.theme();
    if logs.run().is_none() {
        return Line::default();
    }
    let word = match logs.attempt() {
        Some((number, _)) => format!("attempt {number} of {}", logs.job.unseen() + logs.job.history.len()),
        None => "beside the attempts".to_owned(),
    };
    let key = |key: &'static str, which| {
        let tone = if logs.pick(which).is_some() { Tone::Strong } else { Tone::Faint };
        theme.span(tone, key)
    };
    let (before, after) = (key("[ ", Which::Before), key(" ]", Which::After));
    Line::from(vec![before, theme.span(Tone::Text, word), after])
}

/// The container, its pod, and what became of the run.
fn how(model: &Model, logs: &Logs) -> Line<'static> {
    let theme = model.theme();
    let Some(run) = logs.run() else { return Line::default() };
    let pod = short_pod(&run.pod, &logs.job.name, 24, theme);
    let gone = logs.pod().is_none_or(|pod| pod.gone);
    let mut spans = vec![theme.span(Tone::Strong, one_line(&run.run.container))];
    if model.size().width >= BROAD {
        spans.push(theme.span(Tone::Muted, format!(" in {pod}{}", if gone { " (gone)" } else { "" })));
    }
    let (tone, became) = became(run, logs.attempt().map(|(_, attempt)| attempt));
    spans.push(Span::raw("  "));
    spans.push(theme.span(tone, became));
    let names = logs.containers();
    let mut line = Line::from(spans);
    if let Some(next) = logs.pick(Which::NextContainer).filter(|_| names.len() > 1) {
        let next = format!("  Tab: {}", one_line(&next.run.container));
        if line_width(&line) + width(&next) + WHEN <= usize::from(model.size().width) {
            line.push_span(theme.span(Tone::Muted, next));
        }
    }
    line
}

/// What became of a run, in words.
fn became(run: &RunLog, attempt: Option<&Attempt>) -> (Tone, String) {
    match attempt.map(|attempt| &attempt.outcome) {
        // A run beside the one that makes the attempt.
        Some(Outcome::Running) | None if run.ended.is_some() => (Tone::Muted, "ended".to_owned()),
        Some(outcome) => (outcome_of(outcome).1, words::became(outcome)),
        None => (Tone::Muted, String::new()),
    }
}

/// When it began and ended, and how long it took; where there is less room, less of it.
fn when(model: &Model, logs: &Logs) -> Vec<Span<'static>> {
    let theme = model.theme();
    let Some(started) = logs.run().and_then(|run| run.started) else { return Vec::new() };
    let ended = logs.run().and_then(|run| run.ended);
    let clock = |time| words::clock(time, model.now(), &model.settings.zone);
    let took = words::span(ended.unwrap_or(model.now()).duration_since(started));
    let short = match ended {
        Some(_) => format!("took {took}"),
        None => format!("for {took}"),
    };
    let times = match ended {
        Some(ended) => format!("{} to {}, ", clock(started), clock(ended)),
        None => format!("since {}, ", clock(started)),
    };
    let spare = usize::from(model.size().width).saturating_sub(line_width(&how(model, logs)) + 4);
    let long = format!("{times}{short}");
    vec![theme.span(Tone::Muted, if long.len() <= spare { long } else { short })]
}

/// Where the text is from, unless beside it stands that it is being followed; and what of it there is not.
fn source(model: &Model, logs: &Logs, following: bool) -> Vec<Span<'static>> {
    let theme = model.theme();
    let Some(run) = logs.run() else {
        let why = match logs.job.attempts.any() || logs.job.ended.is_some() {
            true => "it ran before gatewatch looked",
            false => "no container of it has run, as far as was seen",
        };
        return vec![theme.span(Tone::Warning, format!("no log: {why}"))];
    };
    let instead = if logs.is_message() { "termination message; " } else { "" };
    match &run.log {
        Some(log) => {
            let (tone, mut words) = read(log);
            if following && log.end().is_none() && log.via() == Via::Followed {
                words.clear();
            }
            let mut parts = vec![theme.span(tone, format!("{instead}{words}"))];
            if log.dropped() > 0 {
                let lines = if log.dropped() == 1 { "line" } else { "lines" };
                let dropped = format!("{} earlier {lines} not kept", words::thousands(log.dropped()));
                parts.push(theme.span(Tone::Warning, dropped));
            }
            text::between(parts)
        }
        None => {
            let why = match (model.settings.origin, logs.pod()) {
                (Origin::Replay, _) => "no log of it was recorded so far",
                (_, Some(pod)) if !pod.gone => "no log was read yet",
                (_, _) => "no log was read before its pod went",
            };
            // What runs is yet to leave one.
            let runs = run.ended.is_none() && logs.pod().is_some_and(|pod| !pod.gone);
            let nothing = if logs.is_message() || runs { "" } else { ", and it left no message" };
            vec![theme.span(Tone::Warning, format!("{instead}{why}{nothing}"))]
        }
    }
}

/// In which way a log was read, and how that ended.
fn read(log: &Log) -> (Tone, String) {
    let way = match (log.via(), log.end()) {
        (Via::Followed, Some(LogEnd::Complete)) => "followed to its end",
        (Via::Followed, _) => "followed",
        (Via::Afterwards, _) => "read after it ended",
        (Via::Previous, _) => "read with --previous",
    };
    match log.end() {
        None | Some(LogEnd::Complete) => (Tone::Muted, way.to_owned()),
        Some(LogEnd::Forbidden(message)) => (Tone::Warning, format!("you may not read logs: {}", one_line(message))),
        Some(LogEnd::Gone) => (Tone::Warning, "the kubelet had its log no more".to_owned()),
        Some(LogEnd::Broken(message)) => (Tone::Warning, format!("{way}, and broke off: {}", one_line(message))),
    }
}
