//! Several instances, one a line.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use super::{banner, bar, body, header, steps, summary, words};
use crate::run::Run;
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Theme, Tone};
use crate::tui::widget::table::{Align, table};
use crate::tui::widget::text::put;

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let theme = model.theme();
    header::draw(model, true, buffer);
    let area = body(model, buffer.area);
    let listed = model.listed();
    let mut lines = banner::lines(model, banner::most(model));
    let mut count = words::counted(model.runs().len(), "instance");
    if !model.filter.is_empty() {
        count = format!("{} of {count} with {}", listed.len(), model.filter);
    }
    lines.push(Line::from(theme.span(Tone::Muted, count)));
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

fn row(model: &Model, run: &Run, selected: bool) -> Vec<Span<'static>> {
    let theme = model.theme();
    let step = run.to_look_at();
    let mark = mark(run);
    let glyph = if mark == Mark::Failed { Tone::Bad } else { mark.tone() };
    let word = if step.is_some() { mark.words().0 } else { run.verdict.word() };
    let word = if mark == Mark::Failed { format!(" {} ", word.to_uppercase()) } else { word.to_owned() };
    let elapsed = summary::elapsed(model, run, true).spans.pop().unwrap_or_default();
    let width = model.size().width;
    let name =
        theme.span(if selected { Tone::Selected } else { Tone::Text }, format!("{}/{}", run.namespace, run.name));
    let title = theme.span(Tone::Text, step.map_or("", |step| step.id.title()));
    let mut row = vec![theme.span(glyph, theme.mark(mark, model.beat)), name, theme.span(mark.tone(), word)];
    if width >= 80 {
        row.push(theme.span(Tone::Text, course(run, theme, width < 120)));
    }
    row.extend([elapsed, title]);
    if width >= 80 {
        let room = if width < 120 { 28 } else { 48 };
        let extra = step.map(|step| steps::extra(model, step, room)).unwrap_or_default();
        row.push(theme.span(Tone::Muted, extra.iter().map(|span| span.content.as_ref()).collect::<String>()));
    }
    row
}

/// Where it goes, and unless `short` where it comes from.
fn course(run: &Run, theme: Theme, short: bool) -> String {
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
