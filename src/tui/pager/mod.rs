//! A long text on a screen: where in it one is, and what is searched in it.
//!
//! In come moves and a text that may grow at its end and lose lines at its beginning; out come the rows that are seen. A
//! place is a line's number in the whole text and a row in that line, so that nothing shifts when lines come or go. Every
//! answer costs what the screen holds, however long the text is: lines are broken as far as they are seen, and a search
//! looks at each line once.
//!
//! | file | holds |
//! |---|---|
//! | `text` | what is read: lines by their number |
//! | `rows` | how a line breaks into rows |
//! | `search` | what is searched, and where it was found |

mod rows;
mod search;
#[cfg(test)]
mod tests;
mod text;

use std::ops::Range;

pub use rows::from_column;
pub use search::Search;
#[cfg(test)]
pub(crate) use text::LOOKS;
pub use text::{Room, Spot, Text};

use crate::cluster::LogLine;

/// How many columns the times of lines take, with the blank after them.
pub const TIME: usize = 13;
/// How far one step to the side goes, in columns.
const ASIDE: usize = 8;

/// Where in a text one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pager {
    top: Spot,
    /// Whether it stays at the end while lines come.
    sticks: bool,
    /// Whether lines break where the screen ends.
    pub wraps: bool,
    /// Whether the time of each line stands before it.
    pub times: bool,
    /// How many columns are left of the screen, where lines don't break.
    pub left: usize,
    /// What is searched.
    pub search: Option<Search>,
}

/// A move in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// That many rows down, or up.
    By(isize),
    /// To the beginning.
    First,
    /// To the end, and stay there.
    Last,
}

/// One row as it is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// The number of its line in the whole text.
    pub number: u64,
    /// Its line.
    pub line: &'a LogLine,
    /// What of the line's text it shows.
    pub range: Range<usize>,
}

impl Pager {
    /// At the beginning of a text whose lines are cut.
    pub fn at_start() -> Self {
        Self { top: Spot::default(), sticks: false, wraps: false, times: false, left: 0, search: None }
    }

    /// At the end of a text whose lines break, and staying there.
    pub fn at_end() -> Self {
        Self { sticks: true, wraps: true, ..Self::at_start() }
    }

    /// Whether it stays at the end while lines come.
    pub fn sticks(&self) -> bool {
        self.sticks
    }

    /// Whether it is to stay at the end.
    pub fn stick(&mut self, sticks: bool, text: Text<'_>, room: Room) {
        self.top = self.top(text, room);
        self.sticks = sticks;
    }

    /// To the end of another text. What is searched stays, and is searched in that one.
    pub fn turn(&mut self) {
        (self.top, self.sticks, self.left) = (Spot::default(), true, 0);
        self.search.iter_mut().for_each(Search::forget);
    }

    /// Takes in that the text has changed.
    pub fn refresh(&mut self, text: Text<'_>) {
        self.search.iter_mut().for_each(|search| search.look(text));
    }

    /// The columns that a row of text has.
    fn columns(&self, room: Room) -> usize {
        room.columns.saturating_sub(if self.times { TIME } else { 0 }).max(2)
    }

    /// How many rows a line takes.
    fn height(&self, line: &LogLine, room: Room) -> usize {
        if self.wraps { rows::count(&line.text, self.columns(room)) } else { 1 }
    }

    /// The first row that is seen.
    pub fn top(&self, text: Text<'_>, room: Room) -> Spot {
        let last = self.last_top(text, room);
        if self.sticks {
            return last;
        }
        let first = Spot { line: text.first(), row: 0 };
        // The line may have gone, or take fewer rows than it did.
        let row = text.line(self.top.line).map_or(0, |line| self.top.row.min(self.height(line, room) - 1));
        Spot { row, ..self.top }.clamp(first, last.max(first))
    }

    /// The first row of the last screenful.
    fn last_top(&self, text: Text<'_>, room: Room) -> Spot {
        self.shifted(Spot { line: text.end(), row: 0 }, -isize::try_from(room.rows).unwrap_or(isize::MAX), text, room)
    }

    /// The place that many rows further down or up, within the text.
    fn shifted(&self, from: Spot, by: isize, text: Text<'_>, room: Room) -> Spot {
        let mut left = by.unsigned_abs();
        let Spot { mut line, mut row } = from;
        if by < 0 {
            loop {
                if left <= row {
                    return Spot { line, row: row - left };
                }
                left -= row;
                let Some(before) = line.checked_sub(1).and_then(|number| text.line(number)) else {
                    return Spot { line: text.first(), row: 0 };
                };
                line -= 1;
                row = self.height(before, room);
            }
        }
        loop {
            let Some(of) = text.line(line) else { return Spot { line: text.end(), row: 0 } };
            let rest = self.height(of, room).saturating_sub(row);
            if left < rest {
                return Spot { line, row: row + left };
            }
            left -= rest;
            (line, row) = (line + 1, 0);
        }
    }

    /// Moves. Up from the end, it no longer stays there.
    pub fn go(&mut self, to: Move, text: Text<'_>, room: Room) {
        let top = self.top(text, room);
        match to {
            Move::First => (self.top, self.sticks) = (Spot { line: text.first(), row: 0 }, false),
            Move::Last => self.sticks = true,
            Move::By(by) => {
                self.top = self.shifted(top, by, text, room).min(self.last_top(text, room));
                self.sticks &= by >= 0 || self.top == top;
            }
        }
    }

    /// One step to the side, where lines don't break, and no further than what is seen reaches.
    pub fn aside(&mut self, right: bool, text: Text<'_>, room: Room) {
        if self.wraps {
            return;
        }
        let columns = self.columns(room);
        let reaches = |row: Row<'_>| rows::longer(&row.line.text, self.left + columns);
        if !right {
            self.left = self.left.saturating_sub(ASIDE);
        } else if self.rows(text, room).any(reaches) {
            self.left += ASIDE;
        }
    }

    /// Breaks lines, or breaks them no longer; the same line stays at the top.
    pub fn wrap(&mut self, text: Text<'_>, room: Room) {
        let line = self.top(text, room).line;
        (self.top, self.wraps, self.left) = (Spot { line, row: 0 }, !self.wraps, 0);
    }

    /// The rows that are seen, the topmost first.
    pub fn rows<'a>(&self, text: Text<'a>, room: Room) -> impl Iterator<Item = Row<'a>> + use<'a> {
        let top = self.top(text, room);
        let (wraps, columns) = (self.wraps, self.columns(room));
        let lines = (top.line..text.end()).map_while(move |number| Some((number, text.line(number)?)));
        let rows = lines.flat_map(move |(number, line)| {
            let skip = if number == top.line { top.row } else { 0 };
            let ranges = if wraps {
                rows::ranges(&line.text, columns, skip, room.rows)
            } else {
                std::iter::once(0..line.text.len()).collect()
            };
            ranges.into_iter().map(move |range| Row { number, line, range })
        });
        rows.take(room.rows)
    }

    /// The lines that are seen: from the first to the last, as a person counts them.
    pub fn position(&self, text: Text<'_>, room: Room) -> Option<(u64, u64)> {
        let mut seen = self.rows(text, room).map(|row| row.number + 1);
        let first = seen.next()?;
        Some((first, seen.last().unwrap_or(first)))
    }
}
