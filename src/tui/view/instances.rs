//! Several instances, one a line.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use super::{banner, bar, body, header, steps, summary, words};
use crate::run::Run;
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Mark, Tone};
use crate::tui::widget::table::{Align, table};
use crate::tui::widget::text::put;

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let theme = model.theme();
    header::draw(model, true, buffer);
    let area = body(buffer.area);
    let listed = model.listed();
    let mut lines = banner::lines(model);
    let mut count = words::counted(model.runs.len(), "instance");
    if !model.filter.text.is_empty() {
        count = format!("{} of {count} with “{}”", listed.len(), model.filter.text);
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
    let columns = [Align::Left, Align::Left, Align::Left, Align::Left, Align::Right, Align::Left, Align::Left];
    let table = table(theme, &columns, rows, usize::from(area.width.saturating_sub(4)));
    for (index, line) in table.into_iter().enumerate().skip(first).take(room) {
        if index == selected {
            let tone = Mark::from(listed[index].verdict).frame();
            let tone = if tone == Tone::Faint { Tone::Text } else { tone };
            put(buffer, area.x, y, 1, Line::from(theme.span(tone, theme.glyph(Glyph::Bar))), theme);
        }
        put(buffer, area.x + 2, y, area.width.saturating_sub(4), line, theme);
        y += 1;
    }
    bar::draw(model, Line::default(), buffer);
}

fn row(model: &Model, run: &Run, selected: bool) -> Vec<Span<'static>> {
    let theme = model.theme();
    let step = run.current().and_then(|current| run.steps.get(current));
    // Of a run that is done the last step tells nothing.
    let step = step.filter(|step| !step.passed());
    let mark = step.map_or(Mark::from(run.verdict), |step| Mark::from(&step.body));
    let mark = if mark == Mark::Pending { Mark::from(run.verdict) } else { mark };
    let glyph = if mark == Mark::Failed { Tone::Bad } else { mark.tone() };
    let word = if step.is_some() { mark.words().0 } else { run.verdict.word() };
    let word = if mark == Mark::Failed { format!(" {} ", word.to_uppercase()) } else { word.to_owned() };
    let course = match (&run.course.from, &run.course.target) {
        (Some(from), Some(target)) if from != target => {
            format!("{from} {} {target}", if theme.ascii { "->" } else { "→" })
        }
        (from, target) => target.clone().or(from.clone()).unwrap_or_default(),
    };
    let elapsed = summary::elapsed(model, run, true).spans.pop().unwrap_or_default();
    let extra: String = step
        .map(|step| steps::extra(model, step, 40).iter().map(|span| span.content.as_ref()).collect())
        .unwrap_or_default();
    vec![
        theme.span(glyph, theme.mark(mark, model.beat)),
        theme.span(if selected { Tone::Selected } else { Tone::Text }, format!("{}/{}", run.namespace, run.name)),
        theme.span(mark.tone(), word),
        theme.span(Tone::Text, course),
        elapsed,
        theme.span(Tone::Text, step.map_or("", |step| step.id.title())),
        theme.span(Tone::Muted, extra),
    ]
}
