//! The keys, from the key map, and the states with their glyphs. It scrolls.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{bar, body, header, scrolled};
use crate::tui::keymap::{BINDINGS, Binding, Place};
use crate::tui::model::Model;
use crate::tui::theme::{Mark, Tone};
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

    let keys = BINDINGS.iter().map(|binding| {
        let keys: Vec<String> = binding.keys.iter().map(|key| key.label(theme.ascii)).collect();
        vec![
            theme.span(Tone::Strong, keys.join(" ")),
            theme.span(Tone::Text, binding.help),
            theme.span(Tone::Muted, places(binding)),
        ]
    });
    let mut lines = vec![title("Keys")];
    lines.extend(table(theme, &[Align::Left; 3], keys.collect(), columns));
    lines.push(Line::default());

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
    lines.extend(table(theme, &[Align::Left; 3], states.collect(), columns));
    lines
}

/// Where a key is valid, in words; nothing where it is valid everywhere.
fn places(binding: &Binding) -> String {
    if binding.places.len() + 1 >= Place::ALL.len() {
        return String::new();
    }
    let names: Vec<&str> = binding.places.iter().map(|place| name(*place)).collect();
    names.join(", ")
}

fn name(place: Place) -> &'static str {
    match place {
        Place::Waiting => "no instance",
        Place::Instances => "instances",
        Place::Filter => "filter",
        Place::Dashboard => "dashboard",
        Place::Detail => "detail",
        Place::Help => "help",
    }
}
