//! Several instances, one a line.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use super::{banner, bar, body, header, steps, summary, words};
use crate::run::{Run, Source};
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Theme, Tone};
use crate::tui::widget::table::{Align, table};
use crate::tui::widget::text::{fit, one_line, put};

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let theme = model.theme();
    header::draw(model, true, buffer);
    let area = body(model, buffer.area);
    let listed = model.listed();
    let mut lines = banner::lines(model, banner::most(model));
    let mut count = words::counted(model.runs().len(), noun(model.runs()));
    if !model.filter.is_empty() {
        count = format!("{} of {count} with {}", listed.len(), model.filter);
    }
    let mut count = vec![theme.span(Tone::Muted, count)];
    count.extend(tally(theme, model.runs()));
    lines.push(Line::from(count));
    lines.push(Line::default());
    let mut y = area.y;
    for line in lines {
        put(buffer, area.x + 2, y, area.width.saturating_sub(3), line, theme);
        y += 1;
    }
    let selected = model.row(&listed);
    let room = usize::from(area.bottom().saturating_sub(y));
    let first = selected.saturating_sub(room / 2).min(listed.len().saturating_sub(room));
    let rows = listed.iter().enumerate().map(|(index, run)| row(model, run, index == selected)).collect();
    let table = table(theme, &[Align::Left; 7], rows, usize::from(area.width.saturating_sub(4)), 1);
    for (index, line) in table.into_iter().enumerate().skip(first).take(room) {
        if index == selected {
            let bar = listed.get(index).map(|run| theme.span(mark(run).bar(), theme.glyph(Glyph::Bar)));
            put(buffer, area.x, y, 1, bar.into_iter().collect(), theme);
        }
        put(buffer, area.x + 2, y, area.width.saturating_sub(4), line, theme);
        y += 1;
    }
    bar::draw(model, Line::default(), buffer);
}

/// What the runs are, where they are all the same.
pub fn noun(runs: &[Run]) -> &'static str {
    let first = runs.first().map(|run| run.source);
    match first.filter(|first| runs.iter().all(|run| run.source == *first)) {
        None => MIXED,
        Some(Source::GitLabCore) => "instance",
        Some(source) => source.word(),
    }
}

/// What runs are that are not all the same.
const MIXED: &str = "run";

/// How many runs are in each state, the gravest first: of many, what fails can lie off the screen. Instances of GitLab are few.
pub fn tally(theme: Theme, runs: &[Run]) -> Vec<Span<'static>> {
    if runs.iter().all(|run| run.source == Source::GitLabCore) {
        return Vec::new();
    }
    let in_state = |mark: Mark| runs.iter().filter(|run| self::mark(run) == mark).count();
    let counted = GRAVEST_FIRST.into_iter().map(|mark| (mark, in_state(mark))).filter(|(_, count)| *count > 0);
    counted
        .enumerate()
        .flat_map(|(place, (mark, count))| {
            let lead = theme.span(Tone::Muted, if place == 0 { ": " } else { ", " });
            [lead, theme.span(mark.colour(), format!("{count} {}", mark.words().0))]
        })
        .collect()
}

/// The states, the gravest first.
const GRAVEST_FIRST: [Mark; 10] = [
    Mark::Failed,
    Mark::Failing,
    Mark::Blocked,
    Mark::Retrying,
    Mark::Suspended,
    Mark::Unknown,
    Mark::Running,
    Mark::Pending,
    Mark::Skipped,
    Mark::Done,
];

fn row(model: &Model, run: &Run, selected: bool) -> Vec<Span<'static>> {
    let theme = model.theme();
    let step = run.to_look_at();
    let single = run.steps.first().filter(|_| run.source != Source::GitLabCore && run.steps.len() == 1);
    let mark = mark(run);
    let glyph = if mark == Mark::Failed { Tone::Bad } else { mark.tone() };
    let word = if step.is_some() { mark.words().0 } else { run.word() };
    let word = if mark == Mark::Failed { format!(" {} ", word.to_uppercase()) } else { word.to_owned() };
    let elapsed = summary::elapsed(model, run, true).spans.pop().unwrap_or_default();
    let width = model.size().width;
    let name = theme.span(if selected { Tone::Selected } else { Tone::Text }, run.full_name().to_string());
    let title = theme.span(
        Tone::Text,
        match run.source {
            Source::GitLabCore | Source::GluesyncPlatform => step.map_or("", |step| step.id.title()),
            // What all of them are is told once, above them.
            _ if noun(model.runs()) != MIXED => "",
            source => source.word(),
        },
    );
    let mut row = vec![theme.span(glyph, theme.mark(mark, model.beat)), name, theme.span(mark.tone(), word)];
    if width >= 80 {
        row.push(theme.span(Tone::Text, course(run, theme, width < 120)));
    }
    row.extend([elapsed, title]);
    if width >= 80 {
        let room = if width < 120 { 28 } else { 48 };
        let extra = step.or(single).map(|step| steps::extra(model, step, room)).unwrap_or_default();
        row.push(theme.span(Tone::Muted, extra.iter().map(|span| span.content.as_ref()).collect::<String>()));
    }
    row
}

/// Where it goes, and unless `short` where it comes from; or what made it.
fn course(run: &Run, theme: Theme, short: bool) -> String {
    if let Some(made_by) = &run.made_by {
        return fit(&one_line(&made_by.to_string()), if short { 24 } else { 48 }, theme);
    }
    let arrow = if theme.ascii { "->" } else { "→" };
    match (&run.course.from, &run.course.target) {
        (Some(from), Some(target)) if from != target && short => format!("{arrow} {target}"),
        (Some(from), Some(target)) if from != target => format!("{from} {arrow} {target}"),
        (from, target) => target.clone().or(from.clone()).unwrap_or_default(),
    }
}

/// The state that stands for the run: that of the step to look at, or its verdict.
pub fn mark(run: &Run) -> Mark {
    match run.to_look_at().map(|step| Mark::from(&step.body)) {
        None | Some(Mark::Pending) => Mark::from(run.verdict),
        Some(mark) => mark,
    }
}
