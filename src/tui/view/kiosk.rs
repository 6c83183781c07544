//! The display that nobody attends: large, one instance after the other, with the clock and the age of what is shown
//! always in view.

use jiff::SignedDuration;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::big::big;
use super::{banner, fields, header, instances, scrubber, steps, summary, waiting, words};
use crate::cluster::FeedState;
use crate::gate::{Gate, GateJob, GateState, LastFailure, Outcome, Outlook};
use crate::run::{Run, Source, Step, Verdict, outlook_words, pending_words, reason_words};
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Tone};
use crate::tui::widget::command::command;
use crate::tui::widget::meter::meter;
use crate::tui::widget::pips::pips;
use crate::tui::widget::text::{line_width, one_line, put, put_both, width, wrap_at_most};

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let area = buffer.area;
    edges(model, buffer);
    let margin = if area.width < 80 { 2 } else { 4 };
    let inside = Rect {
        x: area.x + margin,
        y: area.y + 2,
        width: area.width.saturating_sub(2 * margin),
        height: area.height.saturating_sub(4),
    };
    let Some(run) = model.run() else { return waiting::draw_within(model, inside, buffer) };
    let blocks = fitted(blocks(model, run, inside), inside.height.into());
    let taken: usize = blocks.iter().map(Block::rows).sum();
    // A little above the middle.
    let mut y = inside.y + u16::try_from((usize::from(inside.height) - taken) / 3).unwrap_or(0);
    for block in blocks {
        y += block.gap;
        for line in block.lines {
            put(buffer, inside.x, y, inside.width, line, model.theme());
            y += 1;
        }
    }
}

/// The first and the last two rows: what is shown, how the feed fares, the clock, the page, the age.
fn edges(model: &Model, buffer: &mut Buffer) {
    let theme = model.theme();
    let area = buffer.area;
    let name = model.run().map_or("gatewatch", |run| run.name.as_str());
    let mut left = vec![Span::raw("  "), theme.span(Tone::Strong, name.to_owned()), Span::raw("   ")];
    left.extend(header::place(model));
    let zone = &model.settings.zone;
    let clock = format!("{} {}  ", header::clock(model), words::zone(model.now(), zone));
    let mut right = header::recorder(model);
    right.extend(header::feed(model));
    right.extend([Span::raw("   "), theme.span(Tone::Strong, clock)]);
    put_both(buffer, area.x, area.y, area.width, left.into(), right.into(), theme);

    let page = match model.pages().len() {
        0 | 1 => Vec::new(),
        pages => vec![theme.span(Tone::Muted, format!("  Page {} of {pages}", model.page() + 1))],
    };
    let tally = match instances::tally(theme, model.runs()) {
        tally if model.runs().len() < 2 || tally.is_empty() => Vec::new(),
        tally => {
            let count = words::counted(model.runs().len(), instances::noun(model.runs()));
            [vec![theme.span(Tone::Muted, format!("  {count}"))], tally].concat()
        }
    };
    let feed = model.feed();
    let age = match (feed.state(), feed.heard()) {
        (FeedState::Stale { since, .. } | FeedState::Withdrawn { since, .. }, _) => {
            theme.span(Tone::Failing, header::stale(model, feed, since, model.now()))
        }
        (_, Some(heard)) => theme.span(Tone::Muted, format!("seen {} ago", words::age(model.now(), heard))),
        (_, None) => theme.span(Tone::Muted, "nothing seen yet"),
    };
    let age = Line::from(vec![age, Span::raw("  ")]);
    put_both(buffer, area.x, area.bottom() - 1, area.width, Line::from([page, tally].concat()), age, theme);
    scrubber::draw(model, area.bottom() - 2, buffer);
    let lines = [Some(area.y + 1), model.gauge().is_none().then_some(area.bottom() - 2)];
    for y in lines.into_iter().flatten() {
        let line = theme.glyph(Glyph::Line).repeat(area.width.into());
        put(buffer, area.x, y, area.width, theme.span(Tone::Faint, line).into(), theme);
    }
}

/// From this height on there is room for all lines of a message.
const ROOMY: u16 = 20;

/// Lines that belong together. The higher the rank, the sooner they are given up.
struct Block {
    rank: u8,
    gap: u16,
    lines: Vec<Line<'static>>,
}

impl Block {
    fn rows(&self) -> usize {
        self.lines.len() + usize::from(self.gap)
    }
}

/// The blocks that fit into `height` rows: first the gaps between them shrink, then the least of them go.
fn fitted(mut blocks: Vec<Block>, height: usize) -> Vec<Block> {
    blocks.retain(|block| !block.lines.is_empty());
    let taken = |blocks: &[Block]| blocks.iter().map(Block::rows).sum::<usize>();
    for most in [1, 0] {
        if taken(&blocks) > height {
            blocks.iter_mut().for_each(|block| block.gap = block.gap.min(most));
        }
    }
    while taken(&blocks) > height {
        let Some(least) = blocks.iter().map(|block| block.rank).max() else { break };
        blocks.retain(|block| block.rank != least);
    }
    blocks
}

fn blocks(model: &Model, run: &Run, area: Rect) -> Vec<Block> {
    let theme = model.theme();
    let width = usize::from(area.width);
    let step = run.to_look_at();
    let mark = instances::mark(run);
    let word = match (step, run.verdict) {
        (_, Verdict::Settled) | (None, _) => run.word(),
        _ if mark == Mark::from(run.verdict) && mark == Mark::Running => run.word(),
        _ => mark.words().0,
    };
    let job = step.and_then(Step::gate).and_then(|gate| gate.job.as_ref());
    let gap = if width < 80 { "   " } else { "      " };
    let mut course = summary::course(model, run, true);
    course.extend(run.made_by.as_ref().map(|made_by| theme.span(Tone::Text, one_line(&made_by.to_string()))));
    if let Some(hop) = run.course.hop.as_ref().filter(|hop| hop.of > 1) {
        course.push(theme.span(Tone::Muted, format!("{gap}hop {} of {}", hop.number, hop.of)));
    }
    let elapsed = summary::elapsed(model, run, width < 80);
    // The line of an only step has it.
    let told_below = run.source != Source::GitLabCore && run.steps.len() == 1 && step.is_some();
    if line_width(&elapsed) > 0 && !told_below {
        course.extend((!course.is_empty() || run.source == Source::GitLabCore).then(|| Span::raw(gap)));
        course.extend(elapsed.spans);
    }
    let mut blocks = vec![
        Block { rank: 0, gap: 0, lines: banner::lines(model, banner::most(model)) },
        Block { rank: 3, gap: 2, lines: vec![Line::from(course)] },
        Block { rank: 0, gap: 2, lines: big(theme, &word.to_uppercase(), mark, area) },
        Block { rank: 1, gap: 1, lines: step.map(|step| what(model, step, gap)).into_iter().collect() },
        Block {
            rank: 5,
            gap: 1,
            lines: if run.steps.len() == 1 { Vec::new() } else { vec![chain(model, run, width)] },
        },
    ];
    if let Some((step, stage)) = step.and_then(|step| Some((step, step.stage()?))) {
        blocks.push(Block { rank: 2, gap: 1, lines: told_of(model, run, step, area) });
        let line = stage.command.as_ref().filter(|_| !model.settings.redact);
        let lines = line.map(|line| command(theme, &line.shell(&model.settings.target), width, ""));
        blocks.push(Block { rank: 7, gap: 1, lines: lines.unwrap_or_default() });
    }
    if let Some((step, job)) = step.zip(job) {
        blocks.push(Block { rank: 6, gap: 2, lines: attempts(model, step, job) });
        blocks.push(Block { rank: 2, gap: 1, lines: trouble(model, step, job, width) });
        blocks.push(Block { rank: 4, gap: 1, lines: deadline(model, job, mark == Mark::Failing, width) });
        let line = job.command.as_ref().filter(|_| !model.settings.redact);
        let lines = line.map(|line| command(theme, &line.shell(&model.settings.target), width, ""));
        blocks.push(Block { rank: 7, gap: 1, lines: lines.unwrap_or_default() });
    }
    blocks
}

/// What is told of a stage, without what to do; where there is little room, the first line of each text.
fn told_of(model: &Model, run: &Run, step: &Step, area: Rect) -> Vec<Line<'static>> {
    let roomy = area.height >= ROOMY;
    let mut kept = false;
    let wanted = fields::rows(model, run, step, area.width.into(), false).into_iter().filter(|row| {
        kept = match row.rank {
            fields::HEAD..=fields::ATTEMPTS => true,
            fields::MORE => roomy && kept,
            _ => false,
        };
        kept
    });
    let line = |mut row: fields::Row| {
        if let (false, Some(value), Some(rest)) = (roomy, row.line.spans.last_mut(), row.rest.take()) {
            *value = rest;
        }
        row.line
    };
    wanted.map(line).collect()
}

/// The step, and what its line on the dashboard says besides.
fn what(model: &Model, step: &Step, gap: &'static str) -> Line<'static> {
    let theme = model.theme();
    let told = match step.gate().and_then(|gate| gate.job.as_ref().map(|job| (gate, job))) {
        Some((gate, job)) if job.attempts.any() => steps::counted(theme, gate, &job.attempts),
        // Why it can't start or gives up stands below.
        Some((Gate { state: GateState::Blocked(_) | GateState::Failing(_) | GateState::Failed(_), .. }, _)) => {
            Vec::new()
        }
        _ => steps::extra(model, step, 60),
    };
    let mut spans = vec![theme.span(Tone::Strong, step.id.title())];
    if told.iter().any(|span| !span.content.is_empty()) {
        spans.push(Span::raw(gap));
        spans.extend(told);
    }
    if let Some(elapsed) = steps::elapsed(model, step) {
        let word = if step.ended().is_some() { "took" } else { "for" };
        spans.push(theme.span(Tone::Muted, format!("{gap}{word} {elapsed}")));
    }
    Line::from(spans)
}

/// The steps in a row, with their names where there is room for all of them, else with that of the current one.
fn chain(model: &Model, run: &Run, width: usize) -> Line<'static> {
    let theme = model.theme();
    let draw = |all: bool| {
        let mut spans = Vec::new();
        for (index, step) in run.steps.iter().enumerate() {
            let mark = Mark::from(&step.body);
            let tone = if mark == Mark::Failed { Tone::Bad } else { mark.tone() };
            if index > 0 {
                let passed = run.steps.get(index - 1).is_some_and(Step::passed);
                let (glyph, tone) =
                    if passed { (Glyph::MeterFull, Tone::Good) } else { (Glyph::MeterEmpty, Tone::Faint) };
                spans.push(theme.span(tone, format!(" {} ", theme.glyph(glyph).repeat(2))));
            }
            spans.push(theme.span(tone, theme.mark(mark, model.beat)));
            if all || Some(index) == run.current() {
                spans.push(theme.span(tone, format!(" {}", step.id.title())));
            }
        }
        Line::from(spans)
    };
    let all = draw(true);
    if line_width(&all) <= width { all } else { draw(false) }
}

/// The attempts as pips, and how long the one that runs has been running, or about when the next one starts.
fn attempts(model: &Model, step: &Step, job: &GateJob) -> Vec<Line<'static>> {
    let theme = model.theme();
    if !job.attempts.any() {
        return Vec::new();
    }
    let runs = step.gate().is_some_and(steps::runs);
    let mut spans = pips(theme, job.attempts.tally(), runs, "  ");
    let running = job.history.iter().rev().find(|attempt| attempt.outcome == Outcome::Running);
    if let Some(started) = running.and_then(|attempt| attempt.started) {
        let running = words::span(model.now().duration_since(started));
        spans.push(theme.span(Tone::Text, format!("    running {running}")));
    }
    if let Some(GateState::Retrying { next_restart: Some(next) }) = step.gate().map(|gate| &gate.state) {
        spans.push(theme.span(Tone::Text, format!("    next restart {}", words::expected(model.now(), *next))));
    }
    if spans.is_empty() { Vec::new() } else { vec![Line::from(spans)] }
}

/// What stands in the way: what keeps it from starting, why the Job gives up, what failed last.
fn trouble(model: &Model, step: &Step, job: &GateJob, width: usize) -> Vec<Line<'static>> {
    let theme = model.theme();
    let mut lines = Vec::new();
    let mut say = |label: String, text: &str| {
        lines.push(Line::from(theme.span(Tone::Muted, label)));
        for line in wrap_at_most(&one_line(text), width, 3, theme) {
            lines.push(Line::from(fields::bold(theme, Tone::Bad, line)));
        }
    };
    let ago = |time| words::age(model.now(), time);
    let known = match &job.last_failure {
        Some(LastFailure::Known(failure)) => Some(failure),
        _ => None,
    };
    match step.gate().map(|gate| &gate.state) {
        Some(GateState::Blocked(fault)) => {
            let since = fault.since.map(|since| format!(", for {}", ago(since))).unwrap_or_default();
            say(format!("{}, {}{since}", fault.reason, fault.clears_words()), model.told(&fault.message));
        }
        Some(GateState::Failing(failure) | GateState::Failed(failure)) => {
            let since = failure.since.map(|since| format!(", {} ago", ago(since))).unwrap_or_default();
            // What failed last says more than that the limit is reached.
            let message = if known.is_some() { "" } else { model.told(&failure.message) };
            say(format!("{}{since}", reason_words(failure)), message);
        }
        _ => {}
    }
    if let Some(failure) = known {
        let since = failure.time.map(|time| format!(", {} ago", ago(time))).unwrap_or_default();
        let telling = failure.telling().map(|telling| telling.text.into_owned()).unwrap_or_default();
        say(format!("Last failure{since}: {}", failure.ending), model.told(&telling));
    }
    let at_deadline = job.deadline.map(|deadline| deadline.at);
    let late = job.backlog.as_ref().filter(|backlog| backlog.outlook == Outlook::TooLate && job.ended.is_none());
    if let Some(backlog) = late {
        let clock = |time| words::about(time, model.now(), &model.settings.zone);
        let outlook = outlook_words(backlog, at_deadline, &clock).unwrap_or_default();
        say(format!("Background migrations: {}", pending_words(backlog, false, &clock)), &outlook);
    }
    lines
}

fn deadline(model: &Model, job: &GateJob, failing: bool, width: usize) -> Vec<Line<'static>> {
    let theme = model.theme();
    let Some(deadline) = job.deadline.filter(|_| job.ended.is_none() && !failing) else { return Vec::new() };
    let (left, whole) = (deadline.left(model.now()), SignedDuration::from_secs(deadline.seconds));
    let near = left.as_secs_f64() < whole.as_secs_f64() / 5.0;
    let label = if left.as_secs() > 0 {
        format!("Deadline in {}", words::round(left))
    } else {
        format!("Deadline passed {} ago", words::age(model.now(), deadline.at))
    };
    let mut spans = vec![theme.span(if near { Tone::Warning } else { Tone::Muted }, format!("{label}   "))];
    let room = width.saturating_sub(self::width(&label) + 3).min(84);
    let passed = whole.as_secs_f64() - left.as_secs_f64();
    spans.extend(meter(theme, passed, whole.as_secs_f64(), room, if near { Tone::Warning } else { Tone::Active }));
    vec![Line::from(spans)]
}
