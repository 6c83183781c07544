//! The keys, from the key map, and the states with their glyphs. It scrolls.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{bar, body, header, scrolled};
use crate::cluster::Pick;
use crate::tui::keymap::{Action, Bound, KeyMap, Place};
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::Tone;
use crate::tui::widget::table::{Align, table};

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let area = body(model, buffer.area);
    header::draw(model, true, buffer);
    let lines = lines(model);
    bar::draw(model, bar::position(model, lines.len(), area.height.into()), buffer);
    scrolled(model, lines, Rect { x: area.x + 2, width: area.width.saturating_sub(3), ..area }, buffer);
}

/// All lines of the screen.
pub fn lines(model: &Model) -> Vec<Line<'static>> {
    let theme = model.theme();
    let title = |text: &'static str| Line::from(theme.span(Tone::Strong, text));
    let columns = usize::from(model.size().width.saturating_sub(3));

    let mut lines = Vec::new();
    let upgrades = model.settings.selection.has_upgrades();
    let mut groups = groups(&model.settings.keys);
    // What can be done where help was called from comes first.
    let from = Place::of(model.screen_under(1), None);
    groups.sort_by_key(|(_, places, _)| from.is_none_or(|from| !places.contains(&from)));
    for (name, _, keys) in groups {
        let row = |bound: &&Bound| {
            let keys: Vec<String> = bound.keys.iter().map(|key| key.label(theme.ascii)).collect();
            vec![
                theme.span(Tone::Strong, format!("{:20}", keys.join(" "))),
                theme.span(Tone::Text, told(bound, upgrades)),
            ]
        };
        lines.push(title(name));
        lines.extend(table(theme, &[Align::Left; 2], keys.iter().map(row).collect(), columns, 2));
        lines.push(Line::default());
    }
    lines.push(title(if upgrades { "States of a gate" } else { "States of a step" }));
    let jobs = model.settings.selection.picks().iter().any(|pick| matches!(pick, Pick::Job(_)));
    let states = Mark::ALL.iter().map(|mark| {
        let (word, meaning) = mark.words();
        let meaning = match (upgrades, jobs) {
            (true, _) => meaning,
            (false, true) => of_jobs(*mark).unwrap_or(meaning),
            (false, false) => of_others(*mark),
        };
        let word = if *mark == Mark::Failed { word.to_uppercase() } else { word.to_owned() };
        let glyph = if *mark == Mark::Failed { Tone::Bad } else { mark.tone() };
        vec![
            theme.span(glyph, theme.mark(*mark, model.beat)),
            Span::styled(word, theme.style(mark.tone())),
            theme.span(Tone::Text, meaning),
        ]
    });
    lines.extend(table(theme, &[Align::Left; 3], states.collect(), columns, 2));
    lines
}

/// What a key does: what upgrades of GitLab are made of is not named where none is watched.
fn told(bound: &Bound, upgrades: bool) -> &'static str {
    match bound.row.action {
        Action::Describe if !upgrades => "what kubectl describe tells of its object, and of the pods",
        Action::Yaml if !upgrades => "the object, or the whole resource, as YAML",
        _ => bound.row.help,
    }
}

/// What a state means of a plain Job, where that is another sentence: there is no hop and no upgrade that it could be of.
fn of_jobs(mark: Mark) -> Option<&'static str> {
    match mark {
        Mark::Pending => Some("not begun"),
        Mark::Failed => Some("the Job has failed"),
        Mark::Skipped => Some("not needed"),
        _ => None,
    }
}

/// What a state means of a rollout, and of a stage that an operator works through.
fn of_others(mark: Mark) -> &'static str {
    match mark {
        Mark::Pending => "not begun",
        Mark::Running => "it is under way",
        Mark::Blocked => "it is held up, and may not go on by itself",
        Mark::Retrying => "it is held up, and is tried again",
        Mark::Failing => "it gives up",
        Mark::Failed => "it has failed",
        Mark::Suspended => "it is suspended",
        Mark::Done => "it is complete",
        Mark::Skipped => "not needed",
        Mark::Unknown => "it may not be seen, or it is gone",
    }
}

/// The keys by where they are valid, and the places that are told of by name: first those of most places, then those that only
/// some have. What holds of every text is told once.
fn groups(map: &KeyMap) -> Vec<(&'static str, Vec<Place>, Vec<&Bound>)> {
    let travels = |bound: &&Bound| matches!(bound.row.action, Action::Travel(_));
    let common = |bound: &&Bound| bound.row.places.len() > 3 && !travels(bound);
    let of_texts = |bound: &&Bound| [Place::Logs, Place::Text].iter().all(|place| bound.row.places.contains(place));
    let mut groups = vec![("Everywhere", Vec::new(), map.all().filter(common).collect())];
    groups.push(("Back and forth in time", Vec::new(), map.all().filter(travels).collect()));
    for place in Place::ALL {
        let mut keys: Vec<&Bound> = map.at(place).filter(|bound| !common(bound) && !travels(bound)).collect();
        if place == Place::Logs {
            let places = vec![Place::Logs, Place::Text];
            groups.push(("Logs, YAML and description", places, keys.iter().copied().filter(of_texts).collect()));
        }
        keys.retain(|bound| !of_texts(bound));
        groups.push((place.name(), vec![place], keys));
    }
    groups.retain(|(.., keys)| !keys.is_empty());
    groups
}
