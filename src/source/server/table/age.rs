//! How long something is, or was, as `kubectl` says it.

use jiff::{SignedDuration, Timestamp};

/// How long ago that was; `<unknown>` where nobody knows when.
pub(super) fn since(then: Option<Timestamp>, now: Timestamp) -> String {
    then.map_or_else(|| "<unknown>".to_owned(), |then| long(now.duration_since(then)))
}

/// A duration with as much as matters to people (`HumanDuration` of Kubernetes' `util/duration`).
pub(super) fn long(duration: SignedDuration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let two = |first: i64, unit: &str, second: i64, smaller: &str| {
        if second == 0 { format!("{first}{unit}") } else { format!("{first}{unit}{second}{smaller}") }
    };
    match seconds {
        // Clocks of two machines may differ by so much.
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        _ if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => two(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if hours < 24 * 8 => two(hours / 24, "d", hours % 24, "h"),
        _ if hours < 24 * 365 * 2 => format!("{}d", hours / 24),
        _ if hours < 24 * 365 * 8 => two(hours / 24 / 365, "y", hours / 24 % 365, "d"),
        _ => format!("{}y", hours / 24 / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;

    #[test]
    fn a_duration_has_as_much_as_matters() {
        // The rows of the test of `HumanDuration` in apimachinery.
        let (minute, hour, day) = (60, 3600, 24 * 3600);
        let year = 365 * day;
        for (seconds, expected) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (1, "1s"),
            (70, "70s"),
            (119, "119s"),
            (2 * minute, "2m"),
            (2 * minute + 10, "2m10s"),
            (10 * minute - 1, "9m59s"),
            (10 * minute + 1, "10m"),
            (179 * minute, "179m"),
            (3 * hour, "3h"),
            (3 * hour + minute, "3h1m"),
            (8 * hour + minute, "8h"),
            (47 * hour, "47h"),
            (49 * hour, "2d1h"),
            (2 * day, "2d"),
            (8 * day + hour, "8d"),
            (365 * day, "365d"),
            (2 * year, "2y"),
            (2 * year + day, "2y1d"),
            (8 * year + day, "8y"),
        ] {
            assert_eq!(long(SignedDuration::from_secs(seconds)), expected, "{seconds}");
        }
    }

    #[test]
    fn nobody_knows_how_old_something_without_a_time_is() {
        assert_eq!((since(None, at(5)), since(Some(at(0)), at(5))), ("<unknown>".into(), "5s".into()));
    }
}
