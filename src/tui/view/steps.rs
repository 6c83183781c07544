//! The steps of a run, one a line, the rail between them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::words;
use crate::cluster::WorkloadKind;
use crate::gate::{Attempts, Count, Gate, GateJob, GateState, Outcome, Outlook, Progress, Unseen};
use crate::run::{Rollout, RolloutState, Run, Stage, StageState, Step, StepBody, UnseenDeployments};
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Theme, Tone};
use crate::tui::widget::pips::pips;
use crate::tui::widget::text::{fit, line_width, one_line, put, width};

/// The columns where things stand, and how much room the last ones have.
struct Columns {
    glyph: u16,
    number: Option<u16>,
    title: u16,
    state: u16,
    /// Where the elapsed time ends.
    elapsed: u16,
    extra: u16,
}

impl Columns {
    fn of(width: u16) -> Self {
        if width < 80 {
            Self { glyph: 1, number: None, title: 3, state: 29, elapsed: 46, extra: 48 }
        } else {
            Self { glyph: 2, number: Some(4), title: 6, state: 33, elapsed: 53, extra: 56 }
        }
    }
}

/// Draws the steps from number `first` on, as many as there is room for; `rail` rows of rail between two.
pub fn draw(model: &Model, run: &Run, area: Rect, first: usize, rail: u16, buffer: &mut Buffer) {
    let columns = Columns::of(area.width);
    let selected = model.selected();
    let mut y = area.y;
    for (index, step) in run.steps.iter().enumerate().skip(first) {
        if y >= area.bottom() {
            break;
        }
        row(model, step, selected == Some(index), area, y, &columns, buffer);
        y += 1;
        let rail = if index + 1 < run.steps.len() { rail } else { 0 };
        let piece = rail_piece(model.theme(), &run.steps[..=index]);
        for _ in 0..rail.min(area.bottom() - y) {
            put(buffer, area.x + columns.glyph, y, 1, Line::from(piece.clone()), model.theme());
            y += 1;
        }
    }
}

/// The piece of rail that follows those steps. Past one that is skipped it is as it was before.
fn rail_piece(theme: Theme, steps: &[Step]) -> Span<'static> {
    let last = steps.iter().rfind(|step| Mark::from(&step.body) != Mark::Skipped);
    if last.is_none_or(Step::passed) {
        theme.span(Tone::Good, theme.glyph(Glyph::RailPassed))
    } else {
        theme.span(Tone::Faint, theme.glyph(Glyph::RailAhead))
    }
}

fn row(model: &Model, step: &Step, selected: bool, area: Rect, y: u16, columns: &Columns, buffer: &mut Buffer) {
    let theme = model.theme();
    let mark = Mark::from(&step.body);
    let mut set = |x: u16, room: u16, line: Line<'static>| {
        put(buffer, area.x + x, y, room.min(area.width.saturating_sub(x)), line, theme);
    };
    if selected {
        set(0, 1, Line::from(theme.span(mark.bar(), theme.glyph(Glyph::Bar))));
    }
    // A glyph alone has no room for a label's background.
    let glyph = if mark == Mark::Failed { Tone::Bad } else { mark.tone() };
    set(columns.glyph, 1, Line::from(theme.span(glyph, theme.mark(mark, model.beat))));
    if let (Some(x), Some(number)) = (columns.number, step.id.gate_number()) {
        set(x, 1, Line::from(theme.span(Tone::Muted, number.to_string())));
    }
    let title = match mark {
        _ if selected => Tone::Selected,
        Mark::Pending | Mark::Skipped | Mark::Unknown => Tone::Muted,
        _ => Tone::Text,
    };
    set(columns.title, columns.state - columns.title - 1, Line::from(theme.span(title, step.id.title())));
    // The label of a failure has a blank on each side, so that its word stands where the others do.
    let shift = u16::from(mark == Mark::Failed);
    set(columns.state - shift, columns.elapsed - columns.state, Line::from(state(model, mark)));
    if let Some(elapsed) = elapsed(model, step) {
        let line = Line::from(theme.span(Tone::Text, elapsed));
        let wide = u16::try_from(line_width(&line)).unwrap_or(0);
        set(columns.elapsed.saturating_sub(wide), wide, line);
    }
    let room = area.width.saturating_sub(columns.extra);
    set(columns.extra, room, Line::from(extra(model, step, room.into())));
}

/// The word of a state, a failure as a label.
pub fn state(model: &Model, mark: Mark) -> Span<'static> {
    let word = mark.words().0;
    match mark {
        Mark::Failed => model.theme().span(Tone::Failed, format!(" {} ", word.to_uppercase())),
        mark => model.theme().span(mark.tone(), word),
    }
}

/// How long the step takes, or took.
pub fn elapsed(model: &Model, step: &Step) -> Option<String> {
    if matches!(Mark::from(&step.body), Mark::Pending | Mark::Skipped | Mark::Unknown | Mark::Suspended) {
        return None;
    }
    step.took(model.now()).map(words::span)
}

/// What else there is to say of a step on its line.
pub fn extra(model: &Model, step: &Step, room: usize) -> Vec<Span<'static>> {
    match &step.body {
        StepBody::Gate(gate) => gate_extra(model.theme(), gate, room),
        StepBody::Rollout(rollout) => rollout_extra(model.theme(), rollout, room),
        StepBody::Stage(stage) => stage_extra(model, stage, room),
    }
}

/// How far each of several components is, in a pip; the time that runs down; and what is told of the stage, as there is room.
fn stage_extra(model: &Model, stage: &Stage, room: usize) -> Vec<Span<'static>> {
    let theme = model.theme();
    let mut spans = Vec::new();
    if stage.components.len() > 1 && stage.state != StageState::Skipped && stage.components.len() + 2 <= room {
        for component in &stage.components {
            let mark = Mark::from(component.state);
            let tone = if mark == Mark::Failed { Tone::Bad } else { mark.tone() };
            spans.push(theme.span(tone, theme.mark(mark, model.beat)));
        }
        spans.push(Span::raw("  "));
    }
    let runs = matches!(stage.state, StageState::Running | StageState::Retrying | StageState::Blocked);
    let check = stage.at().and_then(|component| component.stability);
    let ends = stage.limit.map(|limit| limit.ends).or_else(|| check.and_then(|check| check.until)).filter(|_| runs);
    let ends = ends.filter(|ends| *ends > model.now());
    let held = stage.at().and_then(|component| component.held.as_ref()).filter(|_| runs);
    let tone = match stage.state {
        StageState::Done | StageState::Skipped | StageState::Pending => Tone::Muted,
        StageState::Failed | StageState::Blocked => Tone::Bad,
        _ => Tone::Text,
    };
    let words = match held {
        Some(held) => one_line(&held.reason),
        None => one_line(model.told(&stage.message)),
    };
    let in_time = |ends| words::age(ends, model.now());
    let passes = check.and_then(|check| check.passes).filter(|passes| runs && *passes > model.now());
    let left = passes.map(|passes| format!("passes in {}", in_time(passes)));
    let left = left.or_else(|| ends.map(|ends| format!("{} left", in_time(ends)))).unwrap_or_default();
    let parts = [words, left].into_iter().filter(|part| !part.is_empty());
    // Which of both there is room for: the time runs down wherever it stands, too.
    let all = parts.clone().collect::<Vec<_>>().join("  ");
    let rest = room.saturating_sub(wide(&spans));
    let told = if width(&all) <= rest { all } else { parts.into_iter().next().unwrap_or_default() };
    spans.push(theme.span(tone, fit(&told, rest, theme)));
    spans
}

fn gate_extra(theme: Theme, gate: &Gate, room: usize) -> Vec<Span<'static>> {
    let Some(job) = &gate.job else {
        let word = match gate.state {
            GateState::Unknown(Unseen::Forbidden) => "you may not see Jobs",
            GateState::Unknown(Unseen::Absent) => "the dump holds no Jobs",
            GateState::Unknown(Unseen::BeforeWeLooked) => "it ran before we looked",
            GateState::Unknown(Unseen::Deleted) => "its Job was deleted",
            _ => "",
        };
        return vec![theme.span(Tone::Muted, word)];
    };
    let all = room;
    let done = job.progress.as_ref();
    let room = done.map_or(room, |progress| room.saturating_sub(width(&progress.brief()) + 2));
    let spans = told_extra(theme, gate, job, room);
    match done {
        Some(progress) => progress_extra(theme, progress, spans, all),
        None => spans,
    }
}

/// How far it is, before what else is told, in as many words as there is room for.
fn progress_extra(theme: Theme, progress: &Progress, rest: Vec<Span<'static>>, room: usize) -> Vec<Span<'static>> {
    let taken = if rest.is_empty() { 0 } else { wide(&rest) + 2 };
    let whole = progress.to_string();
    let words = if width(&whole) + taken <= room { whole } else { progress.brief() };
    let gap = (!rest.is_empty()).then(|| Span::raw("  "));
    [theme.span(Tone::Text, words)].into_iter().chain(gap).chain(rest).collect()
}

/// What is told of a gate that has a Job: its attempts, what keeps it, what it counts.
fn told_extra(theme: Theme, gate: &Gate, job: &GateJob, room: usize) -> Vec<Span<'static>> {
    let spans = if job.attempts.any() { attempts_extra(theme, gate, job, room) } else { Vec::new() };
    let (tone, what) = match &gate.state {
        GateState::Blocked(fault) => (Tone::Text, fault.reason.clone()),
        GateState::Running { finishing: true } => (Tone::Muted, "finishing".to_owned()),
        GateState::Running { .. } | GateState::Retrying { .. } if job.backlog.is_some() => backlog_extra(job, room),
        GateState::Failing(failure) | GateState::Failed(failure) if spans.is_empty() => {
            (Tone::Bad, failure.reason.clone())
        }
        _ => return spans,
    };
    if spans.is_empty() {
        return vec![theme.span(tone, what)];
    }
    // What is told of the step itself says it, too: it gives way to the attempts.
    let fits = wide(&spans) + 2 + width(&what) <= room;
    spans.into_iter().chain(fits.then(|| theme.span(tone, format!("  {what}")))).collect()
}

/// The attempts in pips, in words or in both, as there is room for: what is left is told as long as it can be.
fn attempts_extra(theme: Theme, gate: &Gate, job: &GateJob, room: usize) -> Vec<Span<'static>> {
    let tally = job.attempts.tally();
    // Of what is done or deleted, failures are history.
    let pips = if matches!(gate.state, GateState::Done | GateState::Unknown(_)) {
        Vec::new()
    } else {
        pips(theme, tally, runs(gate), "")
    };
    let words = counted(theme, gate, &job.attempts);
    let style = words.first().map_or(Style::new(), |word| word.style);
    let of = tally.limit.map(|limit| format!("/{limit}")).unwrap_or_default();
    let short = vec![Span::styled(format!("{}{of}", tally.failed), style)];
    let with_pips = |words: &[Span<'static>]| {
        let gap = if pips.is_empty() { "" } else { "  " };
        [pips.as_slice(), &[Span::raw(gap)], words].concat()
    };
    // What stands beside the count that matters gives way first.
    let count = &words[..words.len().min(2)];
    let ways = [with_pips(&words), with_pips(count), words.clone(), with_pips(&words[..1]), with_pips(&short)];
    ways.into_iter().find(|way| wide(way) <= room).unwrap_or(short)
}

fn wide(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

/// Whether an attempt of the gate runs now.
pub fn runs(gate: &Gate) -> bool {
    gate.job.as_ref().is_some_and(|job| job.history.iter().any(|attempt| attempt.outcome == Outcome::Running))
}

/// `3 of 6 failed, 3 left`, `index 4: 1 of 2 failed, 1 left`.
pub fn counted(theme: Theme, gate: &Gate, attempts: &Attempts) -> Vec<Span<'static>> {
    let tally = attempts.tally();
    let failed = match attempts.nearer {
        Count::Restarts => tally.counted(),
        Count::Pods => tally.counted_as(" pod", " pods"),
        Count::Index { index, .. } => format!("index {index}: {}", tally.counted()),
        Count::Indexes(_) => attempts.counted(),
    };
    let mut words = match (&gate.state, tally.left()) {
        (GateState::Done | GateState::Unknown(_), _) => return vec![theme.span(Tone::Muted, failed)],
        (_, Some(0)) => vec![theme.span(Tone::Bad, format!("{failed}, none left"))],
        (_, Some(left)) => vec![theme.span(Tone::Warning, failed), theme.span(Tone::Text, format!(", {left} left"))],
        (_, None) => vec![theme.span(Tone::Warning, failed)],
    };
    let beside = attempts.beside();
    words.extend((!beside.is_empty()).then(|| theme.span(Tone::Warning, beside)));
    words
}

/// `12 pending`, and with it that they will not make it.
fn backlog_extra(job: &GateJob, room: usize) -> (Tone, String) {
    let Some(backlog) = &job.backlog else { return (Tone::Text, String::new()) };
    let pending = format!("{} pending", backlog.last.pending);
    if backlog.outlook != Outlook::TooLate {
        return (Tone::Text, pending);
    }
    let late = format!("{pending}, will not make it");
    (Tone::Bad, if width(&late) <= room { late } else { pending })
}

/// What holds a rollout up, in short: the pod, and why it is stuck; and a mark, where there is no room for a word.
fn held_up(theme: Theme, rollout: &Rollout) -> (Vec<Span<'static>>, Option<Span<'static>>) {
    let stuck_mark = || Some(theme.span(Tone::Held, theme.glyph(Glyph::Failed)));
    let Some((workload, replica, stuck)) = rollout.stuck() else {
        let workloads = || rollout.workloads.iter();
        return match () {
            () if workloads().any(|workload| workload.refused.is_some()) => {
                (vec![theme.span(Tone::Held, "   no pod can be made")], stuck_mark())
            }
            () if workloads().any(|workload| workload.on_delete) => {
                let mark = theme.span(Tone::Warning, theme.mark(Mark::Suspended, 0));
                (vec![theme.span(Tone::Warning, "   by hand")], Some(mark))
            }
            () if workloads().any(|workload| workload.paused) => {
                let mark = theme.span(Tone::Warning, theme.mark(Mark::Suspended, 0));
                (vec![theme.span(Tone::Warning, "   paused")], Some(mark))
            }
            () => (Vec::new(), None),
        };
    };
    let end = replica.pod.rsplit('-').next().unwrap_or_default();
    let pod = match workload.kind {
        WorkloadKind::StatefulSet => format!("   {}", one_line(&replica.pod)),
        WorkloadKind::Deployment | WorkloadKind::DaemonSet => {
            format!("   {}-{}", theme.glyph(Glyph::Cut), one_line(end))
        }
    };
    (vec![theme.span(Tone::Text, pod), theme.span(Tone::Held, format!("  {}", one_line(stuck.reason())))], stuck_mark())
}

fn rollout_extra(theme: Theme, rollout: &Rollout, room: usize) -> Vec<Span<'static>> {
    match &rollout.state {
        RolloutState::Pending => Vec::new(),
        RolloutState::Unknown(unseen) => {
            let word = match unseen {
                UnseenDeployments::Forbidden => "you may not see Deployments",
                UnseenDeployments::Absent => "the dump holds no Deployments",
            };
            vec![theme.span(Tone::Muted, word)]
        }
        _ => {
            let tone = if rollout.state == RolloutState::Done { Tone::Muted } else { Tone::Text };
            let of = |name: bool| {
                let words = rollout.workloads.iter().map(|workload| {
                    let counts = format!("{}/{}", workload.ready, workload.desired);
                    if name { format!("{} {counts}", workload.app) } else { counts }
                });
                words.collect::<Vec<_>>().join(if name { "   " } else { " " })
            };
            let (held, mark) = held_up(theme, rollout);
            let ways = [(true, true), (true, false), (false, true), (false, false)].map(|(name, pod)| {
                let mut spans = vec![theme.span(tone, of(name))];
                spans.extend(held.iter().skip(usize::from(!pod && held.len() > 1)).cloned());
                spans
            });
            let marked = mark.map(|mark| vec![theme.span(tone, of(false)), Span::raw(" "), mark]);
            let short = || vec![theme.span(tone, fit(&of(false), room, theme))];
            ways.into_iter().chain(marked).find(|way| wide(way) <= room).unwrap_or_else(short)
        }
    }
}
