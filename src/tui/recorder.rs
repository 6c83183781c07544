//! Whether what is seen is recorded, as the screens show it.

/// Whether what is seen is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecorderState {
    /// Nobody asked for it.
    #[default]
    Off,
    /// It is, since the program began.
    On,
    /// It was, and ended by a fault. It does not begin again.
    Failed,
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;

    use super::*;
    use crate::tui::fixture::{self, ASCII, COLOUR, MONO, feed, live, model, settings};
    use crate::tui::frames::{drawn, text};
    use crate::tui::theme::{Theme, Tone};
    use crate::tui::{Mode, Settings};

    fn frame(recorder: RecorderState, theme: Theme, mode: Mode, width: u16) -> Buffer {
        let settings = Settings { recorder, mode, ..settings(theme) };
        drawn(&model(settings, (width, 30), vec![fixture::retrying()], feed(&live())))
    }

    fn header(recorder: RecorderState, theme: Theme, mode: Mode, width: u16) -> String {
        text(&frame(recorder, theme, mode, width)).lines().next().unwrap_or_default().to_owned()
    }

    #[test]
    fn the_header_tells_that_it_is_recorded_and_that_it_is_no_more() {
        let right =
            |recorder, theme| header(recorder, theme, Mode::Interactive, 100).split_off(40).trim_start().to_owned();
        assert_eq!(right(RecorderState::Off, COLOUR), "● live  14:32:07");
        assert_eq!(right(RecorderState::On, COLOUR), "● rec  ● live  14:32:07");
        assert_eq!(right(RecorderState::On, ASCII), "* rec  * live  14:32:07");
        assert_eq!(right(RecorderState::Failed, MONO), "rec failed  ● live  14:32:07");
    }

    #[test]
    fn it_fits_where_there_is_hardly_room_and_a_kiosk_tells_it_too() {
        let narrow = header(RecorderState::Failed, COLOUR, Mode::Interactive, 60);
        assert!(narrow.contains("prod-eu › gitlab") && narrow.contains("rec failed  ● live"), "{narrow}");
        for width in [60, 100] {
            let kiosk = header(RecorderState::Failed, COLOUR, Mode::Kiosk, width);
            assert!(kiosk.contains("rec failed  ● live"), "{kiosk}");
        }
    }

    #[test]
    fn it_has_a_tone_of_its_own() {
        let buffer = frame(RecorderState::On, COLOUR, Mode::Interactive, 100);
        let cell = buffer.content.iter().find(|cell| cell.symbol() == "●").unwrap();
        let style = COLOUR.style(Tone::Recording);
        assert_eq!(cell.style().fg, style.fg);
        let others = [Tone::Text, Tone::Good, Tone::Active, Tone::Warning, Tone::Held, Tone::Bad, Tone::Muted];
        assert!(others.iter().all(|tone| COLOUR.style(*tone).fg != style.fg));
    }
}
