//! What each tone looks like on a dark and on a light background, and which colours the user gave the states instead.

use ratatui::style::{Color, Modifier, Style};

use super::{Colours, Theme};
use crate::cluster::Colour;
use crate::tui::look::is_bright;
use crate::tui::mark::Mark;

/// What a piece of text is, and so how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// What is said.
    Text,
    /// What is said first: names, the current version.
    Strong,
    /// What explains: labels, hints.
    Muted,
    /// Lines and what is not reached.
    Faint,
    /// Done, live.
    Good,
    /// Running.
    Active,
    /// What belongs to something that is retrying, and what else deserves a look.
    Warning,
    /// Retrying, where it is the state itself.
    Retrying,
    /// What belongs to something that is blocked.
    Held,
    /// Blocked, where it is the state itself.
    Blocked,
    /// What belongs to something that is failing.
    GivingUp,
    /// What failed.
    Bad,
    /// Failing.
    Failing,
    /// The label of what has failed for good.
    Failed,
    /// Suspended.
    Suspended,
    /// Pending.
    Pending,
    /// Skipped.
    Skipped,
    /// Unknown.
    Unknown,
    /// A command to copy.
    Command,
    /// The row that a key acts on.
    Selected,
    /// That it is recorded.
    Recording,
}

/// What is behind the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// Black, or near it.
    #[default]
    Dark,
    /// White, or near it.
    Light,
}

/// The colours that are drawn with, where there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    background: Background,
    /// The colour that was chosen for each of [`Mark::ALL`].
    chosen: [Option<Colour>; Mark::ALL.len()],
}

/// One hue: in full, and as one of 256, for either background; and as one of 16, whose shade is the user's.
#[derive(Clone, Copy)]
struct Hue {
    dark: (Rgb, u8),
    light: (Rgb, u8),
    sixteen: Color,
}

type Rgb = (u8, u8, u8);

/// One tone: its hue, the terminal's own foreground where it has none, and what carries it besides, where there are
/// colours and where there are not.
struct Paint {
    hue: Option<Hue>,
    colour: Modifier,
    plain: Modifier,
}

const NOTHING: Modifier = Modifier::empty();
const BOLD: Modifier = Modifier::BOLD;
const UNDERLINED: Modifier = Modifier::UNDERLINED;

const GREEN: Hue = hue((126, 211, 137), 114, (26, 127, 55), 28, Color::Green);
const BLUE: Hue = hue((97, 175, 239), 75, (9, 105, 218), 26, Color::Blue);
const AMBER: Hue = hue((242, 189, 90), 215, (154, 103, 0), 94, Color::Yellow);
const MAGENTA: Hue = hue((211, 134, 232), 176, (130, 80, 223), 97, Color::Magenta);
const RED: Hue = hue((247, 112, 111), 203, (207, 34, 46), 160, Color::Red);
const ROSE: Hue = hue((222, 147, 130), 174, (188, 76, 0), 130, Color::LightRed);
const GREY: Hue = hue((123, 131, 144), 245, (101, 109, 118), 242, Color::DarkGray);
const FAINT: Hue = hue((82, 89, 102), 240, (140, 149, 159), 246, Color::DarkGray);
const WHITE: Hue = hue((255, 255, 255), 231, (255, 255, 255), 231, Color::White);
const INK: Hue = hue((230, 233, 239), 255, (31, 35, 40), 234, Color::Cyan);
/// Behind [`WHITE`].
const ALARM: Hue = hue((200, 48, 58), 160, (200, 48, 58), 160, Color::Red);
/// Behind [`INK`]; 16 colours have nothing like it.
const SLATE: Hue = hue((35, 42, 53), 236, (234, 238, 242), 254, Color::Reset);

const fn hue(dark: Rgb, dark_index: u8, light: Rgb, light_index: u8, sixteen: Color) -> Hue {
    Hue { dark: (dark, dark_index), light: (light, light_index), sixteen }
}

impl Hue {
    /// The hue as that many colours can show it.
    fn shown(self, background: Background, colours: Colours) -> Option<Color> {
        let ((red, green, blue), index) = self.on(background);
        match colours {
            Colours::True => Some(Color::Rgb(red, green, blue)),
            Colours::Indexed => Some(Color::Indexed(index)),
            Colours::Sixteen => Some(self.sixteen).filter(|colour| *colour != Color::Reset),
            Colours::None => None,
        }
    }

    fn on(self, background: Background) -> (Rgb, u8) {
        match background {
            Background::Dark => self.dark,
            Background::Light => self.light,
        }
    }
}

fn paint(tone: Tone) -> Paint {
    let own = |modifier| Paint { hue: None, colour: modifier, plain: modifier };
    let paint = |hue, colour, plain| Paint { hue: Some(hue), colour, plain };
    match tone {
        Tone::Text => own(NOTHING),
        Tone::Strong => own(BOLD),
        Tone::Selected => Paint { plain: BOLD.union(Modifier::REVERSED), ..own(BOLD) },
        Tone::Muted | Tone::Pending | Tone::Skipped | Tone::Unknown => paint(GREY, NOTHING, NOTHING),
        Tone::Faint => paint(FAINT, NOTHING, NOTHING),
        Tone::Good => paint(GREEN, NOTHING, NOTHING),
        Tone::Active => paint(BLUE, NOTHING, NOTHING),
        Tone::Warning => paint(AMBER, NOTHING, NOTHING),
        Tone::Retrying => paint(AMBER, BOLD, BOLD),
        Tone::Held => paint(MAGENTA, NOTHING, NOTHING),
        Tone::Blocked => paint(MAGENTA, BOLD, BOLD.union(UNDERLINED)),
        Tone::Bad | Tone::GivingUp => paint(RED, NOTHING, NOTHING),
        Tone::Failing => paint(RED, BOLD.union(UNDERLINED), BOLD.union(UNDERLINED)),
        Tone::Failed => paint(WHITE, BOLD, BOLD.union(Modifier::REVERSED)),
        Tone::Suspended => paint(GREY, BOLD, NOTHING),
        Tone::Recording => paint(ROSE, NOTHING, NOTHING),
        Tone::Command => paint(INK, NOTHING, BOLD),
    }
}

/// The background of a tone, for the two that have one: red behind white, and what sets a command apart.
fn ground(tone: Tone) -> Option<Hue> {
    match tone {
        Tone::Failed => Some(ALARM),
        Tone::Command => Some(SLATE),
        _ => None,
    }
}

/// The state that a tone stands for.
fn state(tone: Tone) -> Option<Mark> {
    Some(match tone {
        Tone::Good => Mark::Done,
        Tone::Active => Mark::Running,
        Tone::Warning | Tone::Retrying => Mark::Retrying,
        Tone::Held | Tone::Blocked => Mark::Blocked,
        Tone::GivingUp | Tone::Failing => Mark::Failing,
        Tone::Bad | Tone::Failed => Mark::Failed,
        Tone::Suspended => Mark::Suspended,
        Tone::Pending => Mark::Pending,
        Tone::Skipped => Mark::Skipped,
        Tone::Unknown => Mark::Unknown,
        Tone::Text | Tone::Strong | Tone::Muted | Tone::Faint | Tone::Command | Tone::Selected | Tone::Recording => {
            return None;
        }
    })
}

impl Palette {
    /// The colours for that background.
    pub const fn new(background: Background) -> Self {
        Self { background, chosen: [None; Mark::ALL.len()] }
    }

    /// The same, with another colour for a state.
    #[must_use]
    pub fn with(mut self, state: Mark, colour: Colour) -> Self {
        self.chosen[state as usize] = Some(colour);
        self
    }

    /// The colour of a state where none was chosen.
    pub fn own(background: Background, state: Mark) -> Colour {
        let hue = paint(state.colour()).hue.unwrap_or(GREY);
        let ((red, green, blue), _) = hue.on(background);
        Colour::Rgb(red, green, blue)
    }
}

impl Theme {
    /// How a tone looks.
    pub fn style(self, tone: Tone) -> Style {
        let Self { palette, colours, .. } = self;
        let paint = paint(tone);
        let modifier = if colours == Colours::None { paint.plain } else { paint.colour };
        let shown = |hue: Option<Hue>| hue.and_then(|hue| hue.shown(palette.background, colours));
        let chosen = state(tone).and_then(|state| palette.chosen[state as usize]);
        let (fg, bg) = match (chosen, tone) {
            // Its label is written on the colour, and has to be read there.
            (Some(chosen), Tone::Failed) => {
                let ink = if is_bright(chosen) { Colour::Rgb(0, 0, 0) } else { Colour::Rgb(255, 255, 255) };
                (self.colour(ink), self.colour(chosen))
            }
            (Some(chosen), _) => (self.colour(chosen), shown(ground(tone))),
            (None, _) => (shown(paint.hue), shown(ground(tone))),
        };
        Style { fg, bg, ..Style::new().add_modifier(modifier) }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;
    use crate::tui::theme::Theme;

    const TONES: [Tone; 19] = [
        Tone::Muted,
        Tone::Good,
        Tone::Active,
        Tone::Warning,
        Tone::Retrying,
        Tone::Held,
        Tone::Blocked,
        Tone::GivingUp,
        Tone::Bad,
        Tone::Failing,
        Tone::Failed,
        Tone::Suspended,
        Tone::Pending,
        Tone::Skipped,
        Tone::Unknown,
        Tone::Command,
        Tone::Recording,
        Tone::Text,
        Tone::Strong,
    ];

    fn theme(colours: Colours, palette: Palette) -> Theme {
        Theme { palette, ..Theme::new(colours, false) }
    }

    /// The relative luminance of a colour after WCAG 2.1, of 0 to 1.
    fn luminance(colour: Color) -> f64 {
        let (red, green, blue) = match colour {
            Color::Rgb(red, green, blue) => (red, green, blue),
            Color::Indexed(index @ 16..=231) => {
                let level = |place: u8| [0, 95, 135, 175, 215, 255][usize::from((index - 16) / place % 6)];
                (level(36), level(6), level(1))
            }
            Color::Indexed(index @ 232..) => {
                let grey = 8 + (index - 232) * 10;
                (grey, grey, grey)
            }
            colour => panic!("{colour:?}"),
        };
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    #[test]
    fn every_tone_can_be_read_on_its_background() {
        for (background, behind) in [(Background::Dark, Color::Rgb(0, 0, 0)), (Background::Light, Color::Indexed(231))]
        {
            for colours in [Colours::True, Colours::Indexed] {
                for tone in TONES {
                    let style = theme(colours, Palette::new(background)).style(tone);
                    let Some(foreground) = style.fg else { continue };
                    let [one, other] = [foreground, style.bg.unwrap_or(behind)].map(luminance);
                    let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                    // What WCAG asks of text that is not large.
                    assert!(contrast >= 4.5, "{tone:?} on {background:?} in {colours:?}: {contrast:.2}");
                }
            }
        }
    }

    #[test]
    fn a_colour_that_was_chosen_is_that_of_the_state_wherever_it_shows_and_of_no_other() {
        let pink = Colour::Rgb(255, 105, 180);
        for state in Mark::ALL {
            let (own, with) = (Palette::new(Background::Dark), Palette::new(Background::Dark).with(state, pink));
            let style = |palette, tone| theme(Colours::True, palette).style(tone);
            let is_pink = |style: Style| [style.fg, style.bg].contains(&Some(Color::Rgb(255, 105, 180)));
            for tone in [state.tone(), state.colour()] {
                assert!(is_pink(style(with, tone)), "{state:?} {tone:?}");
            }
            for other in Mark::ALL.into_iter().filter(|other| *other != state) {
                for tone in [other.tone(), other.colour()] {
                    assert_eq!(style(with, tone), style(own, tone), "{other:?} where {state:?} is pink");
                }
            }
        }
    }

    #[test]
    fn a_colour_that_was_chosen_is_shown_as_well_as_the_terminal_can_and_not_without_colours() {
        let palette = Palette::new(Background::Dark).with(Mark::Done, Colour::Rgb(250, 10, 5));
        let shown = |colours| theme(colours, palette).style(Tone::Good).fg;
        assert_eq!(shown(Colours::True), Some(Color::Rgb(250, 10, 5)));
        assert_eq!(shown(Colours::Sixteen), Some(Color::LightRed));
        assert_eq!(shown(Colours::None), None);
    }

    #[test]
    fn the_label_of_what_failed_can_be_read_on_any_colour() {
        let label = |colour| {
            let palette = Palette::new(Background::Light).with(Mark::Failed, colour);
            let style = theme(Colours::True, palette).style(Tone::Failed);
            (style.fg, style.bg)
        };
        let (black, white) = (Some(Color::Rgb(0, 0, 0)), Some(Color::Rgb(255, 255, 255)));
        assert_eq!(label(Colour::Rgb(255, 255, 0)), (black, Some(Color::Rgb(255, 255, 0))));
        assert_eq!(label(Colour::Rgb(0, 0, 120)), (white, Some(Color::Rgb(0, 0, 120))));
        assert_eq!(label(Colour::Indexed(3)).0, black, "yellow");
    }
}
