//! What of a log is asked for.

use jiff::{SignedDuration, Timestamp};

use super::super::query::Query;
use super::super::refusal::{Refusal, Wrong};

/// What of a log is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LogOptions {
    /// The container; the only one where `None`.
    pub(super) container: Option<String>,
    /// Whether that of the run before is.
    pub(super) previous: bool,
    /// Whether to go on until the run ends.
    pub(super) follow: bool,
    /// Whether the time of each line is told.
    pub(super) timestamps: bool,
    /// No line before that time.
    pub(super) since: Option<Timestamp>,
    /// Only so many lines of those that are there, the last.
    pub(super) tail: Option<usize>,
    /// Only so many bytes.
    pub(super) limit: Option<usize>,
}

impl LogOptions {
    /// Reads what is asked of the log of a pod.
    ///
    /// # Errors
    /// A [`Refusal`] if it makes no sense.
    pub(super) fn read(pod: &str, query: &Query<'_>, now: Timestamp) -> Result<Self, Refusal> {
        let tail = query.number("tailLines")?;
        let limit = query.number("limitBytes")?;
        let seconds = query.number("sinceSeconds")?;
        let time = query.text("sinceTime").map(time).transpose()?;
        let mut wrong = Vec::new();
        let mut least = |field, number: Option<i64>, least: i64, why| {
            if let Some(number) = number.filter(|number| *number < least) {
                wrong.push(Wrong::invalid(field, number, why));
            }
        };
        least("tailLines", tail, 0, "must be greater than or equal to 0");
        least("limitBytes", limit, 1, "must be greater than 0");
        if seconds.is_some() && time.is_some() {
            wrong.push(Wrong::forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
        } else {
            least("sinceSeconds", seconds, 1, "must be greater than 0");
        }
        if !wrong.is_empty() {
            return Err(Refusal::invalid("", "PodLogOptions", pod, &wrong));
        }
        let since =
            seconds.map(|seconds| now.checked_sub(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MIN));
        let size = |number: Option<i64>| number.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        Ok(Self {
            container: query.text("container").map(str::to_owned),
            previous: query.flag("previous").unwrap_or(false),
            follow: query.flag("follow").unwrap_or(false),
            timestamps: query.flag("timestamps").unwrap_or(false),
            since: since.or(time),
            tail: size(tail),
            limit: size(limit),
        })
    }
}

fn time(text: &str) -> Result<Timestamp, Refusal> {
    text.parse().map_err(|_| {
        Refusal::bad_request(format!("parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;

    fn read(query: &str) -> Result<LogOptions, String> {
        let options = LogOptions::read("p", &Query::read(Some(query)), at(100));
        options.map_err(|refusal| refusal.object()["message"].as_str().unwrap().to_owned())
    }

    #[test]
    fn what_is_asked_for_is_read() {
        let options =
            read("container=a&previous=true&timestamps=true&tailLines=5&limitBytes=7&sinceSeconds=10").unwrap();
        assert_eq!((options.container.as_deref(), options.previous, options.follow), (Some("a"), true, false));
        assert_eq!((options.timestamps, options.tail, options.limit), (true, Some(5), Some(7)));
        assert_eq!(options.since, Some(at(90)));
        assert_eq!(read("sinceTime=2026-11-29T15:00:05Z").unwrap().since, Some(at(5)));
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_the_words_of_kubernetes() {
        // Seen on Kubernetes 1.37.
        for (query, expected) in [
            (
                "tailLines=-1",
                "PodLogOptions \"p\" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0",
            ),
            ("tailLines=abc", "strconv.ParseInt: parsing \"abc\": invalid syntax"),
            ("limitBytes=0", "PodLogOptions \"p\" is invalid: limitBytes: Invalid value: 0: must be greater than 0"),
            (
                "sinceSeconds=0",
                "PodLogOptions \"p\" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0",
            ),
            (
                "sinceSeconds=5&sinceTime=2026-11-29T22:23:00Z",
                "PodLogOptions \"p\" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
            ),
        ] {
            assert_eq!(read(query), Err(expected.to_owned()), "{query}");
        }
        assert!(read("sinceTime=abc").unwrap_err().starts_with("parsing time \"abc\" as"));
    }
}
