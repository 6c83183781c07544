//! Nothing to show yet: what is missing, and that it is waited for.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{banner, bar, body, header, words};
use crate::cluster::{FeedState, Kind, Pick, WatchState};
use crate::run::RunName;
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

/// Until when the last of those that are gone was there, and where to read what became of it.
fn became(model: &Model) -> Vec<String> {
    let Some((gone, until)) = model.gone() else { return Vec::new() };
    let until = format!("It was there until {}.", words::clock(until, model.now(), &model.settings.zone));
    let journal = (model.settings.mode == Mode::Interactive).then(|| format!("J shows what became of {gone}."));
    [until].into_iter().chain(journal).collect()
}

fn is_gone(gone: &RunName) -> String {
    format!("The {} {gone} is gone", gone.source.word())
}

/// What is missing, and what explains it: of several things that are watched, what is to be said of each.
fn words(model: &Model) -> (String, Vec<String>) {
    if let Some(clusters) = model.feeds().several() {
        let mut told = banner::sentences(model);
        if told.is_empty() && !model.settings.origin.is_recording() {
            told.push("Waiting for one.".into());
        }
        return (format!("Nothing to show in {clusters} clusters so far"), told);
    }
    let picks = model.settings.selection.picks();
    let mut told: Vec<_> = picks.iter().map(|pick| words_of(model, pick)).collect();
    told.dedup();
    match (told.pop(), told.is_empty()) {
        (Some(only), true) => only,
        (Some((last, _)), false) => {
            let heads = told.into_iter().map(|(head, _)| head).chain([last]);
            let head = format!("Nothing to show in {}", namespace(model));
            (head, became(model).into_iter().chain(heads.map(|head| head + ".")).collect())
        }
        (None, _) => (format!("Nothing to show in {}", namespace(model)), Vec::new()),
    }
}

fn namespace(model: &Model) -> String {
    match &model.settings.namespace {
        Some(namespace) => format!("namespace {namespace}"),
        None => "any namespace".into(),
    }
}

/// What is missing where nothing else is watched, and what explains it.
fn words_of(model: &Model, pick: &Pick) -> (String, Vec<String>) {
    let namespace = namespace(model);
    let place = &model.settings.place;
    let told = |message: &String| vec![model.told(message).to_owned()];
    let (kind, none) = (pick.kind(), pick.words().replace('`', ""));
    let one = if pick.name().is_some() { "it" } else { "one" };
    match model.feed().watch(kind) {
        Some(WatchState::Undefined) => {
            let knew = model.gone().is_some_and(|(gone, _)| gone.source.word() == kind.name());
            let knows = if knew { format!("no longer knows {kind}") } else { format!("does not know {kind} yet") };
            let waits = match kind {
                Kind::GitLabCore => "Waiting for its definition, gitlabcores.apps.gitlab.com.".to_owned(),
                _ => "Waiting for its definition.".to_owned(),
            };
            (format!("{place} {knows}"), became(model).into_iter().chain([waits]).collect())
        }
        Some(WatchState::Forbidden { message, .. }) => (
            format!("You may not list {kind} in {namespace}"),
            told(message).into_iter().chain(["Waiting for a Role that allows it.".into()]).collect(),
        ),
        Some(WatchState::Broken { since, error }) => (
            format!("{place} cannot be reached"),
            told(error)
                .into_iter()
                .chain([format!("Trying again since {}.", words::clock(*since, model.now(), &model.settings.zone))])
                .collect(),
        ),
        Some(WatchState::Ended | WatchState::Absent) if model.settings.origin.is_recording() => match model.gone() {
            Some((gone, _)) => (is_gone(gone), became(model)),
            None => (format!("{place} holds no {none}"), Vec::new()),
        },
        Some(WatchState::Live { .. } | WatchState::Ended | WatchState::Absent) => match model.feed().state() {
            FeedState::Stale { error, .. } => (
                format!("No {none} in {namespace} so far"),
                told(&error).into_iter().chain(["Not everything can be seen; trying again.".into()]).collect(),
            ),
            _ => match model.gone() {
                Some((gone, _)) => {
                    (is_gone(gone), became(model).into_iter().chain(["Waiting for another.".into()]).collect())
                }
                None => (format!("No {none} in {namespace}"), vec![format!("Waiting for {one}.")]),
            },
        },
        Some(WatchState::Starting) | None if model.settings.origin.is_recording() => {
            (format!("{place} shows no {none} so far"), Vec::new())
        }
        Some(WatchState::Starting) | None => (format!("Connecting to {place}"), Vec::new()),
    }
}
