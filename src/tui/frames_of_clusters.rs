//! The frames of several clusters at once, one of which is not heard.

use super::fixture::{self, COLOUR, broken, live, model, settings};
use super::frames::{drawn, every_size, text};
use super::model::{Mode, Model, Settings};
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
fn a_kiosk_shows_each_with_its_cluster() {
    let settings = Settings { mode: Mode::Kiosk, ..several(settings(COLOUR)) };
    let frame = text(&drawn(&model(settings, (100, 30), runs(), feeds(&live(), &live()))));
    assert!(frame.contains("prod-eu › gitlab"), "{frame}");
}
