//! The watches on events: one per object whose events are needed, opened when they are and closed when they are not.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tokio::task::AbortHandle;

use super::interest::{How, Interest};
use super::keep::Keep;
use super::listing::Listing;
use super::query::Query;
use super::{Tasks, Told};
use crate::cluster::{Change, ClusterEvent, Kind, Scope, Uid, WatchState};

/// How long the events of what has ended are watched. The Job controller writes the status first and the event after it, so
/// a list alone could come too early.
const AFTER_THE_END: Duration = Duration::from_secs(10);

/// The watches on events.
#[derive(Default)]
pub(super) struct EventWatches {
    interest: Interest,
    listing: Listing,
    open: BTreeMap<Uid, EventWatch>,
    /// What was last told of all of them together.
    told: Option<WatchState>,
}

/// The watch on the events about one object. It stays here while the object is of interest, so that nothing is asked for
/// twice.
struct EventWatch {
    task: AbortHandle,
    how: How,
    state: Option<WatchState>,
}

impl EventWatches {
    /// Takes in what a watch told: opens and closes watches on events by it, and returns what there is to pass on.
    pub(super) fn take_in(&mut self, told: Told, tasks: &mut Tasks) -> Vec<ClusterEvent> {
        let Told { scope, event } = told;
        let time = event.time;
        let mut pass_on = Vec::new();
        match scope {
            Scope::All => {
                if self.interest.note(&event.change) {
                    self.adjust(tasks);
                }
                let pods_live =
                    matches!(event.change, Change::Watch { kind: Kind::Pod, state: WatchState::Live { .. } });
                pass_on.push(event);
                // As long as no events are needed, none are missing.
                if pods_live || self.told.is_some() {
                    pass_on.extend(self.fare(time));
                }
            }
            // What a closed watch had still to say is of no interest.
            Scope::About(uid) => {
                if let Some(watch) = self.open.get_mut(&uid) {
                    match event.change {
                        Change::Watch { state, .. } => watch.state = Some(state),
                        _ => pass_on.push(event),
                    }
                    pass_on.extend(self.fare(time));
                }
            }
        }
        pass_on
    }

    /// Opens the watches that are wanted, and closes those that are not any more.
    fn adjust(&mut self, tasks: &mut Tasks) {
        let wanted = self.interest.wanted();
        self.open.retain(|uid, watch| {
            // What has ended is asked for anew, for as long as there may be more to come.
            let keep = wanted.get(uid).is_some_and(|wanted| wanted.how == watch.how);
            if !keep {
                watch.task.abort();
            }
            keep
        });
        for (uid, wanted) in wanted {
            self.open.entry(uid.clone()).or_insert_with(|| {
                let keep = match wanted.how {
                    How::Following => Keep::On,
                    How::Once => Keep::For(AFTER_THE_END),
                };
                let query = Query::events_about(uid, &wanted.namespace);
                EventWatch { task: tasks.spawn(query, self.listing.clone(), keep), how: wanted.how, state: None }
            });
        }
    }

    /// How the watches on events fare together, if that is news.
    fn fare(&mut self, now: Timestamp) -> Option<ClusterEvent> {
        let state = together(self.open.values().filter_map(|watch| watch.state.as_ref()), self.told.as_ref(), now);
        if self.told.as_ref() == Some(&state) {
            return None;
        }
        self.told = Some(state.clone());
        Some(ClusterEvent { cluster: None, time: now, change: Change::Watch { kind: Kind::Event, state } })
    }
}

/// The state of several watches in one: the worst, or what was before where none speaks against it. A refusal stays until
/// a watch is granted; what was seen before it is old for as long as it is of interest.
fn together<'a>(
    states: impl Iterator<Item = &'a WatchState> + Clone,
    before: Option<&WatchState>,
    now: Timestamp,
) -> WatchState {
    let broken = states.clone().filter_map(|state| match state {
        WatchState::Broken { since, .. } => Some((since, state)),
        _ => None,
    });
    if let Some((_, state)) = broken.min_by_key(|(since, _)| *since) {
        return state.clone();
    }
    let refused = states.clone().filter_map(|state| match state {
        WatchState::Forbidden { heard, .. } => Some((heard.unwrap_or(Timestamp::MAX), state)),
        _ => None,
    });
    if let Some((_, state)) = refused.min_by_key(|(heard, _)| *heard) {
        return state.clone();
    }
    let granted = states.clone().any(|state| matches!(state, WatchState::Live { .. }));
    match before {
        Some(before @ WatchState::Live { .. }) => before.clone(),
        Some(WatchState::Forbidden { message, .. }) if !granted => {
            WatchState::Forbidden { message: message.clone(), heard: None }
        }
        _ => WatchState::Live { since: now },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn live(second: i64) -> WatchState {
        WatchState::Live { since: at(second) }
    }

    fn broken(second: i64) -> WatchState {
        WatchState::Broken { since: at(second), error: String::new() }
    }

    fn forbidden() -> WatchState {
        WatchState::Forbidden { message: "no".into(), heard: None }
    }

    fn withdrawn(second: i64) -> WatchState {
        WatchState::Forbidden { message: "no".into(), heard: Some(at(second)) }
    }

    #[test]
    fn the_worst_of_several_watches_is_told() {
        assert_eq!(together([live(1), broken(5), broken(3), forbidden()].iter(), None, at(9)), broken(3));
        assert_eq!(together([live(1), forbidden()].iter(), Some(&live(1)), at(9)), forbidden());
    }

    #[test]
    fn watches_that_come_and_go_are_no_news() {
        assert_eq!(together([].iter(), None, at(9)), live(9));
        assert_eq!(together([live(12)].iter(), Some(&live(9)), at(12)), live(9));
        assert_eq!(together([].iter(), Some(&live(9)), at(15)), live(9));
    }

    #[test]
    fn a_broken_watch_that_is_closed_leaves_nothing_broken() {
        assert_eq!(together([].iter(), Some(&broken(3)), at(9)), live(9));
    }

    #[test]
    fn a_refusal_stays_until_a_watch_is_granted() {
        assert_eq!(together([].iter(), Some(&forbidden()), at(9)), forbidden());
        assert_eq!(together([live(8)].iter(), Some(&forbidden()), at(9)), live(9));
    }

    #[test]
    fn what_was_seen_before_a_refusal_is_old_until_its_watch_is_closed() {
        let watches = [forbidden(), withdrawn(5), withdrawn(3)];
        assert_eq!(together(watches.iter(), Some(&live(1)), at(9)), withdrawn(3));
        assert_eq!(together([].iter(), Some(&withdrawn(3)), at(9)), forbidden());
    }
}
