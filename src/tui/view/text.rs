//! What screens of text share: where their parts stand, and the lines themselves.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::{header, scrubber, words};
use crate::cluster::{LogLine, Look};
use crate::tui::model::Model;
use crate::tui::pager::{Pager, Room, Row, TIME, from_column};
use crate::tui::reading::Reading;
use crate::tui::theme::{Glyph, Theme, Tone};
use crate::tui::widget::text::{fit_end, head, put, put_both};

/// From this height on there are lines between the parts.
const AIRY: u16 = 20;
/// The columns left free at the left.
const MARGIN: u16 = 1;

/// Where the text stands, below `heads` rows of what is said of it.
fn body(model: &Model, area: Rect, heads: u16) -> Rect {
    let airy = area.height >= AIRY;
    let above = header::rows(model, airy) + heads + u16::from(airy);
    Rect {
        x: area.x + MARGIN,
        y: area.y + above.min(area.height),
        width: area.width.saturating_sub(MARGIN),
        height: area.height.saturating_sub(above + 1 + scrubber::rows(model)),
    }
}

/// How much of the text is seen at once.
pub fn room(model: &Model, area: Rect, heads: u16) -> Room {
    let body = body(model, area, heads);
    Room { columns: body.width.into(), rows: body.height.into() }
}

/// Draws all but the bottom bar: the header, what is said of the text, a left and a right part a row, and the text.
pub fn draw(model: &Model, reading: &Reading, heads: Vec<(Line<'_>, Line<'_>)>, buffer: &mut Buffer) {
    let theme = model.theme();
    let area = buffer.area;
    let count = u16::try_from(heads.len()).unwrap_or(u16::MAX);
    let airy = area.height >= AIRY;
    header::draw(model, airy, buffer);
    let mut y = area.y + header::rows(model, airy);
    for (left, right) in heads {
        put_both(buffer, area.x + MARGIN, y, area.width.saturating_sub(2 * MARGIN), left, right, theme);
        y += 1;
    }
    if airy {
        let line = theme.glyph(Glyph::Line).repeat(area.width.into());
        put(buffer, area.x, y, area.width, Line::from(theme.span(Tone::Faint, line)), theme);
    } else {
        // A line that takes no row.
        let last = Rect { y: y - 1, height: 1, ..area };
        buffer.set_style(last, Style::new().add_modifier(Modifier::UNDERLINED));
    }
    lines(model, reading, body(model, area, count), buffer);
}

fn lines(model: &Model, reading: &Reading, body: Rect, buffer: &mut Buffer) {
    let (theme, pager) = (model.theme(), &reading.pager);
    let room = Room { columns: body.width.into(), rows: body.height.into() };
    let gutter = if pager.times { u16::try_from(TIME).unwrap_or(0) } else { 0 };
    let columns = body.width.saturating_sub(gutter);
    // A long line takes many rows, and is searched once.
    let mut searched: Option<(u64, Vec<Range<usize>>)> = None;
    for (y, row) in (body.y..body.bottom()).zip(pager.rows(reading.text(), room)) {
        if pager.times && row.range.start == 0 {
            let time = row.line.time.map(|time| words::moment(time, &model.settings.zone)).unwrap_or_default();
            put(buffer, body.x, y, gutter, Line::from(theme.span(Tone::Muted, time)), theme);
        }
        if searched.as_ref().is_none_or(|(number, _)| *number != row.number) {
            searched = Some((row.number, found(pager, row.line)));
        }
        let ranges = searched.as_ref().map(|(_, ranges)| ranges.as_slice()).unwrap_or_default();
        let line = spans(theme, pager, &row, columns.into(), ranges);
        put(buffer, body.x + gutter, y, columns, line, theme);
    }
}

fn found(pager: &Pager, line: &LogLine) -> Vec<Range<usize>> {
    let pattern = pager.search.as_ref().map(|search| search.pattern());
    pattern.map(|pattern| pattern.ranges(&line.text).collect()).unwrap_or_default()
}

/// A row in its looks, with what was found in it.
fn spans<'a>(theme: Theme, pager: &Pager, row: &Row<'a>, columns: usize, found: &[Range<usize>]) -> Line<'a> {
    let text = &row.line.text;
    let from = row.range.start + from_column(&text[row.range.clone()], pager.left);
    // One column more than there is room for: a line that is cut says so.
    let range = from..from + head(&text[from..row.range.end], columns + 1).len();
    let here = pager.search.as_ref().and_then(|search| search.at()) == Some(row.number);
    let paints = row.line.paints.iter();
    let mut cuts: Vec<usize> = paints.clone().map(|paint| paint.from).collect();
    cuts.extend(found.iter().flat_map(|found| [found.start, found.end]));
    cuts.retain(|cut| range.contains(cut));
    cuts.extend([range.start, range.end]);
    cuts.sort_unstable();
    cuts.dedup();
    let span = |part: &[usize]| {
        let (start, end) = (part[0], part[1]);
        let look = paints.clone().take_while(|paint| paint.from <= start).last().map(|paint| paint.look);
        let is_found = found.iter().any(|found| found.contains(&start));
        let style: Style = if is_found { theme.found(here) } else { theme.look(look.unwrap_or(Look::default())) };
        Span::styled(text.get(start..end).unwrap_or_default(), style)
    };
    cuts.windows(2).map(span).collect()
}

/// Where in the text one is, and what is searched: `following  /lock 3 of 17  813-840 of 840`.
pub fn status(model: &Model, reading: &Reading, room: Room, following: bool) -> Vec<Span<'static>> {
    let theme = model.theme();
    let (text, pager) = (reading.text(), &reading.pager);
    let mut parts = Vec::new();
    if following {
        parts.push(theme.span(Tone::Active, "following"));
    }
    if let Some(search) = pager.search.as_ref().filter(|search| !search.pattern().text().is_empty()) {
        let pattern = fit_end(search.pattern().text(), 16, theme);
        parts.push(match (search.count(), search.number()) {
            (0, _) => theme.span(Tone::Warning, format!("/{pattern} not found")),
            (count, Some(number)) => {
                let [number, count] = [number, count].map(|number| words::thousands(number as u64));
                theme.span(Tone::Text, format!("/{pattern} {number} of {count}"))
            }
            (count, None) => theme.span(Tone::Text, format!("/{pattern} {}", words::counted(count, "line"))),
        });
    }
    // Where all of it is seen, there is no position.
    let position = pager.position(text, room).filter(|seen| *seen != (text.first() + 1, text.end()));
    if let Some((first, last)) = position {
        let numbers = [first, last, text.end()].map(words::thousands);
        parts.push(theme.span(Tone::Muted, format!("{}-{} of {}", numbers[0], numbers[1], numbers[2])));
    }
    between(parts)
}

/// Parts with air between them.
pub fn between(parts: Vec<Span<'static>>) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for part in parts.into_iter().filter(|part| !part.content.is_empty()) {
        if !spans.is_empty() {
            spans.push(Span::raw("  "));
        }
        spans.push(part);
    }
    spans
}
