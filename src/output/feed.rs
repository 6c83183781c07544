//! What is said of the feed before anything else: what is old, what is hidden, and whether the times can be believed.

use jiff::Timestamp;

use crate::cluster::{Feed, FeedState, Kind};
use crate::run::{clock_words, span};

/// The sentences, most urgent first; none where all is well.
pub fn sentences(feed: &Feed, time: Timestamp) -> Vec<String> {
    let each = feed.each().flat_map(|(cluster, feed)| {
        let named = move |sentence: String| match cluster {
            Some(cluster) => format!("{cluster}: {sentence}"),
            None => sentence,
        };
        of_cluster(feed, time).into_iter().map(named)
    });
    each.collect()
}

fn of_cluster(feed: &Feed, time: Timestamp) -> Vec<String> {
    let mut sentences = Vec::new();
    if let FeedState::Stale { since, error } = feed.state() {
        let ago = span(time.duration_since(since));
        sentences.push(format!("The cluster has not answered for {ago}: {error}"));
    }
    for (kind, heard) in feed.withdrawn() {
        let ago = span(time.duration_since(heard));
        let kind = kind.plural();
        sentences.push(format!("The server no longer lets us see {kind}: what is told of them is {ago} old."));
    }
    let refused: Vec<_> = feed.never_seen().map(Kind::plural).collect();
    if !refused.is_empty() {
        let refused = refused.join(", ");
        sentences.push(format!("The server does not let us see {refused}: what they tell is missing."));
    }
    let absent: Vec<_> = feed.absent().map(Kind::plural).collect();
    if !absent.is_empty() {
        let absent = absent.join(", ");
        sentences.push(format!("The dump holds no {absent}: what they would tell is missing."));
    }
    if let Some(ahead) = feed.clock_ahead() {
        sentences.push(format!("{}.", clock_words(ahead, &span(ahead.abs()))));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::cluster::{Change, ClusterEvent, WatchState, World};
    use crate::run::sample;

    fn told(changes: impl IntoIterator<Item = Change>) -> Vec<String> {
        let mut world = World::default();
        let time = sample::time("15:20:00");
        changes.into_iter().for_each(|change| world.apply(ClusterEvent { cluster: None, time, change }));
        sentences(world.feed(), sample::time("15:20:24"))
    }

    #[test]
    fn what_may_not_be_seen_any_more_is_told_apart_from_what_never_was() {
        let refused =
            |kind, heard| Change::Watch { kind, state: WatchState::Forbidden { message: "no".into(), heard } };
        let heard = Some(sample::time("15:19:00"));
        assert_eq!(
            told([refused(Kind::Job, heard), refused(Kind::Pod, None)]),
            [
                "The server no longer lets us see jobs: what is told of them is 1m24s old.",
                "The server does not let us see pods: what they tell is missing."
            ]
        );
    }

    #[test]
    fn a_clock_that_is_off_is_told_and_by_how_much() {
        let told = |seconds| told([Change::Clock { ahead: SignedDuration::from_secs(seconds) }]);
        let off =
            |how| format!("This machine's clock is {how} the cluster's: ages and times to come are off by as much.");
        assert_eq!(told(610), [off("10m10s behind")]);
        assert_eq!(told(-40), [off("40s ahead of")]);
        assert_eq!(told(0), Vec::<String>::new());
    }
}
