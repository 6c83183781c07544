//! Sets of indexes of an Indexed Job, as its status writes them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Indexes of an Indexed Job, as `status.completedIndexes` and `status.failedIndexes` write them: `1,3-5`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexes(
    /// The first and the last of each interval, in order, none touching another.
    Vec<(u32, u32)>,
);

impl Indexes {
    /// Reads them; an interval that cannot be read is left out, as the Job controller leaves it out.
    pub(crate) fn read(text: &str) -> Self {
        let interval = |text: &str| {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last).then_some((first, last))
        };
        Self::of(text.split(',').filter_map(interval).collect())
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, index: u32) -> Self {
        let Self(mut intervals) = self;
        intervals.push((index, index));
        Self::of(intervals)
    }

    /// Those intervals, in any order: the ones that touch become one.
    fn of(mut intervals: Vec<(u32, u32)>) -> Self {
        intervals.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(intervals.len());
        for (first, last) in intervals {
            match merged.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        Self(merged)
    }

    /// Whether it is one of them.
    pub fn has(&self, index: u32) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&index))
    }

    /// How many they are.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|(first, last)| (last - first).saturating_add(1)).fold(0, u32::saturating_add)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Indexes {
    /// As a Job's status writes them: `1,3-5`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (first, last)) in self.0.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            match last - first {
                0 => write!(out, "{comma}{first}"),
                1 => write!(out, "{comma}{first},{last}"),
                _ => write!(out, "{comma}{first}-{last}"),
            }?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_read_and_written_as_a_status_has_them() {
        for (text, count, written) in [
            ("", 0, ""),
            ("0", 1, "0"),
            ("1,3-5", 4, "1,3-5"),
            ("3-5,1", 4, "1,3-5"),
            ("1,2", 2, "1,2"),
            ("1-2,3", 3, "1-3"),
            ("5-3,x,-,7-,-8,2", 1, "2"),
            ("0-4294967295", u32::MAX, "0-4294967295"),
        ] {
            let read = Indexes::read(text);
            assert_eq!((read.count(), read.to_string().as_str()), (count, written), "{text}");
        }
    }

    /// A Job may have so many; with a look at all of them for each, this would take minutes.
    #[test]
    fn a_hundred_thousand_intervals_are_read_in_one_go() {
        let every_second: Vec<String> = (0..100_000).map(|index| (2 * index).to_string()).collect();
        let read = Indexes::read(&every_second.join(","));
        assert_eq!((read.count(), read.has(199_998), read.has(199_997)), (100_000, true, false));
    }

    #[test]
    fn an_index_more_joins_the_intervals_it_touches() {
        let indexes = Indexes::read("1,3-5");
        assert!(indexes.has(4) && !indexes.has(2) && !indexes.has(6));
        assert_eq!(indexes.clone().with(2).to_string(), "1-5");
        assert_eq!(indexes.clone().with(4), indexes);
        assert_eq!(indexes.with(9).to_string(), "1,3-5,9");
    }
}
