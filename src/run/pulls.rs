//! What was tried to pull an image, in words.

use jiff::{SignedDuration, Timestamp};

use crate::gate::{NextPull, Pulls};

/// What was tried to pull an image by that time, and when it is tried again: `pulling failed 3 times, last 40s ago; next try
/// in about 35s`, with a duration in the words of `span`.
pub fn pull_words(pulls: &Pulls, now: Timestamp, span: &dyn Fn(SignedDuration) -> String) -> String {
    let Pulls { failed, last, next } = pulls;
    let ago = span(now.duration_since(*last));
    let tried = match failed {
        0 | 1 => format!("pulling failed once, {ago} ago"),
        failed => format!("pulling failed {failed} times, last {ago} ago"),
    };
    match next {
        NextPull::UnderWay { since } => format!("{tried}; pulling again for {}", span(now.duration_since(*since))),
        NextPull::About(next) if *next > now => {
            format!("{tried}; next try in about {}", span(next.duration_since(now)))
        }
        NextPull::About(_) => format!("{tried}; next try any moment"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;
    use crate::run::span;

    #[test]
    fn it_says_what_was_tried_and_when_next() {
        let words = |failed, next| pull_words(&Pulls { failed, last: at(60), next }, at(100), &span);
        let about = |seconds| NextPull::About(at(seconds));
        assert_eq!(words(3, about(135)), "pulling failed 3 times, last 40s ago; next try in about 35s");
        assert_eq!(words(1, about(100)), "pulling failed once, 40s ago; next try any moment");
        let under_way = NextPull::UnderWay { since: at(93) };
        assert_eq!(words(2, under_way), "pulling failed 2 times, last 40s ago; pulling again for 7s");
    }
}
