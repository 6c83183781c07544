//! Times as places on a line, and the ticks below it.

use jiff::{SignedDuration, Timestamp};

/// The steps between two ticks, in seconds.
const STEPS: [i64; 22] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
    2_592_000, 31_536_000,
];
/// The most ticks.
const MOST: i64 = 7;

/// A stretch of time as a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    from: Timestamp,
    to: Timestamp,
}

impl Axis {
    /// One on which all of those times lie; `None` without any.
    pub(super) fn of(times: impl IntoIterator<Item = Timestamp>) -> Option<Self> {
        let mut times = times.into_iter();
        let first = times.next()?;
        let (from, to) = times.fold((first, first), |(from, to), time| (from.min(time), to.max(time)));
        // A line of no length has no places.
        let to = to.max(from.checked_add(SignedDuration::from_secs(1)).unwrap_or(to));
        Some(Self { from, to })
    }

    /// When it begins.
    pub(super) fn from(&self) -> Timestamp {
        self.from
    }

    /// When it ends.
    pub(super) fn to(&self) -> Timestamp {
        self.to
    }

    /// Where a time lies, from 0 to 1. One beyond an end lies at that end.
    pub(super) fn place(&self, time: Timestamp) -> f64 {
        let whole = self.to.duration_since(self.from).as_secs_f64();
        (time.duration_since(self.from).as_secs_f64() / whole).clamp(0.0, 1.0)
    }

    /// Whether a time lies on it.
    pub(super) fn holds(&self, time: Timestamp) -> bool {
        (self.from..=self.to).contains(&time)
    }

    /// Round times on it, at most seven.
    pub(super) fn ticks(&self) -> Vec<Timestamp> {
        let seconds = self.to.duration_since(self.from).as_secs().max(1);
        let step = STEPS.into_iter().find(|step| seconds / step < MOST).unwrap_or(seconds);
        let first = self.from.as_second().div_euclid(step);
        let ticks = (first..).map(|number| number.saturating_mul(step)).take_while(|tick| *tick <= self.to.as_second());
        let times = ticks.filter_map(|tick| Timestamp::from_second(tick).ok());
        times.filter(|time| self.holds(*time)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;

    #[test]
    fn a_time_lies_where_its_share_of_the_line_ends_and_never_beyond_it() {
        let axis = Axis::of([at(100), at(0), at(40)]).unwrap();
        assert_eq!([-5, 0, 25, 100, 900].map(|second| axis.place(at(second))), [0.0, 0.0, 0.25, 1.0, 1.0]);
        assert!(axis.holds(at(100)) && !axis.holds(at(101)));
        assert_eq!(Axis::of([]), None);
        assert_eq!(Axis::of([at(3)]).unwrap().place(at(3)), 0.0);
    }

    #[test]
    fn ticks_are_round_and_few() {
        let ticks = |from, to| {
            let ticks = Axis::of([at(from), at(to)]).unwrap().ticks();
            ticks.iter().map(|tick| tick.duration_since(at(0)).as_secs()).collect::<Vec<_>>()
        };
        assert_eq!(ticks(0, 169), [0, 30, 60, 90, 120, 150]);
        assert_eq!(ticks(7, 29), [10, 15, 20, 25]);
        assert_eq!(ticks(0, 1), [0, 1]);
        for length in [1, 59, 601, 86_399, 900_000, 400_000_000, 9_000_000_000] {
            let found = ticks(13, 13 + length);
            assert!((1..=7).contains(&found.len()), "{length}: {found:?}");
        }
    }
}
