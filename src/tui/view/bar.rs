//! The last row: the keys that are valid here, and what just happened.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use super::scrubber;
use crate::tape::{Motion, Travel};
use crate::tui::keymap::{Action, Bound, Place};
use crate::tui::model::{Model, Screen, Typing};
use crate::tui::theme::Tone;
use crate::tui::widget::text::{fit_end, line_width, put_both, width};

/// Draws the last row, and that of the tape above it; `right` stands at its end while there is no notice.
pub fn draw(model: &Model, right: Line<'static>, buffer: &mut Buffer) {
    let theme = model.theme();
    let area = buffer.area;
    let right = match &model.notice {
        Some(notice) => {
            let tone = if notice.good { Tone::Good } else { Tone::Warning };
            Line::from(theme.span(tone, format!("{} ", notice.text)))
        }
        None => right,
    };
    let mut spans = vec![Span::raw(" ")];
    if let Some(place) = Place::of(model.screen(), model.typing.as_ref()) {
        let typed = match (&model.typing, place) {
            (Some(Typing::Namespace(name)), Place::Namespace) => Some(("namespace ", name.as_str())),
            (Some(Typing::Filter), Place::Filter) => Some(("/", model.filter.as_str())),
            (Some(Typing::Search), Place::Search) => model.searched().map(|pattern| ("/", pattern)),
            _ => None,
        };
        if let Some((label, text)) = typed {
            spans.push(theme.span(Tone::Strong, label));
            // The end is where it is typed.
            spans.push(theme.span(Tone::Text, fit_end(text, usize::from(area.width) * 2 / 5, theme)));
            spans.push(theme.span(Tone::Active, "_"));
            spans.push(Span::raw("   "));
        }
        let taken: usize = spans.iter().map(|span| width(&span.content)).sum();
        let room = usize::from(area.width).saturating_sub(line_width(&right) + 2 + taken);
        let (keys, gap) = named(place, room, model);
        for (key, word) in keys {
            spans.push(theme.span(Tone::Strong, key));
            spans.push(theme.span(Tone::Muted, format!(" {word}")));
            spans.push(Span::raw(gap));
        }
        spans.pop_if(|last| last.content.trim().is_empty());
    }
    scrubber::draw(model, area.bottom().saturating_sub(2), buffer);
    if area.height > 0 {
        put_both(buffer, area.x, area.bottom() - 1, area.width, Line::from(spans), right, theme);
    }
}

/// The keys of a place that there is room for, and what stands between two: less air, then less keys. A key is named whole,
/// or not at all; what plays or waits on a tape goes before last, and help, which tells of the others, last.
fn named(place: Place, room: usize, model: &Model) -> (Vec<(String, &'static str)>, &'static str) {
    let ascii = model.theme().ascii;
    // Where it is simply now, nobody is led elsewhere.
    let told = |bound: &&Bound| model.gauge().is_some() || !matches!(bound.row.action, Action::Travel(_));
    let bound = model.settings.keys.at(place).filter(told);
    let motion = model.gauge().map(|gauge| gauge.motion);
    let word = |bound: &Bound| match (bound.row.action, motion) {
        (Action::Journal, _) if place == Place::Waiting && model.gone().is_none() => None,
        (Action::Travel(Travel::Toggle), Some(Motion::Paused)) => Some("play"),
        (Action::Travel(Travel::Toggle), Some(Motion::Ended)) => None,
        _ => bound.row.bar,
    };
    let bound = bound.filter_map(|bound| Some((bound.row, bound.keys.first()?.label(ascii), word(bound)?)));
    let mut bound: Vec<_> = bound.collect();
    loop {
        let keys: usize = bound.iter().map(|(_, key, word)| width(key) + 1 + width(word)).sum();
        let gaps = bound.len().saturating_sub(1);
        let fits = ["   ", "  "].into_iter().find(|gap| keys + gaps * gap.len() <= room);
        if let Some(gap) = fits.or(bound.is_empty().then_some("")) {
            return (bound.into_iter().map(|(_, key, word)| (key, word)).collect(), gap);
        }
        let stays = |action| matches!(action, Action::Help | Action::Travel(Travel::Toggle));
        let least = bound.iter().rposition(|(row, ..)| !stays(row.action));
        bound.remove(least.unwrap_or(bound.len() - 1));
    }
}

/// How far a screen that scrolls has come: `12-40 of 88`; nothing where all of it is seen.
pub fn position(model: &Model, lines: usize, room: usize) -> Line<'static> {
    let from = model.scroll().min(lines.saturating_sub(room));
    if lines <= room || !matches!(model.screen(), Screen::Detail | Screen::Journal | Screen::Help) {
        return Line::default();
    }
    let text = format!("{}-{} of {lines} ", from + 1, (from + room).min(lines));
    Line::from(model.theme().span(Tone::Muted, text))
}
