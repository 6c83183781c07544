//! The row of the tape: whether it plays, the recorded time, where that lies on it, and what failed where.

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use super::words;
use crate::tape::{Gauge, Motion};
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Theme, Tone};
use crate::tui::widget::text::{line_width, put, width};
use crate::tui::widget::track::track;

/// The least columns of the track for the sake of which other parts go.
const LEAST_TRACK: usize = 16;

/// How many rows it takes above the bottom bar.
pub fn rows(model: &Model) -> u16 {
    u16::from(model.gauge().is_some())
}

/// Draws it into that row, where there is a tape to tell of.
pub fn draw(model: &Model, y: u16, buffer: &mut Buffer) {
    let Some(gauge) = model.gauge() else { return };
    let area = buffer.area;
    let line = line(model, gauge, area.width.into());
    put(buffer, area.x, y, area.width, line, model.theme());
}

/// All of it in that many columns: ` ▶ 15:34:10  ━━━●╌╌✖╌╌  change 12 of 201   10x   2m10s of 7m03s `.
fn line(model: &Model, gauge: &Gauge, columns: usize) -> Line<'static> {
    let theme = model.theme();
    let (tone, glyph) = motion(gauge.motion);
    let mut spans = vec![Span::raw(" "), theme.span(tone, theme.glyph(glyph)), Span::raw(" ")];
    spans.push(theme.span(Tone::Text, words::clock(gauge.time, gauge.time, &model.settings.zone)));
    spans.push(Span::raw("  "));
    let taken: usize = spans.iter().map(|span| width(&span.content)).sum();
    let room = |parts: &Line<'_>| columns.saturating_sub(taken + line_width(parts) + 3);
    let mut fitting = parts(theme, gauge).into_iter().map(Line::from).skip_while(|parts| room(parts) < LEAST_TRACK);
    let parts = fitting.next().unwrap_or_default();
    let share = |time| share(gauge, time);
    let failures: Vec<f64> = gauge.failures.iter().copied().map(share).collect();
    spans.extend(track(theme, share(gauge.time), &failures, room(&parts)));
    spans.push(Span::raw("  "));
    spans.extend(parts.spans);
    Line::from(spans)
}

/// How it is shown whether a tape plays.
pub fn motion(motion: Motion) -> (Tone, Glyph) {
    match motion {
        Motion::Playing => (Tone::Active, Glyph::Replay),
        Motion::Paused => (Tone::Warning, Glyph::Paused),
        Motion::Ended => (Tone::Muted, Glyph::Ended),
    }
}

/// What stands after the track, in less and less room. Numbers are as wide as the largest will be, so that nothing moves.
fn parts(theme: Theme, gauge: &Gauge) -> [Vec<Span<'static>>; 4] {
    let more = if gauge.all { "" } else { "+" };
    let all = words::thousands(gauge.changes as u64);
    let here = format!("{:>width$} of {all}{more}", words::thousands(gauge.change as u64), width = all.len());
    let whole = words::span(gauge.whole());
    let passed = format!("{:>width$} of {whole}", words::span(gauge.passed()), width = whole.len());
    let speed = format!("{}{}", gauge.speed, theme.times());
    let text = |text: String| theme.span(Tone::Text, text);
    let muted = |text: String| theme.span(Tone::Muted, text);
    [
        vec![text(format!("change {here}   ")), text(format!("{speed}   ")), muted(passed)],
        vec![text(format!("{here}  ")), text(format!("{speed}  ")), muted(words::span(gauge.passed()))],
        vec![text(format!("{here}  ")), text(speed)],
        vec![text(here)],
    ]
}

fn share(gauge: &Gauge, time: Timestamp) -> f64 {
    let whole = gauge.whole().as_secs_f64();
    if whole > 0.0 { time.duration_since(gauge.first).as_secs_f64() / whole } else { 1.0 }
}
