//! What a backlog and a forecast say, in words. Whoever shows them says how a time of the day is written.

use jiff::{SignedDuration, Timestamp};

use crate::gate::{Backlog, Forecast, Limit, Motion, Outlook, Progress, Took};

/// How a time of the day is written.
pub type Clock<'a> = &'a dyn Fn(Timestamp) -> String;

/// A duration in its two largest units: `38s`, `4m12s`, `2h03m`, `3d04h`. One below zero, which a clock that is off can
/// give, is none.
pub fn span(duration: SignedDuration) -> String {
    let seconds = duration.as_secs().max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{minutes}m{:02}s", seconds % 60),
        3600..86400 => format!("{hours}h{:02}m", minutes % 60),
        _ => format!("{days}d{:02}h", hours % 24),
    }
}

/// That this machine's clock is off, and `by` how much in words, from how far the cluster's is ahead of it.
pub fn clock_words(ahead: SignedDuration, by: &str) -> String {
    let way = if ahead.is_negative() { "ahead of" } else { "behind" };
    format!("This machine's clock is {by} {way} the cluster's: ages and times to come are off by as much")
}

/// A time of the day in UTC, without seconds where it has none: estimates are told in whole minutes.
pub fn utc_clock(time: Timestamp) -> String {
    let whole = time.as_second() % 60 == 0;
    time.strftime(if whole { "%H:%MZ" } else { "%H:%M:%SZ" }).to_string()
}

/// How far a Job is that needs more than one pod, with how many run at a time and which indexes are done:
/// `3 of 6 done, 2 running, 2 at a time; indexes 0-1,4`.
pub fn progress_words(progress: &Progress) -> String {
    let queue = if progress.wanted.is_none() { " of a queue" } else { "" };
    let indexes = progress.indexes.as_ref().filter(|indexes| !indexes.is_empty());
    let indexes = indexes.map(|indexes| format!("; indexes {indexes}")).unwrap_or_default();
    format!("{progress}, {} at a time{queue}{indexes}", progress.parallelism)
}

/// How many background migrations are pending, and how that moves: `7 pending, has not moved for 2m10s`. Once the wait for
/// them has `ended`, a pace that was is none any longer.
pub fn pending_words(backlog: &Backlog, ended: bool, clock: Clock<'_>) -> String {
    let pending = match backlog.last.pending {
        0 => return "none pending".to_owned(),
        pending if ended => return format!("{pending} still pending when the wait ended"),
        pending => format!("{pending} pending"),
    };
    match backlog.motion {
        Motion::Unknown => pending,
        Motion::Falling { each } => format!("{pending}, {}", pace(each)),
        Motion::Still { since } => {
            format!("{pending}, has not moved for {}", span(backlog.last.at.duration_since(since)))
        }
        Motion::Rising { from } => format!("{pending}, rising, {} at {}", from.pending, clock(from.at)),
    }
}

/// When they are done, and whether in time: `done about 15:40, deadline 15:12: will not make it`. `None` where nothing
/// can be told, or need be.
pub fn outlook_words(backlog: &Backlog, deadline: Option<Timestamp>, clock: Clock<'_>) -> Option<String> {
    let until = deadline.map(|deadline| format!("deadline {}", clock(deadline))).unwrap_or_default();
    let done = backlog.done.map(|done| format!("done about {}", clock(done)));
    let falls = matches!(backlog.motion, Motion::Falling { .. });
    match (backlog.outlook, backlog.motion) {
        (Outlook::TooLate, Motion::Still { .. }) => Some(format!("{until}: will not make it unless it moves")),
        (Outlook::TooLate, Motion::Rising { .. }) => Some(format!("{until}: will not make it unless it falls")),
        (Outlook::TooLate, _) => {
            let done = done.map(|done| format!("{done}, ")).unwrap_or_default();
            Some(format!("{done}{until}: will not make it"))
        }
        (Outlook::InTime, _) => done.filter(|_| falls).map(|done| format!("{done}, in time for the {until}")),
        (Outlook::Unknown, _) => done.filter(|_| falls),
        (Outlook::Done, _) => None,
    }
}

/// What ends a gate that goes on failing, as it stands `now`: `last attempt fails about 15:40 if all do`.
pub fn forecast_words(forecast: &Forecast, now: Timestamp, clock: Clock<'_>) -> String {
    if forecast.exhausted < now {
        return "goes on for longer than the attempts before did".to_owned();
    }
    let last = clock(forecast.exhausted);
    match forecast.first {
        Limit::Attempts => format!("last attempt fails about {last} if all do"),
        Limit::Deadline(deadline) => {
            format!("deadline {} comes first; the last attempt would fail about {last}", clock(deadline))
        }
    }
}

/// How long attempts took: `attempts take about 3m02s (2m58s to 4m10s)`.
pub fn took_words(took: &Took) -> String {
    let told = |duration: SignedDuration| if duration.as_secs() < 1 { "under 1s".to_owned() } else { span(duration) };
    let [median, shortest, longest] = [took.median, took.shortest, took.longest].map(told);
    match took.attempts {
        1 => format!("the one that failed took {median}"),
        _ if shortest == longest => format!("attempts take {median}"),
        _ => format!("attempts take about {median} ({shortest} to {longest})"),
    }
}

/// How fast they end: `about 15 a minute`, `about one in 2m10s`.
fn pace(each: SignedDuration) -> String {
    let seconds = each.as_secs_f64();
    match 60.0 / seconds {
        many if many >= 1000.0 => "falling fast".to_owned(),
        many if many >= 2.0 => format!("about {many:.0} a minute"),
        _ => format!("about one in {}", span(each)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;
    use crate::gate::Pending;

    fn backlog(pending: u64, motion: Motion, done: Option<i64>, outlook: Outlook) -> Backlog {
        let last = Pending { at: at(130), pending };
        Backlog { counts: vec![last], last, motion, done: done.map(at), outlook }
    }

    fn told(backlog: &Backlog) -> (String, Option<String>) {
        (pending_words(backlog, false, &utc_clock), outlook_words(backlog, Some(at(720)), &utc_clock))
    }

    #[test]
    fn durations_are_as_fine_as_they_have_to_be() {
        let told = [-5, 0, 59, 60, 252, 3_599, 3_600, 3_725, 90_000].map(|secs| span(SignedDuration::from_secs(secs)));
        assert_eq!(told, ["0s", "0s", "59s", "1m00s", "4m12s", "59m59s", "1h00m", "1h02m", "1d01h"]);
    }

    #[test]
    fn a_backlog_says_how_it_moves_and_whether_it_makes_it() {
        let falling = |seconds| Motion::Falling { each: SignedDuration::from_secs(seconds) };
        let still = Motion::Still { since: at(0) };
        let rising = Motion::Rising { from: Pending { at: at(60), pending: 5 } };
        for (backlog, pending, outlook) in [
            (
                backlog(12, falling(130), Some(2400), Outlook::TooLate),
                "12 pending, about one in 2m10s",
                Some("done about 15:40Z, deadline 15:12Z: will not make it"),
            ),
            (
                backlog(12, falling(4), Some(178), Outlook::InTime),
                "12 pending, about 15 a minute",
                Some("done about 15:02:58Z, in time for the deadline 15:12Z"),
            ),
            (
                backlog(7, still, Some(1000), Outlook::TooLate),
                "7 pending, has not moved for 2m10s",
                Some("deadline 15:12Z: will not make it unless it moves"),
            ),
            (backlog(7, still, Some(600), Outlook::InTime), "7 pending, has not moved for 2m10s", None),
            (
                backlog(9, rising, None, Outlook::TooLate),
                "9 pending, rising, 5 at 15:01Z",
                Some("deadline 15:12Z: will not make it unless it falls"),
            ),
            (backlog(0, Motion::Unknown, None, Outlook::Done), "none pending", None),
        ] {
            assert_eq!(told(&backlog), (pending.to_owned(), outlook.map(str::to_owned)));
        }
    }

    #[test]
    fn a_forecast_says_what_comes_first() {
        let seconds = SignedDuration::from_secs;
        let took = Took { median: seconds(182), shortest: seconds(178), longest: seconds(250), attempts: 3 };
        let forecast = |first| Forecast { took, exhausted: at(2400), first };
        let told = |first| forecast_words(&forecast(first), at(0), &utc_clock);
        assert_eq!(told(Limit::Attempts), "last attempt fails about 15:40Z if all do");
        let deadline = told(Limit::Deadline(at(720)));
        assert_eq!(deadline, "deadline 15:12Z comes first; the last attempt would fail about 15:40Z");
        let later = forecast_words(&forecast(Limit::Attempts), at(2401), &utc_clock);
        assert_eq!(later, "goes on for longer than the attempts before did");
        assert_eq!(took_words(&took), "attempts take about 3m02s (2m58s to 4m10s)");
        let same = |median| took_words(&Took { median, shortest: median, longest: median, attempts: 3 });
        assert_eq!([same(seconds(4)), same(seconds(0))], ["attempts take 4s", "attempts take under 1s"]);
        assert_eq!(took_words(&Took { attempts: 1, ..took }), "the one that failed took 3m02s");
    }
}
