//! The first row: the program, where it looks, how the feed fares, the clock.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use super::words;
use crate::cluster::FeedState;
use crate::tui::model::{Model, Origin};
use crate::tui::recorder::RecorderState;
use crate::tui::theme::{Glyph, Tone};
use crate::tui::widget::text::{line_width, put, put_both};

/// Draws the first row, and with `rule` a line below it.
pub fn draw(model: &Model, rule: bool, buffer: &mut Buffer) {
    let theme = model.theme();
    let area = buffer.area;
    let mut right = recorder(model);
    right.extend(feed(model));
    right.push(Span::raw("  "));
    right.push(theme.span(Tone::Text, words::clock(model.now, model.now, &model.settings.zone)));
    right.push(Span::raw(" "));
    let right = Line::from(right);

    let place = place(model);
    let mut left = vec![Span::raw(" "), theme.span(Tone::Strong, "gatewatch"), Span::raw("  ")];
    let wide = line_width(&right) + line_width(&Line::from(place.clone())) + 14;
    if wide > usize::from(area.width) {
        // The place tells more than our name does.
        left.truncate(1);
    }
    left.extend(place);
    put_both(buffer, area.x, area.y, area.width, Line::from(left), right, theme);
    if rule {
        let line = theme.glyph(Glyph::Line).repeat(area.width.into());
        put(buffer, area.x, area.y + 1, area.width, Line::from(theme.span(Tone::Faint, line)), theme);
    }
}

/// Where is looked: `prod-eu › gitlab`.
pub fn place(model: &Model) -> Vec<Span<'static>> {
    let theme = model.theme();
    let namespace = model.settings.namespace.clone().unwrap_or_else(|| "all namespaces".into());
    let into = format!(" {} ", theme.glyph(Glyph::Into));
    if model.settings.namespace.is_none() && model.settings.origin.is_recording() {
        return vec![theme.span(Tone::Text, model.settings.place.clone())];
    }
    vec![
        theme.span(Tone::Text, model.settings.place.clone()),
        theme.span(Tone::Muted, into),
        theme.span(Tone::Text, namespace),
    ]
}

/// Whether it is recorded, and the space to what comes next.
pub fn recorder(model: &Model) -> Vec<Span<'static>> {
    let theme = model.theme();
    match model.recorder {
        RecorderState::Off => Vec::new(),
        RecorderState::On => {
            vec![theme.span(Tone::Recording, format!("{} rec", theme.glyph(Glyph::Recording))), Span::raw("  ")]
        }
        RecorderState::Failed => vec![theme.span(Tone::Bad, "rec failed"), Span::raw("  ")],
    }
}

/// How the feed fares, in a glyph and a word.
pub fn feed(model: &Model) -> Vec<Span<'static>> {
    let theme = model.theme();
    let (tone, glyph, word) = match (model.feed.state(), model.settings.origin) {
        (FeedState::Stale { since, .. }, _) => {
            let since = words::clock(since, model.now, &model.settings.zone);
            (Tone::Failing, Glyph::Stale, format!("stale since {since}"))
        }
        (FeedState::Ended, Origin::Replay { .. }) => (Tone::Muted, Glyph::Ended, "replay ended".into()),
        (_, Origin::Replay { speed }) => (Tone::Active, Glyph::Replay, format!("replay{}", times(speed))),
        (FeedState::Connecting, _) => (Tone::Warning, Glyph::Connecting, "connecting".into()),
        (FeedState::Ended, _) => (Tone::Muted, Glyph::Ended, "ended".into()),
        (FeedState::Live { .. }, Origin::Cluster) => (Tone::Good, Glyph::Live, "live".into()),
        (FeedState::Live { .. }, Origin::Demo { speed, until }) => {
            let speed = if model.now < until { times(speed) } else { String::new() };
            (Tone::Good, Glyph::Live, format!("demo{speed}"))
        }
    };
    vec![theme.span(tone, theme.glyph(glyph)), Span::raw(" "), theme.span(tone, word)]
}

/// How many times as fast as life it goes, where it does not go as fast.
fn times(speed: f64) -> String {
    if speed == 1.0 { String::new() } else { format!(" {speed}x") }
}
