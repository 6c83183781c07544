//! Whether this machine's clock is off, by the `Date` of the server's answers: it is in whole seconds, and was written some
//! time between question and answer. So two bounds are certain and no more, and a slow answer tells little.

use http::{Response, header};
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// A clock that is off by no more is fine; and one that is off by so much more or less than was told is told anew.
const FINE: SignedDuration = SignedDuration::from_secs(30);
/// To how many seconds it is told: more is no news.
const STEP: i64 = 10;

/// When a server wrote an answer by its own clock, and between which moments that was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dated {
    asked: Instant,
    answered: Instant,
    date: Timestamp,
}

impl Dated {
    /// What an answer that came now tells; nothing where it has no `Date`.
    pub(super) fn of<B>(response: &Response<B>, asked: Instant) -> Option<Self> {
        let date = response.headers().get(header::DATE)?.to_str().ok()?;
        Some(Self { asked, answered: Instant::now(), date: DateTimeParser::new().parse_timestamp(date).ok()? })
    }

    /// How far the server's clock is ahead of ours, none where both agree, if that is certain. `now` is our time.
    fn ahead(&self, now: Timestamp) -> Option<SignedDuration> {
        let ago = |moment: Instant| SignedDuration::try_from(moment.elapsed()).unwrap_or(SignedDuration::MAX);
        let least = self.date.duration_since(now) + ago(self.answered);
        let most = self.date.duration_since(now) + ago(self.asked) + SignedDuration::from_secs(1);
        if least >= -FINE && most <= FINE {
            return Some(SignedDuration::ZERO);
        }
        let about = (least + most) / 2;
        let certain = (least > FINE || most < -FINE) && most - least <= FINE;
        certain.then(|| SignedDuration::from_secs((about.as_secs_f64() / STEP as f64).round() as i64 * STEP))
    }
}

/// What is known of our clock.
#[derive(Debug, Default)]
pub(super) struct Skew {
    /// By the last answer that told anything.
    heard: Option<SignedDuration>,
    told: SignedDuration,
}

impl Skew {
    /// How far the server's clock is ahead of ours, if that is news. One answer alone is not believed: the machine may have
    /// slept while it was under way.
    pub(super) fn hear(&mut self, answer: &Dated, now: Timestamp) -> Option<SignedDuration> {
        let ahead = answer.ahead(now)?;
        let apart = |other: SignedDuration| (ahead - other).abs() >= FINE;
        let agreed = self.heard.replace(ahead).is_some_and(|before| !apart(before));
        (agreed && apart(self.told)).then(|| {
            self.told = ahead;
            ahead
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::advance;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_796_000_000 + second).unwrap()
    }

    /// What an answer tells that took so long, by a server whose clock says that when ours says 0.
    async fn told(date: i64, took: u64) -> Option<i64> {
        let asked = Instant::now();
        advance(Duration::from_secs(took)).await;
        let dated = Dated { asked, answered: Instant::now(), date: at(date) };
        dated.ahead(at(0)).map(|ahead| ahead.as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_is_certain_is_told() {
        assert_eq!(told(0, 0).await, Some(0));
        assert_eq!((told(29, 0).await, told(-30, 0).await), (Some(0), Some(0)));
        assert_eq!((told(30, 0).await, told(31, 0).await), (None, Some(30)));
        assert_eq!((told(600, 0).await, told(-600, 0).await), (Some(600), Some(-600)));
        // It may have been written the moment it was asked for, and taken that long to come.
        assert_eq!((told(-40, 20).await, told(-20, 20).await), (None, Some(0)));
        assert_eq!(told(600, 40).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_told_once_two_answers_agree_and_when_it_is_over() {
        let mut skew = Skew::default();
        let mut hear = |date: i64| {
            let dated = Dated { asked: Instant::now(), answered: Instant::now(), date: at(date) };
            skew.hear(&dated, at(0)).map(|ahead| ahead.as_secs())
        };
        assert_eq!([0, 0, 600, 0].map(&mut hear), [None; 4]);
        assert_eq!([600, 601, 615, 600].map(&mut hear), [None, Some(600), None, None]);
        assert_eq!([0, 0, 0].map(&mut hear), [None, Some(0), None]);
    }

    #[test]
    fn the_date_of_an_answer_is_read() {
        let answer = |date: &str| Response::builder().header("date", date).body(()).unwrap();
        let read = |date| Dated::of(&answer(date), Instant::now()).map(|dated| dated.date.to_string());
        assert_eq!(read("Sun, 29 Nov 2026 15:33:50 GMT").as_deref(), Some("2026-11-29T15:33:50Z"));
        assert_eq!(read("yesterday"), None);
    }
}
