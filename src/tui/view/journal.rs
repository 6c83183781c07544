//! The journal: what became of the run that is shown, or of all of them, the newest at the bottom. It scrolls.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{bar, body, header, scrolled, words};
use crate::journal::{Entry, How};
use crate::run::{RunName, Subject};
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Tone};
use crate::tui::widget::table::{Align, table};
use crate::tui::widget::text::{width as text_width, wrap};

/// From this width on an entry is a row of a table; below, what is told of it stands under its title.
const WIDE: u16 = 140;
/// The most lines of what is told in a table.
const MOST_LINES: usize = 10;
/// Where what is told begins under a title.
const INDENT: usize = 12;
/// What is said of what happened while the program did not run.
const MEANWHILE: &str = "while nobody watched";

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let area = body(model, buffer.area);
    header::draw(model, true, buffer);
    let lines = lines(model, buffer.area.width);
    bar::draw(model, bar::position(model, lines.len(), area.height.into()), buffer);
    scrolled(model, lines, Rect { x: area.x + 2, width: area.width.saturating_sub(3), ..area }, buffer);
}

/// All lines of the screen, in a terminal that is `width` wide.
pub fn lines(model: &Model, width: u16) -> Vec<Line<'static>> {
    let theme = model.theme();
    let run = model.run();
    let entries = model.entries(run.map(|run| &run.uid));
    let mut heading = vec![theme.span(Tone::Strong, "Journal")];
    if let Some(run) = run {
        heading.push(theme.span(Tone::Muted, format!("   {}", run.full_name())));
    }
    let mut lines = vec![Line::from(heading), Line::default()];
    if entries.is_empty() {
        lines.push(Line::from(theme.span(Tone::Muted, "Nothing has happened yet.")));
    }
    let columns = usize::from(width.saturating_sub(3));
    let title = entries.iter().map(|(_, entry)| text_width(entry.title())).max().unwrap_or(0);
    let mut rows = Vec::new();
    let mut day = words::day(model.now(), &model.settings.zone);
    for (name, entry) in entries {
        let of_entry = words::day(entry.time, &model.settings.zone);
        if of_entry != day {
            let span = theme.span(Tone::Muted, of_entry.clone());
            if width >= WIDE {
                rows.push(vec![span, Span::default()])
            } else {
                lines.push(Line::from(span))
            }
            day = of_entry;
        }
        let told = Told::new(model, entry, run.is_none().then_some(name));
        if width >= WIDE { rows.push(told.row()) } else { lines.extend(told.block(title, columns)) }
    }
    let align = [Align::Left, Align::Left, Align::Left, Align::Left, Align::Right];
    lines.extend(table(theme, &align, rows, columns, MOST_LINES));
    lines
}

/// What is told of an entry, part by part.
struct Told {
    time: Span<'static>,
    glyph: Span<'static>,
    run: Span<'static>,
    title: Span<'static>,
    from: Span<'static>,
    to: Span<'static>,
    text: Span<'static>,
}

impl Told {
    fn new(model: &Model, entry: &Entry, run: Option<&RunName>) -> Self {
        let theme = model.theme();
        let (glyph, tone) = look(model, entry);
        let run = run.filter(|_| entry.subject != Subject::Feed).map(RunName::to_string).unwrap_or_default();
        let from = match (&entry.from, entry.how) {
            (_, How::Found) => "found".to_owned(),
            (Some(from), _) if *from != entry.to => {
                format!("{} {}", entry.said(from), if theme.ascii { "->" } else { "→" })
            }
            _ => String::new(),
        };
        let to = if tone == Tone::Failed {
            format!(" {} ", entry.to.to_uppercase())
        } else {
            entry.said(&entry.to).to_owned()
        };
        let tally;
        let detail = if model.settings.redact {
            tally = entry.tally();
            tally.as_str()
        } else {
            entry.detail()
        };
        let text = match (detail, entry.how) {
            (detail, How::Seen | How::Found) => detail.to_owned(),
            ("", How::Meanwhile) => MEANWHILE.to_owned(),
            (detail, How::Meanwhile) => format!("{MEANWHILE} {} {detail}", theme.glyph(Glyph::Dot)),
        };
        let (title, quiet) =
            if entry.how == How::Found { (Tone::Text, Tone::Muted) } else { (Tone::Strong, Tone::Text) };
        Self {
            time: theme.span(Tone::Muted, words::clock(entry.time, entry.time, &model.settings.zone)),
            glyph,
            run: theme.span(Tone::Muted, run),
            title: theme.span(title, entry.title()),
            from: theme.span(Tone::Muted, from),
            to: theme.span(tone, to),
            text: theme.span(quiet, text),
        }
    }

    /// As a row of a table.
    fn row(self) -> Vec<Span<'static>> {
        vec![self.time, self.glyph, self.run, self.title, self.from, self.to, self.text]
    }

    /// As a line of what changed, its title as wide as told, with what is told of it below.
    fn block(self, title: usize, columns: usize) -> Vec<Line<'static>> {
        let gap = || Span::raw("  ");
        let pad = title.saturating_sub(text_width(&self.title.content));
        let mut first = vec![self.time, gap(), self.glyph, Span::raw(" "), self.title, gap()];
        let mut change = vec![self.to];
        if !self.from.content.is_empty() {
            change.splice(..0, [self.from, Span::raw(" ")]);
        }
        let mut room = columns.saturating_sub(spans_width(&first));
        // What it is now tells more than what it was.
        if spans_width(&change) > room {
            change.drain(..change.len() - 1);
        }
        room = room.saturating_sub(spans_width(&change));
        first.push(Span::raw(" ".repeat(pad.min(room))));
        first.extend(change);
        let mut lines = vec![Line::from(first)];
        let indented = |span| Line::from(vec![Span::raw(" ".repeat(INDENT)), span]);
        if !self.run.content.is_empty() {
            lines.push(indented(self.run));
        }
        let text = wrap(&self.text.content, columns.saturating_sub(INDENT));
        lines.extend(text.into_iter().map(|line| indented(Span::styled(line, self.text.style))));
        lines
    }
}

fn spans_width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| text_width(&span.content)).sum()
}

/// The glyph of an entry and how its word looks.
fn look(model: &Model, entry: &Entry) -> (Span<'static>, Tone) {
    let theme = model.theme();
    match (entry.subject, Mark::named(&entry.to)) {
        (Subject::Feed, _) if entry.to == "live" => (theme.span(Tone::Good, theme.glyph(Glyph::Live)), Tone::Good),
        (Subject::Feed, _) => (theme.span(Tone::Failing, theme.glyph(Glyph::Stale)), Tone::Failing),
        // What is noted stands still.
        (_, Some(Mark::Running)) => (theme.span(Tone::Active, theme.glyph(Glyph::Running)), Tone::Active),
        (_, Some(mark)) => {
            let glyph = if mark == Mark::Failed { Tone::Bad } else { mark.tone() };
            (theme.span(glyph, theme.mark(mark, 0)), mark.tone())
        }
        (_, None) => (theme.span(Tone::Muted, theme.glyph(Glyph::Stopped)), Tone::Muted),
    }
}
