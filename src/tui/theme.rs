//! Every colour and every glyph, and how they degrade: true colour, 256 colours, 16, none; and ASCII.
//!
//! Colour is never the only difference: each state has a glyph and a word of its own, and without colours bold, underline
//! and reverse carry what has to stand out.

mod palette;

use std::borrow::Cow;

use ratatui::text::Span;

pub use palette::{Background, Palette, Tone};

use super::mark::Mark;

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// 16 million.
    True,
    /// 256.
    Indexed,
    /// 16, whose shades are the user's.
    Sixteen,
    /// None, or none are wanted (`NO_COLOR`).
    None,
}

/// The colours and glyphs of this terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// How many colours there are.
    pub colours: Colours,
    /// Whether only ASCII can be drawn.
    pub ascii: bool,
    /// The colours, as far as there are any.
    pub palette: Palette,
}

/// A small drawing that stands for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// The bar before the selected row.
    Bar,
    /// An attempt that failed.
    Failed,
    /// The attempt that runs.
    Running,
    /// An attempt that is left.
    Left,
    /// An attempt that ended well.
    Succeeded,
    /// An attempt that was stopped from outside.
    Stopped,
    /// The rail where the upgrade has passed.
    RailPassed,
    /// The rail where it has not.
    RailAhead,
    /// The arrow of the hop under way, and of those behind it.
    Arrow,
    /// The arrow of a hop ahead.
    ArrowAhead,
    /// A meter, as far as it is filled; and a short piece of rail lying down.
    MeterFull,
    /// The rest of a meter.
    MeterEmpty,
    /// A horizontal line.
    Line,
    /// Between context and namespace.
    Into,
    /// Between a name and what belongs to it.
    Dot,
    /// Where text was cut off.
    Cut,
    /// A live feed.
    Live,
    /// A feed that is connecting.
    Connecting,
    /// A stale feed.
    Stale,
    /// A replay.
    Replay,
    /// A tape that waits.
    Paused,
    /// A feed that ended.
    Ended,
    /// That it is recorded.
    Recording,
    /// Corners and sides of a frame: top left, top right, bottom left, bottom right, side.
    TopLeft,
    /// See [`Glyph::TopLeft`].
    TopRight,
    /// See [`Glyph::TopLeft`].
    BottomLeft,
    /// See [`Glyph::TopLeft`].
    BottomRight,
    /// See [`Glyph::TopLeft`].
    Side,
}

/// The spinner of what runs, one picture a beat.
const SPINNER: [&str; 4] = ["◐", "◓", "◑", "◒"];
const SPINNER_ASCII: [&str; 4] = ["|", "/", "-", "\\"];

impl Theme {
    /// So many colours, those for a dark background, and whether only ASCII can be drawn.
    pub const fn new(colours: Colours, ascii: bool) -> Self {
        Self { colours, ascii, palette: Palette::new(Background::Dark) }
    }

    /// The theme of this terminal, as the environment tells of it through `variable`, which gives the value of a
    /// variable that is set.
    ///
    /// `NO_COLOR` (no-color.org) outweighs everything; `COLORTERM` tells of true colour; else `TERM` does. ASCII is for
    /// locales other than UTF-8 and for the Linux console, whose font has few glyphs.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = get("TERM").unwrap_or_default();
        let true_colour = matches!(get("COLORTERM").as_deref(), Some("truecolor" | "24bit"));
        let colours = match term.as_str() {
            _ if get("NO_COLOR").is_some() => Colours::None,
            "" | "dumb" => Colours::None,
            term if term.starts_with("vt") => Colours::None,
            _ if true_colour => Colours::True,
            term if term.ends_with("-direct") || KNOWN.iter().any(|known| term.contains(known)) => Colours::True,
            term if term.contains("256") => Colours::Indexed,
            _ => Colours::Sixteen,
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(get).unwrap_or_default().to_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        Self::new(colours, !utf8 || matches!(term.as_str(), "" | "dumb" | "linux"))
    }

    /// A text in a tone.
    pub fn span<'a>(self, tone: Tone, text: impl Into<Cow<'a, str>>) -> Span<'a> {
        Span::styled(text, self.style(tone))
    }

    /// A glyph.
    pub fn glyph(self, glyph: Glyph) -> &'static str {
        let (drawn, ascii) = match glyph {
            Glyph::Bar => ("▌", ">"),
            Glyph::Failed => ("✖", "x"),
            Glyph::Running => ("▸", ">"),
            Glyph::Left => ("·", "."),
            Glyph::Succeeded => ("✔", "+"),
            Glyph::Stopped => ("■", "s"),
            Glyph::RailPassed => ("│", "|"),
            Glyph::RailAhead => ("┊", ":"),
            Glyph::Arrow => ("━━▶", "==>"),
            Glyph::ArrowAhead => ("╌╌▶", "-->"),
            Glyph::MeterFull => ("━", "="),
            Glyph::MeterEmpty => ("╌", "-"),
            Glyph::Line => ("─", "-"),
            Glyph::Into => ("›", ">"),
            Glyph::Dot => ("·", "-"),
            Glyph::Cut => ("…", "~"),
            Glyph::Live => ("●", "*"),
            Glyph::Connecting => ("◌", "o"),
            Glyph::Stale => ("▲", "!"),
            Glyph::Replay => ("▶", ">"),
            Glyph::Paused => ("‖", "="),
            Glyph::Recording => ("●", "*"),
            Glyph::Ended => ("■", "#"),
            Glyph::TopLeft => ("╭", "+"),
            Glyph::TopRight => ("╮", "+"),
            Glyph::BottomLeft => ("╰", "+"),
            Glyph::BottomRight => ("╯", "+"),
            Glyph::Side => ("│", "|"),
        };
        if self.ascii { ascii } else { drawn }
    }

    /// A cell that is filled from below by so many eighths.
    pub fn bar(self, eighths: usize) -> &'static str {
        const DRAWN: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
        const ASCII: [&str; 9] = [" ", ".", ".", ":", ":", "=", "=", "#", "#"];
        let eighths = eighths.min(8);
        if self.ascii { ASCII[eighths] } else { DRAWN[eighths] }
    }

    /// What stands before a number of times.
    pub fn times(self) -> &'static str {
        if self.ascii { "x" } else { "×" }
    }

    /// The glyph of a state. What runs has a spinner, which moves on with every beat.
    pub fn mark(self, mark: Mark, beat: usize) -> &'static str {
        let (drawn, ascii) = match mark {
            Mark::Pending => ("○", "o"),
            Mark::Running if self.ascii => return SPINNER_ASCII[beat % SPINNER_ASCII.len()],
            Mark::Running => return SPINNER[beat % SPINNER.len()],
            Mark::Blocked => ("⊘", "#"),
            Mark::Retrying => ("↻", "@"),
            Mark::Failing => ("▼", "v"),
            Mark::Failed => ("✖", "X"),
            Mark::Suspended => ("‖", "="),
            Mark::Done => ("✔", "+"),
            Mark::Skipped => ("–", "-"),
            Mark::Unknown => ("?", "?"),
        };
        if self.ascii { ascii } else { drawn }
    }
}

/// Terminals that name themselves in `TERM` and have true colour.
const KNOWN: [&str; 6] = ["kitty", "alacritty", "wezterm", "ghostty", "foot", "contour"];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ratatui::style::{Modifier, Style};

    use super::*;

    fn detect(variables: &[(&str, &str)]) -> Theme {
        Theme::detect(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_tells_how_many_colours_there_are() {
        let colours = |variables: &[(&str, &str)]| detect(variables).colours;
        assert_eq!(colours(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), Colours::True);
        assert_eq!(colours(&[("TERM", "xterm-kitty")]), Colours::True);
        assert_eq!(colours(&[("TERM", "xterm-direct")]), Colours::True);
        assert_eq!(colours(&[("TERM", "tmux-256color")]), Colours::Indexed);
        assert_eq!(colours(&[("TERM", "xterm")]), Colours::Sixteen);
        assert_eq!(colours(&[("TERM", "vt100"), ("COLORTERM", "truecolor")]), Colours::None);
        assert_eq!(colours(&[("TERM", "dumb")]), Colours::None);
        assert_eq!(colours(&[]), Colours::None);
    }

    #[test]
    fn k9s_1297_no_color_is_not_heeded() {
        let colours = |no_color| {
            detect(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("NO_COLOR", no_color)]).colours
        };
        assert_eq!(colours("1"), Colours::None);
        assert_eq!(colours(""), Colours::True);
    }

    #[test]
    fn the_locale_tells_whether_more_than_ascii_can_be_drawn() {
        let ascii = |variables: &[(&str, &str)]| {
            let term = ("TERM", "xterm");
            detect(&[&[term], variables].concat()).ascii
        };
        assert!(!ascii(&[("LANG", "de_DE.UTF-8")]));
        assert!(!ascii(&[("LANG", "C.utf8")]));
        assert!(ascii(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")]));
        assert!(!ascii(&[("LANG", "C"), ("LC_CTYPE", "en_US.UTF-8")]));
        assert!(ascii(&[]));
        assert!(detect(&[("TERM", "linux"), ("LANG", "en_US.UTF-8")]).ascii);
    }

    #[test]
    fn every_state_has_a_glyph_and_a_word_of_its_own() {
        for ascii in [false, true] {
            let theme = Theme::new(Colours::None, ascii);
            let glyphs: BTreeSet<_> = Mark::ALL.iter().map(|mark| theme.mark(*mark, 0)).collect();
            assert_eq!(glyphs.len(), Mark::ALL.len());
        }
        let words: BTreeSet<_> = Mark::ALL.iter().map(|mark| mark.words().0).collect();
        assert_eq!(words.len(), Mark::ALL.len());
    }

    #[test]
    fn k9s_3955_the_state_is_told_by_colour_alone() {
        for colours in [Colours::True, Colours::Indexed, Colours::Sixteen, Colours::None] {
            let theme = Theme::new(colours, false);
            let marks = [Mark::Running, Mark::Retrying, Mark::Failing, Mark::Failed];
            let styles: Vec<Style> = marks.iter().map(|mark| theme.style(mark.tone())).collect();
            for (index, style) in styles.iter().enumerate() {
                assert!(!styles[..index].contains(style), "{colours:?}: {:?}", marks[index]);
            }
        }
    }

    #[test]
    fn without_colours_there_are_none() {
        let theme = Theme::new(Colours::None, false);
        for mark in Mark::ALL {
            for tone in [mark.tone(), mark.frame(), Tone::Command, Tone::Muted, Tone::Bad] {
                let style = theme.style(tone);
                assert_eq!((style.fg, style.bg), (None, None), "{tone:?}");
            }
        }
        assert!(theme.style(Tone::Failed).add_modifier.contains(Modifier::REVERSED));
    }
}
