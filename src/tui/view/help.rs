//! The keys, from the key map, and the states with their glyphs. It scrolls.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{bar, body, header, scrolled};
use crate::tui::keymap::{BINDINGS, Binding, Place};
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::Tone;
use crate::tui::widget::table::{Align, table};

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let area = body(buffer.area);
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
    for (name, keys) in groups() {
        let row = |binding: &&Binding| {
            let keys: Vec<String> = binding.keys.iter().map(|key| key.label(theme.ascii)).collect();
            vec![theme.span(Tone::Strong, format!("{:20}", keys.join(" "))), theme.span(Tone::Text, binding.help)]
        };
        lines.push(title(name));
        lines.extend(table(theme, &[Align::Left; 2], keys.iter().map(row).collect(), columns, 2));
        lines.push(Line::default());
    }
    lines.push(title("States of a gate"));
    let states = Mark::ALL.iter().map(|mark| {
        let (word, meaning) = mark.words();
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

/// The keys by where they are valid: first those of most places, then those that only some have.
fn groups() -> Vec<(&'static str, Vec<&'static Binding>)> {
    let common = |binding: &&Binding| binding.places.len() > 3;
    let mut groups = vec![("Everywhere", BINDINGS.iter().filter(common).collect())];
    for place in Place::ALL {
        let name = match place {
            Place::Dashboard => "Dashboard",
            Place::Detail => "Detail",
            Place::Instances => "Instances",
            Place::Filter => "Filter",
            Place::Namespace => "Namespace",
            Place::Journal => "Journal",
            Place::Help => "Help",
            Place::Waiting => "No instance",
        };
        groups.push((name, place.bindings().filter(|binding| !common(binding)).collect()));
    }
    groups.retain(|(_, keys): &(_, Vec<_>)| !keys.is_empty());
    groups
}
