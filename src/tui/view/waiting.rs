//! No instance yet: what is missing, and that it is waited for.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{bar, body, header, words};
use crate::cluster::{FeedState, Kind, WatchState};
use crate::tui::model::{Mode, Model};
use crate::tui::theme::{Theme, Tone};
use crate::tui::widget::text::{line_width, put, wrap_at_most};

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    header::draw(model, true, buffer);
    draw_within(model, body(model, buffer.area), buffer);
    bar::draw(model, Line::default(), buffer);
}

/// Says what is missing in the middle of `area`.
pub fn draw_within(model: &Model, area: Rect, buffer: &mut Buffer) {
    let theme = model.theme();
    let room = area.width.saturating_sub(4).min(76);
    let (head, explained) = words(model);
    let mut lines = lines(theme, Tone::Strong, &head, room.into(), 3);
    lines.push(Line::default());
    for text in explained {
        lines.extend(self::lines(theme, Tone::Muted, &text, room.into(), 4));
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let top = area.y + area.height.saturating_sub(height) / 3;
    for (y, line) in (top..area.bottom()).zip(lines) {
        let wide = u16::try_from(line_width(&line)).unwrap_or(area.width);
        put(buffer, area.x + area.width.saturating_sub(wide) / 2, y, area.width, line, theme);
    }
}

fn lines(theme: Theme, tone: Tone, text: &str, columns: usize, most: usize) -> Vec<Line<'static>> {
    let wrapped = wrap_at_most(text, columns, most, theme);
    wrapped.into_iter().map(|line| Line::from(theme.span(tone, line.trim_end().to_owned()))).collect()
}

/// Where to read what became of those that are gone.
fn became(model: &Model) -> Option<String> {
    let attended = model.settings.mode == Mode::Interactive;
    model.gone().filter(|_| attended).map(|gone| format!("J shows what became of {gone}."))
}

/// What is missing, and what explains it.
fn words(model: &Model) -> (String, Vec<String>) {
    let namespace = match &model.settings.namespace {
        Some(namespace) => format!("namespace {namespace}"),
        None => "any namespace".into(),
    };
    let place = &model.settings.place;
    let told = |message: &String| vec![model.told(message).to_owned()];
    match model.feed().watch(Kind::GitLabCore) {
        Some(WatchState::Undefined) => {
            let knows =
                if model.gone().is_some() { "no longer knows GitLabCore" } else { "does not know GitLabCore yet" };
            let waits = "Waiting for its definition, gitlabcores.apps.gitlab.com.".to_owned();
            (format!("{place} {knows}"), became(model).into_iter().chain([waits]).collect())
        }
        Some(WatchState::Forbidden { message, .. }) => (
            format!("You may not list GitLabCore in {namespace}"),
            told(message).into_iter().chain(["Waiting for a Role that allows it.".into()]).collect(),
        ),
        Some(WatchState::Broken { since, error }) => (
            format!("{place} cannot be reached"),
            told(error)
                .into_iter()
                .chain([format!("Trying again since {}.", words::clock(*since, model.now(), &model.settings.zone))])
                .collect(),
        ),
        Some(WatchState::Ended | WatchState::Absent) if model.settings.origin.is_recording() => {
            (format!("{place} holds no GitLabCore"), Vec::new())
        }
        Some(WatchState::Live { .. } | WatchState::Ended | WatchState::Absent) => match model.feed().state() {
            FeedState::Stale { error, .. } => (
                format!("No GitLabCore in {namespace} so far"),
                told(&error).into_iter().chain(["Not everything can be seen; trying again.".into()]).collect(),
            ),
            _ => match model.gone() {
                Some(gone) => (
                    format!("The {} {gone} is gone", gone.source.word()),
                    became(model).into_iter().chain(["Waiting for another.".into()]).collect(),
                ),
                None => (format!("No GitLabCore in {namespace}"), vec!["Waiting for one.".into()]),
            },
        },
        Some(WatchState::Starting) | None if model.settings.origin.is_recording() => {
            (format!("{place} shows no GitLabCore so far"), Vec::new())
        }
        Some(WatchState::Starting) | None => (format!("Connecting to {place}"), Vec::new()),
    }
}
