//! The values that options take: how they are read, and what help says of them.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use jiff::civil::Time;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::notify::Notify;
use crate::output::{StatusFormat, WaitFormat};
use crate::tui::Background;

/// A moment of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// A point in time.
    Moment(Timestamp),
    /// A time of day in UTC, on the day of the recording.
    TimeOfDay(Time),
}

impl At {
    /// The point in time that is meant in a recording from `first` to `last`. A recording over midnight has a time of day
    /// twice; the first that lies in it is meant.
    pub fn in_recording(self, first: Timestamp, last: Timestamp) -> Timestamp {
        let time = match self {
            Self::Moment(moment) => return moment,
            Self::TimeOfDay(time) => time,
        };
        let date = Offset::UTC.to_datetime(first).date();
        let on_first = Offset::UTC.to_timestamp(date.to_datetime(time)).unwrap_or(first);
        match on_first.checked_add(SignedDuration::from_hours(24)) {
            Ok(on_next) if on_first < first && on_next <= last => on_next,
            _ => on_first,
        }
    }
}

impl std::str::FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let moment = text.parse().map(Self::Moment);
        moment.or_else(|_| text.parse().map(Self::TimeOfDay)).map_err(|_| {
            "give a time as in 2026-11-29T15:35:00Z, or a time of day in UTC as in 15:35 or 15:35:08.250".to_owned()
        })
    }
}

impl ValueEnum for Notify {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Never, Self::Failures, Self::All]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Never => PossibleValue::new("never").help("nothing"),
            Self::Failures => PossibleValue::new("failures").help("a failed attempt, a Job that failed"),
            Self::All => PossibleValue::new("all").help("that, what cannot clear by itself, the end, and outages"),
        })
    }
}

impl ValueEnum for Background {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Dark, Self::Light]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Dark => "dark",
            Self::Light => "light",
        }))
    }
}

impl ValueEnum for StatusFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Text, Self::Json, Self::Yaml, Self::Name]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Name => "name",
        }))
    }
}

impl ValueEnum for WaitFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Text, Self::Json]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Text => "text",
            Self::Json => "json",
        }))
    }
}

/// A duration above zero.
pub(super) fn positive_duration(text: &str) -> Result<SignedDuration, String> {
    match text.parse::<SignedDuration>() {
        Ok(duration) if duration.is_positive() => Ok(duration),
        _ => Err("give a duration above zero with its units, as in 90s, 2h or 1h30m".into()),
    }
}

/// A number above zero.
pub(super) fn positive_number(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("give a number above zero".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_time_of_day_is_that_of_the_recording() {
        let at =
            |text: &str, first, last| text.parse::<At>().unwrap().in_recording(time(first), time(last)).to_string();
        let day = ("2026-11-29T15:32:48Z", "2026-11-29T15:40:00Z");
        assert_eq!(at("15:35", day.0, day.1), "2026-11-29T15:35:00Z");
        assert_eq!(at("15:35:08.250", day.0, day.1), "2026-11-29T15:35:08.25Z");
        assert_eq!(at("2026-11-29T16:35:00+01:00", day.0, day.1), "2026-11-29T15:35:00Z");
        let night = ("2026-11-29T23:50:00Z", "2026-11-30T00:20:00Z");
        assert_eq!(at("23:55", night.0, night.1), "2026-11-29T23:55:00Z");
        assert_eq!(at("00:10", night.0, night.1), "2026-11-30T00:10:00Z");
        let days = ("2026-11-29T23:50:00Z", "2026-12-01T01:00:00Z");
        assert_eq!(at("12:00", days.0, days.1), "2026-11-30T12:00:00Z");
        assert!("noon".parse::<At>().is_err());
    }
}
