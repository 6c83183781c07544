//! The colours of a log in those of this terminal, and what stands out in a text.

use ratatui::style::{Color, Modifier, Style};

use super::theme::{Colours, Theme, Tone};
use crate::cluster::{Colour, Look};

/// The 16 named colours, in the order in which terminals number them, and what xterm makes of them.
const NAMED: [(Color, (u8, u8, u8)); 16] = [
    (Color::Black, (0, 0, 0)),
    (Color::Red, (205, 0, 0)),
    (Color::Green, (0, 205, 0)),
    (Color::Yellow, (205, 205, 0)),
    (Color::Blue, (0, 0, 238)),
    (Color::Magenta, (205, 0, 205)),
    (Color::Cyan, (0, 205, 205)),
    (Color::Gray, (229, 229, 229)),
    (Color::DarkGray, (127, 127, 127)),
    (Color::LightRed, (255, 0, 0)),
    (Color::LightGreen, (0, 255, 0)),
    (Color::LightYellow, (255, 255, 0)),
    (Color::LightBlue, (92, 92, 255)),
    (Color::LightMagenta, (255, 0, 255)),
    (Color::LightCyan, (0, 255, 255)),
    (Color::White, (255, 255, 255)),
];

/// The levels of the colour cube, 16 to 231.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl Theme {
    /// How text looks that was printed in that look. Without colours its weight stays; what is reversed is then what was
    /// found.
    ///
    /// Black and white are not kept where the ground is the terminal's own: they are meant to be read on another one, and
    /// can't be on their like.
    pub fn look(self, look: Look) -> Style {
        let modifiers = [
            (look.bold, Modifier::BOLD),
            (look.dim, Modifier::DIM),
            (look.italic, Modifier::ITALIC),
            (look.underlined, Modifier::UNDERLINED),
            (look.reversed && self.colours != Colours::None, Modifier::REVERSED),
        ];
        let set = modifiers.iter().filter(|(is, _)| *is).fold(Modifier::empty(), |all, (_, one)| all | *one);
        let colour = |colour: Option<Colour>| colour.and_then(|colour| self.colour(colour));
        let own_ground = look.background.is_none() && !look.reversed;
        let look = match look.foreground {
            Some(Colour::Indexed(0 | 7 | 15)) if own_ground => Look { foreground: None, ..look },
            _ => look,
        };
        Style { fg: colour(look.foreground), bg: colour(look.background), ..Style::new().add_modifier(set) }
    }

    /// How it looks that what is shown is not what is.
    pub fn looking_back(self) -> Style {
        self.style(Tone::Retrying).add_modifier(Modifier::REVERSED)
    }

    /// How what was found looks, in the line one is at and in the others.
    pub fn found(self, here: bool) -> Style {
        match (self.colours, here) {
            (Colours::True, true) => Style::new().fg(Color::Rgb(20, 23, 28)).bg(Color::Rgb(242, 189, 90)),
            (Colours::True, false) => Style::new().fg(Color::Rgb(242, 189, 90)).bg(Color::Rgb(66, 54, 30)),
            (Colours::Indexed, true) => Style::new().fg(Color::Indexed(234)).bg(Color::Indexed(215)),
            (Colours::Indexed, false) => Style::new().fg(Color::Indexed(215)).bg(Color::Indexed(237)),
            (Colours::Sixteen, true) => Style::new().fg(Color::Black).bg(Color::Yellow),
            (Colours::Sixteen, false) => Style::new().fg(Color::Yellow).add_modifier(Modifier::REVERSED),
            (Colours::None, true) => Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD),
            (Colours::None, false) => Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
        }
    }

    /// A colour as well as the terminal can show it.
    pub(super) fn colour(self, colour: Colour) -> Option<Color> {
        match (self.colours, colour) {
            (Colours::None, _) => None,
            (_, Colour::Indexed(index @ 0..16)) => Some(NAMED[usize::from(index)].0),
            (Colours::True | Colours::Indexed, Colour::Indexed(index)) => Some(Color::Indexed(index)),
            (Colours::True, Colour::Rgb(red, green, blue)) => Some(Color::Rgb(red, green, blue)),
            (Colours::Indexed, Colour::Rgb(red, green, blue)) => {
                let candidates = (16..=255).map(|index| (Color::Indexed(index), shade(index)));
                nearest((red, green, blue), candidates)
            }
            (Colours::Sixteen, Colour::Indexed(index)) => nearest(shade(index), NAMED.into_iter()),
            (Colours::Sixteen, Colour::Rgb(red, green, blue)) => nearest((red, green, blue), NAMED.into_iter()),
        }
    }
}

/// What a terminal makes of one of the colours from 16 on: a cube of six levels each, then greys.
fn shade(index: u8) -> (u8, u8, u8) {
    if index >= 232 {
        let grey = 8 + (index - 232) * 10;
        return (grey, grey, grey);
    }
    let place = usize::from(index.saturating_sub(16));
    (LEVELS[place / 36 % 6], LEVELS[place / 6 % 6], LEVELS[place % 6])
}

/// Whether black is better read on it than white: by how bright it seems to an eye (Rec. 601).
pub(super) fn is_bright(colour: Colour) -> bool {
    let (red, green, blue) = match colour {
        Colour::Indexed(index @ 0..16) => NAMED[usize::from(index)].1,
        Colour::Indexed(index) => shade(index),
        Colour::Rgb(red, green, blue) => (red, green, blue),
    };
    u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114 > 140_000
}

fn nearest(wanted: (u8, u8, u8), of: impl Iterator<Item = (Color, (u8, u8, u8))>) -> Option<Color> {
    let apart = |one: u8, other: u8| u32::from(one.abs_diff(other)).pow(2);
    let distance = |(red, green, blue)| apart(red, wanted.0) + apart(green, wanted.1) + apart(blue, wanted.2);
    of.min_by_key(|(_, shade)| distance(*shade)).map(|(colour, _)| colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreground(colours: Colours, colour: Colour) -> Option<Color> {
        Theme::new(colours, false).look(Look { foreground: Some(colour), ..Look::default() }).fg
    }

    #[test]
    fn colours_of_a_log_are_shown_as_well_as_the_terminal_can() {
        let orange = Colour::Rgb(255, 135, 0);
        assert_eq!(foreground(Colours::True, orange), Some(Color::Rgb(255, 135, 0)));
        assert_eq!(foreground(Colours::Indexed, orange), Some(Color::Indexed(208)));
        assert_eq!(foreground(Colours::Sixteen, Colour::Rgb(250, 10, 5)), Some(Color::LightRed));
        assert_eq!(foreground(Colours::Sixteen, Colour::Indexed(196)), Some(Color::LightRed));
        assert_eq!(foreground(Colours::Indexed, Colour::Rgb(118, 118, 118)), Some(Color::Indexed(243)));
        for colours in [Colours::True, Colours::Indexed, Colours::Sixteen] {
            assert_eq!(foreground(colours, Colour::Indexed(1)), Some(Color::Red), "the user's own red");
        }
    }

    #[test]
    fn k9s_1297_a_log_ignores_no_color() {
        let all = Look {
            foreground: Some(Colour::Indexed(1)),
            background: Some(Colour::Rgb(1, 2, 3)),
            bold: true,
            underlined: true,
            ..Look::default()
        };
        let style = Theme::new(Colours::None, false).look(all);
        assert_eq!((style.fg, style.bg), (None, None));
        assert_eq!(style.add_modifier, Modifier::BOLD | Modifier::UNDERLINED);
    }

    #[test]
    fn black_and_white_are_kept_on_a_ground_of_their_own_alone() {
        let style = |colours, look| Theme::new(colours, false).look(look);
        for index in [0, 7, 15] {
            let bare = Look { foreground: Some(Colour::Indexed(index)), ..Look::default() };
            let grounded = Look { background: Some(Colour::Indexed(4)), ..bare };
            assert_eq!(style(Colours::True, bare).fg, None, "{index}");
            assert_eq!(style(Colours::True, grounded).fg, Some(NAMED[usize::from(index)].0));
            assert_eq!(style(Colours::True, Look { reversed: true, ..bare }).fg, Some(NAMED[usize::from(index)].0));
        }
    }

    #[test]
    fn without_colours_nothing_looks_like_what_was_found() {
        let theme = Theme::new(Colours::None, false);
        let reversed = theme.look(Look { reversed: true, bold: true, ..Look::default() });
        assert_ne!(reversed, theme.found(true));
    }

    #[test]
    fn what_was_found_stands_out_with_and_without_colours_and_twice_where_one_is() {
        for colours in [Colours::True, Colours::Indexed, Colours::Sixteen, Colours::None] {
            let theme = Theme::new(colours, false);
            assert_ne!(theme.found(true), theme.found(false), "{colours:?}");
            assert_ne!(theme.found(false), Style::new(), "{colours:?}");
        }
    }
}
