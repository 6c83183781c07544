//! The first row: the program, where it looks, how the feed fares, the clock.

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::{scrubber, words};
use crate::cluster::{Feed, FeedState, Kind};
use crate::tape::{Gauge, Motion, Travel};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::{Model, Origin};
use crate::tui::recorder::RecorderState;
use crate::tui::theme::{Glyph, Tone};
use crate::tui::widget::text::{line_width, put, put_both, width};

/// How many rows it takes. That somebody looks back at what is live is told where else the line is, and always.
pub fn rows(model: &Model, rule: bool) -> u16 {
    1 + u16::from(rule || model.looks_back().is_some())
}

/// Draws the first row, and with `rule` a line below it.
pub fn draw(model: &Model, rule: bool, buffer: &mut Buffer) {
    let theme = model.theme();
    let area = buffer.area;
    let mut right = recorder(model);
    right.extend(feed(model));
    right.push(Span::raw("  "));
    right.push(theme.span(Tone::Text, clock(model)));
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
    if let Some(gauge) = model.looks_back() {
        looking_back(model, gauge, buffer);
    } else if rule {
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
    // Of several clusters, that of the run that is shown.
    let (place, namespace) = match (model.feeds().several(), model.run()) {
        (None, _) => (model.settings.place.clone(), namespace),
        (Some(_), Some(run)) => (run.cluster.as_deref().unwrap_or_default().to_owned(), run.namespace.clone()),
        (Some(_), None) if model.settings.namespace.is_none() => {
            return vec![theme.span(Tone::Text, model.settings.place.clone())];
        }
        (Some(_), None) => (model.settings.place.clone(), namespace),
    };
    vec![theme.span(Tone::Text, place), theme.span(Tone::Muted, into), theme.span(Tone::Text, namespace)]
}

/// The clock: the time of what is shown, with the date where it is not today's.
pub fn clock(model: &Model) -> String {
    let today = model.gauge().map_or(model.now(), |gauge| gauge.today);
    words::clock(model.now(), today, &model.settings.zone)
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

/// How the feed fares, in a glyph and a word: a live one as it does now, whatever moment is shown.
pub fn feed(model: &Model) -> Vec<Span<'static>> {
    let theme = model.theme();
    let replay = model.settings.origin.is_recording();
    let (feed, now) = if replay { (model.feed(), model.now()) } else { (now_of(model), model.frontier.time) };
    if let Some(clusters) = feed.several().filter(|_| !replay) {
        return of_several(model, feed, clusters);
    }
    let refused: Vec<Kind> = feed.never_seen().collect();
    let unseen = model.settings.selection.picks().iter().all(|pick| refused.contains(&pick.kind()));
    let (tone, glyph, word) = match feed.state() {
        FeedState::Stale { since, .. } | FeedState::Withdrawn { since, .. } => {
            (Tone::Failing, Glyph::Stale, stale(model, feed, since, now))
        }
        FeedState::Ended if replay => (Tone::Muted, Glyph::Ended, "replay ended".into()),
        _ if replay => {
            let (motion, speed) = model.gauge().map_or((Motion::Playing, 1.0), |gauge| (gauge.motion, gauge.speed));
            let (tone, glyph) = scrubber::motion(motion);
            (tone, glyph, format!("replay{}", times(speed)))
        }
        // That the rest is live is of no use: nothing can be shown.
        FeedState::Live { .. } | FeedState::Connecting if unseen => (Tone::Warning, Glyph::Stale, "no access".into()),
        FeedState::Connecting => (Tone::Warning, Glyph::Connecting, "connecting".into()),
        FeedState::Live { .. } => match model.settings.origin {
            Origin::Demo { speed, until } if now < until => (Tone::Good, Glyph::Live, format!("demo{}", times(speed))),
            Origin::Demo { .. } => (Tone::Good, Glyph::Live, "demo".into()),
            Origin::Cluster | Origin::Replay => (Tone::Good, Glyph::Live, "live".into()),
        },
        FeedState::Ended => (Tone::Muted, Glyph::Ended, "ended".into()),
    };
    vec![theme.span(tone, theme.glyph(glyph)), Span::raw(" "), theme.span(tone, word)]
}

/// How many of several clusters are heard.
fn of_several(model: &Model, feed: &Feed, clusters: usize) -> Vec<Span<'static>> {
    let theme = model.theme();
    let live = feed.each().filter(|(_, feed)| matches!(feed.state(), FeedState::Live { .. })).count();
    let (tone, glyph, word) = match feed.state() {
        _ if live == clusters => (Tone::Good, Glyph::Live, "live".to_owned()),
        FeedState::Connecting => (Tone::Warning, Glyph::Connecting, format!("{live} of {clusters} live")),
        _ => (Tone::Failing, Glyph::Stale, format!("{live} of {clusters} live")),
    };
    vec![theme.span(tone, theme.glyph(glyph)), Span::raw(" "), theme.span(tone, word)]
}

/// How the cluster of what is shown fares now, whatever moment is shown.
fn now_of(model: &Model) -> &Feed {
    model.frontier.feed.of(model.run().and_then(|run| run.cluster.as_ref()))
}

/// Since when what is shown may be old. Where a right was withdrawn to a part of it, the rest is not: whoever reads that all
/// of it is stale would not believe the rest, and that it is live, not what is old.
pub fn stale(model: &Model, feed: &Feed, since: Timestamp, now: Timestamp) -> String {
    let partly = matches!(feed.state(), FeedState::Withdrawn { .. }) && feed.any_live();
    let since = words::clock(since, now, &model.settings.zone);
    format!("{}stale since {since}", if partly { "partly " } else { "" })
}

/// How many times as fast as life it goes, where it does not go as fast.
fn times(speed: f64) -> String {
    if speed == 1.0 { String::new() } else { format!(" {speed}x") }
}

/// Draws below the first row that what is shown is not what is, which nobody is to miss: the moment, what failed since, and
/// the way back.
fn looking_back(model: &Model, gauge: &Gauge, buffer: &mut Buffer) {
    let (theme, area) = (model.theme(), buffer.area);
    let style = theme.looking_back();
    let time = words::clock(gauge.time, gauge.today, &model.settings.zone);
    let key = model.settings.keys.label(Place::Dashboard, Action::Travel(Travel::End), theme.ascii);
    let now = |words: &str| key.as_ref().map(|key| format!("{key} {words} ")).unwrap_or_default();
    let failed = |words: String| if gauge.failed_since == 0 { String::new() } else { words };
    let since = failed(format!(" {} since ", words::counted(gauge.failed_since, "failure")));
    let told = [
        (format!(" looking at {time}, live goes on  "), since.clone(), now("back to now")),
        (format!(" looking at {time}, live goes on "), since.clone(), now("now")),
        (format!(" at {time}, live goes on "), since, now("now")),
        (format!(" at {time}, live goes on "), failed(format!(" {} failed ", gauge.failed_since)), now("now")),
    ];
    // As much stands between both sides at the least.
    let taken = |(left, failed, right): &(String, String, String)| width(left) + width(failed) + 2 + width(right);
    let fitting = told.iter().find(|told| taken(told) <= area.width.into()).or(told.last());
    let Some((left, failed, right)) = fitting.cloned() else { return };
    let left = Line::from(vec![
        Span::styled(left, style),
        Span::styled(failed, theme.style(Tone::Failed).remove_modifier(Modifier::REVERSED)),
    ]);
    buffer.set_style(Rect { y: area.y + 1, height: 1, ..area }, style);
    put_both(buffer, area.x, area.y + 1, area.width, left, Line::from(Span::styled(right, style)), theme);
}
