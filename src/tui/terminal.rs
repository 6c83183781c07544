//! Into the terminal's own screen, and out again on every way: leaving, an error, a panic, a suspension.

use std::io::{self, Stdout, Write};
use std::mem::ManuallyDrop;
use std::panic;
use std::sync::Once;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, MoveTo, Show};
use ratatui::crossterm::event::{DisableFocusChange, EnableFocusChange};
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{execute, queue};
use ratatui::layout::{Position, Rect, Size};
use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};

use super::model::{Model, Screen};
use super::view;

/// The terminal while we own it. Dropping it gives it back.
pub struct OwnScreen {
    /// It is not dropped by itself: where the terminal went away, ratatui would say so on standard error, which is that
    /// terminal, and panic.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
}

impl OwnScreen {
    /// Takes the terminal: its alternate screen, raw mode, no cursor, and that it tells when it has the focus. From here
    /// on a panic gives it back before it says what it has to say.
    ///
    /// # Errors
    /// If standard output is no terminal, or it went away.
    pub fn enter() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let report = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                // Where it is of another thread, no frame comes in between.
                let _held = io::stdout().lock();
                let _ = give_back();
                report(info);
            }));
        });
        take()?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout())).inspect_err(|_| {
            let _ = give_back();
        })?;
        Ok(Self { terminal: ManuallyDrop::new(terminal) })
    }

    /// Draws the model. Terminals that can, show the frame at once.
    ///
    /// # Errors
    /// If the terminal went away.
    pub fn draw(&mut self, model: &Model) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| view::render(model, frame.buffer_mut()))?;
        if let Screen::Alone(text) = model.screen() {
            // Printed in one go, the terminal itself breaks it, and a selection of it has no line breaks.
            let text = view::alone_rows(text, model.size()).concat();
            queue!(self.terminal.backend_mut(), MoveTo(0, view::ALONE_ROW), Print(text))?;
        }
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }

    /// Writes bytes that draw nothing.
    ///
    /// # Errors
    /// If the terminal went away.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let backend = self.terminal.backend_mut();
        backend.write_all(bytes)?;
        io::Write::flush(backend)
    }

    /// Gives the terminal back to the shell, and stops the process until the shell lets it go on. Without a shell that
    /// could, nothing happens. What follows is [`resume`](Self::resume), in both cases.
    ///
    /// # Errors
    /// If the terminal went away.
    pub fn suspend(&mut self) -> io::Result<()> {
        // The group of a session's leader has no shell above it, and nobody could wake it again.
        if getsid(None)? == getpgrp() {
            return Ok(());
        }
        give_back()?;
        Ok(kill_current_process_group(Signal::STOP)?)
    }

    /// Takes the terminal again after the process was stopped: the shell may have changed everything about it, its size
    /// included, which is returned. The next frame is drawn as a whole.
    ///
    /// # Errors
    /// If the terminal went away.
    pub fn resume(&mut self) -> io::Result<Size> {
        // Raw mode is taken anew: whoever stopped us from outside gave us no time to leave it, and it is gone now.
        disable_raw_mode()?;
        take()?;
        self.anew()
    }

    /// Draws the next frame as a whole, at the size that the terminal has now, which is returned. It may have had another
    /// one in between and lost a part of what stood on it, though it is as large again as we knew it.
    ///
    /// # Errors
    /// If the terminal went away.
    pub fn anew(&mut self) -> io::Result<Size> {
        let size = self.terminal.size()?;
        // What there is stays until the frame is drawn.
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        // `Terminal::clear` would ask the terminal for its cursor, and the answer would arrive among the keys.
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))?;
        Ok(size)
    }

    /// The size of the terminal.
    ///
    /// # Errors
    /// If the terminal went away.
    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }
}

impl Drop for OwnScreen {
    fn drop(&mut self) {
        let _ = give_back();
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    // Not every terminal has another screen, and one that was left before still shows what it showed.
    execute!(io::stdout(), EnterAlternateScreen, Clear(ClearType::All), Hide, EnableFocusChange)
}

/// Restores what [`take`] changed; all of it, even if a part fails.
fn give_back() -> io::Result<()> {
    let screen = execute!(io::stdout(), EndSynchronizedUpdate, DisableFocusChange, LeaveAlternateScreen, Show);
    let mode = disable_raw_mode();
    screen.and(mode)
}
