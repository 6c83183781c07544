//! Times, durations and reasons in words.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

pub use crate::run::span;

use crate::cluster::Terminated;
use crate::gate::{Ending, Exit, Outcome};
use crate::run::Crash;

/// A duration in a sentence, no finer than it has to be: `38 s`, `30m`, `1h`, `2h03m`.
pub fn round(duration: SignedDuration) -> String {
    let seconds = duration.as_secs().max(0);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{}m", seconds / 60),
        _ if seconds < 86400 && seconds % 3600 < 60 => format!("{}h", seconds / 3600),
        _ => span(duration),
    }
}

/// How long ago, in a sentence: `12 s`, `2m16s`.
pub fn age(now: Timestamp, then: Timestamp) -> String {
    lasting(now.duration_since(then))
}

/// A duration in a sentence, to the second: `12 s`, `2m16s`.
pub fn lasting(duration: SignedDuration) -> String {
    if duration.as_secs() < 60 { round(duration) } else { span(duration) }
}

/// When something is expected that nobody knows exactly: `in about 38 s`, `any moment`.
pub fn expected(now: Timestamp, then: Timestamp) -> String {
    if then.duration_since(now).as_secs() > 0 {
        format!("in about {}", age(then, now))
    } else {
        "any moment".to_owned()
    }
}

/// A time of the day, with the date where it is not the day of `now`.
pub fn clock(time: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (time, today) = (time.to_zoned_datetime(zone.clone()), now.to_zoned_datetime(zone.clone()).date());
    let format = if time.date() == today { "%H:%M:%S" } else { "%b %-d %H:%M:%S" };
    time.strftime(format).to_string()
}

/// A time of the day that is estimated, or stands beside one that is: without seconds where it has none.
pub fn about(time: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let clock = clock(time, now, zone);
    clock.strip_suffix(":00").map(str::to_owned).unwrap_or(clock)
}

/// A day of the year: `Nov 28`.
pub fn day(time: Timestamp, zone: &TimeZone) -> String {
    time.to_zoned_datetime(zone.clone()).strftime("%b %-d").to_string()
}

/// A time of the day to the millisecond, always as wide.
pub fn moment(time: Timestamp, zone: &TimeZone) -> String {
    time.to_zoned_datetime(zone.clone()).strftime("%H:%M:%S.%3f").to_string()
}

/// A large number: `1,234`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// The abbreviation of the time zone, as it is at that moment.
pub fn zone(now: Timestamp, zone: &TimeZone) -> String {
    now.to_zoned_datetime(zone.clone()).strftime("%Z").to_string()
}

/// The reason of the operator's report in words; one that is not known, as it is.
pub fn operator(reason: &str) -> &str {
    match reason {
        "RunningPreMigrations" => "Running pre-migrations",
        "RetryingPreMigrations" => "Retrying pre-migrations",
        "UpgradingRails" => "Upgrading Rails",
        "RunningPostMigrations" => "Running post-migrations",
        "RetryingPostMigrations" => "Retrying post-migrations",
        "RollingOutWorkloads" => "Rolling out workloads",
        "WaitingForBatchedMigrations" => "Waiting for batched migrations",
        "RetryingBatchedMigrationsCheck" => "Retrying the check of batched migrations",
        "AdvancingVersion" => "Advancing to the next version",
        "UpgradeComplete" => "Upgrade complete",
        "MigrationsJobFailed" => "Migrations Job failed",
        "BatchedMigrationsCheckFailed" => "Check of batched migrations failed",
        other => other,
    }
}

/// How something ended: `migrations exited 1 (Error)`, `migrations was killed by SIGKILL (137)`, `pod failed (Evicted)`.
pub fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Container { container, exit, reason } => format!("{container} {}", exited(*exit, reason)),
        Ending::Pod { .. } => ending.to_string(),
    }
}

/// What became of an attempt, or of the run that it was: `runs`, `exited 1 (Error)`, `pod failed (Evicted)`.
pub fn became(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Running => "runs".to_owned(),
        Outcome::Succeeded => "ended well".to_owned(),
        Outcome::Stopped => "was stopped with its Job".to_owned(),
        Outcome::Failed { ending: Ending::Container { exit, reason, .. }, .. } => exited(*exit, reason),
        Outcome::Failed { ending: ending @ Ending::Pod { .. }, .. } => ending.to_string(),
    }
}

/// How a run of a container ended.
pub fn ended(end: &Terminated) -> String {
    exited(end.into(), &end.reason)
}

/// A container that fails over and over: `webservice failed 3 times, last exited 1 (Error)`.
pub fn crash(crash: &Crash) -> String {
    format!("{} failed {} times, last {}", crash.container, crash.failed, exited(crash.exit, &crash.reason))
}

/// A signal is told as one, by its name: the number alone says little. `Error` is what the kubelet says of every code that is
/// not 0, so that it explains nothing of a signal.
fn exited(exit: Exit, reason: &str) -> String {
    match (exit.signal_name(), reason) {
        (_, "OOMKilled") => format!("ran out of memory (OOMKilled, {})", exit.code),
        (_, "StartError") => format!("could not be started (StartError, {})", exit.code),
        (Some(signal), "" | "Error") => format!("was killed by {signal} ({})", exit.code),
        (_, "") => format!("exited {}", exit.code),
        (_, reason) => format!("exited {} ({reason})", exit.code),
    }
}

/// A count and its noun: `1 Job`, `2 Jobs`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", thousands(count as u64)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_as_fine_as_they_have_to_be() {
        let round = |seconds| round(SignedDuration::from_secs(seconds));
        assert_eq!(round(38), "38 s");
        assert_eq!(round(1859), "30m");
        assert_eq!(round(3600), "1h");
        assert_eq!(round(5400), "1h30m");
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn kubernetes_10861_how_something_ended_is_told_in_words() {
        let told = |code, signal, reason: &str| {
            let exit = Exit { code, signal };
            ending(&Ending::Container { container: "migrations".into(), exit, reason: reason.into() })
        };
        assert_eq!(told(1, None, "Error"), "migrations exited 1 (Error)");
        assert_eq!(told(1, None, ""), "migrations exited 1");
        assert_eq!(told(137, None, "Error"), "migrations was killed by SIGKILL (137)");
        assert_eq!(told(2, Some(15), "Error"), "migrations was killed by SIGTERM (2)");
        assert_eq!(told(137, None, "OOMKilled"), "migrations ran out of memory (OOMKilled, 137)");
        assert_eq!(told(128, None, "StartError"), "migrations could not be started (StartError, 128)");
        assert_eq!(told(137, None, "ContainerStatusUnknown"), "migrations exited 137 (ContainerStatusUnknown)");
        assert_eq!(ending(&Ending::Pod { reason: "Evicted".into() }), "pod failed (Evicted)");
    }

    #[test]
    fn a_time_of_another_day_has_its_date() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = time("2026-11-29T14:32:07Z");
        assert_eq!(clock(time("2026-11-29T14:21:07Z"), now, &TimeZone::UTC), "14:21:07");
        assert_eq!(clock(time("2026-11-28T23:59:59Z"), now, &TimeZone::UTC), "Nov 28 23:59:59");
        assert_eq!(zone(now, &TimeZone::UTC), "UTC");
    }
}
