//! The frames of several clusters at once, one of which is not heard.

use super::fixture::{self, COLOUR, broken, live, model, settings};
use super::frames::{drawn, every_size, text};
use super::model::{Mode, Model, Origin, Settings};
use super::theme::Theme;
use crate::cluster::{ClusterName, Feed, Uid, WatchState};
use crate::run::Run;

/// How two clusters fare.
fn feeds(eu: &WatchState, us: &WatchState) -> Feed {
    let mut feeds = Feed::default();
    for (cluster, state) in [("prod-eu", eu), ("prod-us", us)] {
        feeds.note_of(cluster.into(), fixture::feed(state));
    }
    feeds
}

fn run(cluster: &str, run: Run) -> Run {
    let uid = Uid(format!("{cluster}-{}", run.uid));
    Run { cluster: Some(ClusterName::from(cluster)), uid, ..run }
}

fn runs() -> Vec<Run> {
    vec![run("prod-eu", fixture::retrying()), run("prod-us", fixture::failed())]
}

fn several(settings: Settings) -> Settings {
    Settings { place: "2 clusters".into(), namespace: None, ..settings }
}

fn shown(theme: Theme, size: (u16, u16), runs: Vec<Run>, feeds: Feed) -> Model {
    model(several(settings(theme)), size, runs, feeds)
}

#[test]
fn a_list_of_two_clusters_one_of_which_is_not_heard() {
    every_size("clusters", |theme, size| shown(theme, size, runs(), feeds(&live(), &broken())));
}

#[test]
fn the_run_of_one_says_which_it_is_and_that_another_is_not_heard() {
    let frame = |runs: Vec<Run>, feeds: Feed| text(&drawn(&shown(COLOUR, (100, 30), runs, feeds)));
    let of_eu = frame(vec![run("prod-eu", fixture::retrying())], feeds(&live(), &broken()));
    assert!(
        of_eu.lines().next().is_some_and(|first| first.contains("prod-eu › gitlab") && first.contains("live")),
        "{of_eu}"
    );
    assert!(of_eu.contains("prod-us does not answer since"), "{of_eu}");
    let of_us = frame(vec![run("prod-us", fixture::failed())], feeds(&live(), &broken()));
    assert!(of_us.contains("stale since") && of_us.contains("Shown as it was at"), "{of_us}");
    assert!(!of_us.contains("prod-eu"), "{of_us}");
}

#[test]
fn where_nothing_is_there_each_that_is_not_heard_is_told() {
    let frame = |feeds| text(&drawn(&shown(COLOUR, (100, 30), Vec::new(), feeds)));
    let one = frame(feeds(&live(), &broken()));
    assert!(one.contains("Nothing to show in 2 clusters so far") && one.contains("prod-us does not answer"), "{one}");
    assert!(one.contains("1 of 2 live"), "{one}");
    let both = frame(feeds(&live(), &WatchState::Starting));
    assert!(both.contains("prod-us has not answered yet"), "{both}");
    assert!(frame(feeds(&live(), &live())).contains("Waiting for one."));
}

#[test]
fn what_one_of_them_does_not_let_us_see_is_told_by_its_name() {
    let refused = |heard| WatchState::Forbidden { message: "no".into(), heard };
    let frame = |runs: Vec<Run>, us| text(&drawn(&shown(COLOUR, (100, 30), runs, feeds(&live(), &us))));
    let withdrawn = frame(runs(), refused(Some(fixture::ago(60))));
    assert!(withdrawn.contains("1 of 2 live") && withdrawn.contains("prod-us: You may not list"), "{withdrawn}");
    assert!(withdrawn.contains("shown as they were"), "{withdrawn}");
    for runs in [runs(), Vec::new()] {
        let never = frame(runs.clone(), refused(None));
        assert!(never.contains("prod-us: You may not list gitlabcores, jobs, "), "{never}");
        assert!(!never.contains("Waiting for one."), "{never}");
        let undefined = frame(runs, WatchState::Undefined);
        assert!(undefined.contains("prod-us: The cluster"), "{undefined}");
        assert!(!undefined.contains("prod-eu: "), "{undefined}");
    }
}

#[test]
fn a_recording_of_several_is_a_replay_and_waits_for_nothing() {
    let replayed = |runs, state: &WatchState| {
        let settings = Settings { origin: Origin::Replay, ..several(settings(COLOUR)) };
        text(&drawn(&model(settings, (100, 30), runs, feeds(state, state))))
    };
    let first = |frame: String| frame.lines().next().unwrap_or_default().to_owned();
    assert!(first(replayed(runs(), &live())).contains("▶ replay "), "{}", replayed(runs(), &live()));
    assert!(first(replayed(runs(), &WatchState::Ended)).contains("replay ended"));
    let none = replayed(Vec::new(), &WatchState::Ended);
    assert!(none.contains("Nothing to show in 2 clusters") && !none.contains("Waiting"), "{none}");
}

#[test]
fn a_kiosk_shows_each_with_its_cluster() {
    let settings = Settings { mode: Mode::Kiosk, ..several(settings(COLOUR)) };
    let frame = text(&drawn(&model(settings, (100, 30), runs(), feeds(&live(), &live()))));
    assert!(frame.contains("prod-eu › gitlab"), "{frame}");
}
