//! What is searched in a text, and where it was found.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::{Move, Pager, Room, Spot, Text, rows};
use crate::cluster::LogLine;

/// What is searched: the words as they are. Case matters only where they have a capital.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    text: String,
}

/// A search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    pattern: Pattern,
    /// Where one was when it began.
    from: (Spot, bool),
    /// The line that was found last.
    at: Option<u64>,
    found: Found,
}

/// The lines in which it was found, of all that were looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    lines: VecDeque<u64>,
    /// The number after the last line that was looked at.
    end: u64,
    /// That line: if it is another one now, the text is another one.
    last: Option<Arc<LogLine>>,
}

impl Pattern {
    /// What was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it occurs in a text, in bytes.
    pub fn ranges<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let folds = !self.text.chars().any(char::is_uppercase);
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = if folds { folded(text, from, &self.text) } else { exact(text, from, &self.text) }?;
            from = found.end;
            Some(found)
        })
    }
}

fn exact(text: &str, from: usize, wanted: &str) -> Option<Range<usize>> {
    let at = from + text.get(from..).filter(|_| !wanted.is_empty())?.find(wanted)?;
    Some(at..at + wanted.len())
}

/// `wanted` is in lower case.
fn folded(text: &str, from: usize, wanted: &str) -> Option<Range<usize>> {
    let first = wanted.chars().next()?;
    let mut starts = text.get(from..)?.char_indices().filter(|(_, character)| same(*character, first));
    starts.find_map(|(offset, _)| {
        let start = from + offset;
        let mut here = text[start..].chars();
        let matches = wanted.chars().all(|wanted| here.next().is_some_and(|character| same(character, wanted)));
        matches.then(|| start..text.len() - here.as_str().len())
    })
}

fn same(character: char, lower: char) -> bool {
    if character.is_ascii() {
        return character.to_ascii_lowercase() == lower;
    }
    // Of a character whose lower case is two, the first one tells.
    character == lower || character.to_lowercase().next() == Some(lower)
}

impl Search {
    /// What is searched.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// In how many lines it was found.
    pub fn count(&self) -> usize {
        self.found.lines.len()
    }

    /// Which of them one is at, from 1.
    pub fn number(&self) -> Option<usize> {
        self.at.and_then(|at| self.found.lines.binary_search(&at).ok()).map(|index| index + 1)
    }

    /// The line one is at.
    pub fn at(&self) -> Option<u64> {
        self.at
    }

    /// Forgets what was found: the text is another one.
    pub(super) fn forget(&mut self) {
        (self.found, self.at) = (Found::default(), None);
    }

    /// Looks at the lines that were not looked at yet, and forgets those that are gone.
    pub(super) fn look(&mut self, text: Text<'_>) {
        let found = &mut self.found;
        let is_same = |last: &Arc<LogLine>| {
            found.end.checked_sub(1).and_then(|number| text.shared(number)).is_some_and(|now| Arc::ptr_eq(now, last))
        };
        // A text that has lost all that was looked at goes on where it is.
        let goes_on = found.end <= text.first() || found.last.as_ref().is_some_and(is_same);
        if !goes_on {
            *found = Found::default();
        }
        while found.lines.front().is_some_and(|line| *line < text.first()) {
            found.lines.pop_front();
        }
        for number in found.end.max(text.first())..text.end() {
            if text.line(number).is_some_and(|line| self.pattern.ranges(&line.text).next().is_some()) {
                found.lines.push_back(number);
            }
        }
        found.end = text.end();
        found.last = found.end.checked_sub(1).and_then(|number| text.shared(number)).cloned();
    }
}

impl Pager {
    /// Begins a search from here.
    pub fn search(&mut self, text: Text<'_>, room: Room) {
        let from = (self.top(text, room), self.sticks);
        let mut search = Search { pattern: Pattern::default(), from, at: None, found: Found::default() };
        search.look(text);
        self.search = Some(search);
    }

    /// Changes what is searched, and goes to the first place it is found in from where the search began.
    pub fn retype(&mut self, edit: impl FnOnce(&mut String), text: Text<'_>, room: Room) {
        let Some(search) = &mut self.search else { return };
        edit(&mut search.pattern.text);
        search.forget();
        search.look(text);
        let (spot, sticks) = search.from;
        let lines = &search.found.lines;
        let next = lines.iter().find(|line| **line >= spot.line).or(lines.front()).copied();
        (self.top, self.sticks) = (spot, sticks);
        if let Some(line) = next {
            self.jump(line, text, room);
        }
    }

    /// Drops the search; while it is typed, one is back where it began.
    pub fn drop_search(&mut self, typing: bool) {
        if let Some(search) = self.search.take().filter(|_| typing) {
            (self.top, self.sticks) = search.from;
        }
    }

    /// To the next line, or the one before, in which it was found; at the end it goes on at the other.
    pub fn next_match(&mut self, forward: bool, text: Text<'_>, room: Room) {
        let seen: Vec<u64> = self.rows(text, room).map(|row| row.number).collect();
        let Some(search) = &self.search else { return };
        let lines = &search.found.lines;
        let at = search.at.filter(|at| seen.contains(at));
        let top = seen.first().copied().unwrap_or(0);
        let next = match (at, forward) {
            (Some(at), true) => lines.iter().find(|line| **line > at),
            (None, true) => lines.iter().find(|line| **line >= top),
            (at, false) => lines.iter().rev().find(|line| **line < at.unwrap_or(top)),
        };
        let round = if forward { lines.front() } else { lines.back() };
        if let Some(line) = next.or(round).copied() {
            self.jump(line, text, room);
        }
    }

    /// Brings the line that was found into sight, where it is not.
    fn jump(&mut self, line: u64, text: Text<'_>, room: Room) {
        let columns = self.columns(room);
        let Some(search) = &mut self.search else { return };
        search.at = Some(line);
        let Some(of) = text.line(line) else { return };
        let Some(place) = search.pattern.ranges(&of.text).next() else { return };
        let row = if self.wraps { rows::row_of(&of.text, place.start, columns) } else { 0 };
        if !self.wraps {
            let hidden = place.start < rows::from_column(&of.text, self.left)
                || place.end > rows::from_column(&of.text, self.left + columns);
            if hidden {
                let column = crate::tui::widget::text::width(&of.text[..place.start]);
                self.left = if column + place.len() <= columns { 0 } else { column.saturating_sub(columns / 2) };
            }
        }
        let seen = self.rows(text, room).any(|seen| seen.number == line && seen.range.contains(&place.start));
        if !seen || self.sticks {
            let top = self.top(text, room);
            self.top = if seen { top } else { self.shifted(Spot { line, row }, -third(room), text, room) };
            self.sticks = false;
            self.go(Move::By(0), text, room);
        }
    }
}

/// Where what was found comes to stand, in rows from the top.
fn third(room: Room) -> isize {
    isize::try_from(room.rows / 3).unwrap_or(0)
}
