//! The parts of a report in their order, before any format.
//!
//! A [`Piece`] says whose words it holds: ours are written as they are, and what came from a cluster, a file or a command
//! line is made harmless by each format.

use std::borrow::Cow;

use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::axis::Axis;
use super::hops::Hop;
use crate::run::span;

/// A report, part by part.
#[derive(Debug)]
pub(super) struct Document<'a> {
    /// Its title, for the window of a browser.
    pub(super) title: Text<'a>,
    pub(super) blocks: Vec<Block<'a>>,
    pub(super) times: Times,
}

/// One part.
#[derive(Debug)]
pub(super) enum Block<'a> {
    /// A heading of that level, from 1.
    Heading(u8, Text<'a>),
    Paragraph(Text<'a>),
    /// Names and what they stand for.
    Facts(Vec<(&'static str, Text<'a>)>),
    Table {
        columns: Vec<&'static str>,
        rows: Vec<Vec<Text<'a>>>,
    },
    /// Lines of a log.
    Log(&'a [String]),
    /// The end of a log, of which a format may show less.
    Tail(Text<'a>, &'a [String]),
    /// A command to be copied.
    Command(&'a str),
    TimeLine(TimeLine<'a>),
}

impl<'a> Block<'a> {
    /// A table, without the columns in which no row says anything.
    pub(super) fn table(columns: &[&'static str], rows: Vec<Vec<Text<'a>>>) -> Self {
        let says = |place: &usize| rows.iter().any(|row| row.get(*place).is_some_and(|text| !text.is_empty()));
        let kept: Vec<usize> = (0..columns.len()).filter(says).collect();
        let columns = kept.iter().filter_map(|place| columns.get(*place).copied()).collect();
        let row =
            |mut row: Vec<Text<'a>>| kept.iter().filter_map(|place| row.get_mut(*place).map(std::mem::take)).collect();
        Self::Table { columns, rows: rows.into_iter().map(row).collect() }
    }
}

/// What is drawn as a time line.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLine<'a> {
    /// What it is of.
    pub(super) name: &'a str,
    pub(super) axis: Axis,
    pub(super) hops: &'a [Hop],
    pub(super) outages: &'a [(Timestamp, Timestamp)],
}

/// Some words.
pub(super) type Text<'a> = Vec<Piece<'a>>;

/// Some words of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece<'a> {
    /// Words of ours.
    Word(&'static str),
    /// A state, in its word.
    State(&'static str),
    Count(usize),
    /// A time of the day, with its day where the report is of several.
    Time(Timestamp),
    /// A day and a time.
    Date(Timestamp),
    Took(SignedDuration),
    /// What came from elsewhere: it can hold anything.
    Theirs(Cow<'a, str>),
}

impl<'a> Piece<'a> {
    /// What came from elsewhere.
    pub(super) fn theirs(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Theirs(text.into())
    }
}

/// How times are written: in UTC, with their day where a report is of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    days: bool,
}

impl Times {
    /// For these times.
    pub(super) fn of(times: impl IntoIterator<Item = Timestamp>) -> Self {
        let mut days = times.into_iter().map(|time| Offset::UTC.to_datetime(time).date());
        let first = days.next();
        Self { days: days.any(|day| Some(day) != first) }
    }

    /// A time.
    pub(super) fn time(self, time: Timestamp) -> String {
        time.strftime(if self.days { "%m-%d %H:%M:%S" } else { "%H:%M:%S" }).to_string()
    }

    /// A time between two ticks that are whole minutes apart.
    pub(super) fn minute(self, time: Timestamp) -> String {
        time.strftime(if self.days { "%m-%d %H:%M" } else { "%H:%M" }).to_string()
    }

    /// What stands in a piece.
    pub(super) fn text<'b>(self, piece: &'b Piece<'_>) -> Cow<'b, str> {
        match piece {
            Piece::Word(word) | Piece::State(word) => Cow::Borrowed(word),
            Piece::Count(count) => count.to_string().into(),
            Piece::Time(time) => self.time(*time).into(),
            Piece::Date(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string().into(),
            Piece::Took(duration) => took(*duration).into(),
            Piece::Theirs(text) => Cow::Borrowed(text),
        }
    }
}

/// How long something took.
pub(super) fn took(duration: SignedDuration) -> String {
    match duration.as_millis() {
        1..1000 => "under 1s".to_owned(),
        _ => span(duration),
    }
}

impl Times {
    /// A text in one line.
    pub(super) fn line(self, text: &Text<'_>) -> String {
        text.iter().map(|piece| self.text(piece)).collect()
    }
}
