//! The frames of a feed that is stale, hides something, or comes from a clock that is not ours.

use jiff::SignedDuration;

use super::fixture::{self, COLOUR, ago, feed, feed_of, live, model, settings};
use super::frames::{compare, drawn, every_size, every_way, kiosk, text};
use super::model::{Message, Mode, Settings};
use super::update::update;
use crate::cluster::{Change, ClusterEvent, Kind, Selection, WatchState, World};

#[test]
fn a_stale_feed() {
    every_way("stale", |theme, size| {
        let watch = fixture::broken();
        model(settings(theme), size, vec![fixture::retrying()], feed(&watch))
    });
}

#[test]
fn a_stale_feed_with_much_to_say() {
    let error = "the credential plugin failed: the session has expired, log in again with `cloud login` (exit status: 3) \
                 (watching gitlabcores at https://api.prod-eu.example:6443)";
    let broken = WatchState::Broken { since: ago(660), error: error.into() };
    every_size("stale-long", |theme, size| model(settings(theme), size, vec![fixture::retrying()], feed(&broken)));
    // Where something has to go, the second line goes before what is told of the step.
    let crowded = model(settings(COLOUR), (100, 20), vec![fixture::retrying()], feed(&broken));
    let frame = text(&drawn(&crowded));
    assert!(frame.contains("the session has expired") && frame.contains("│ Next  "), "{frame}");
    assert!(!frame.contains("https://api.prod-eu.example:6443"), "{frame}");
}

/// What is watched, by its words.
fn watching(words: &[&str]) -> Settings {
    Settings { selection: Selection::of(words.iter().map(|word| word.parse().unwrap())), ..settings(COLOUR) }
}

#[test]
fn what_is_not_there_is_called_as_it_was_named() {
    let shown = |words: &[&str], states: &[(Kind, WatchState)]| {
        let rest = Kind::ALL.into_iter().filter(|kind| !states.iter().any(|(told, _)| told == kind));
        let feed = feed_of(rest.map(|kind| (kind, live())).chain(states.iter().cloned()));
        text(&drawn(&model(watching(words), (100, 30), Vec::new(), feed)))
    };
    let forbidden = || WatchState::Forbidden { message: "jobs is forbidden".into(), heard: None };
    for (words, states, told) in [
        (&["job/migrate"][..], &[][..], &["No Job migrate in namespace gitlab", "Waiting for it."][..]),
        (&["job?tier=db"], &[], &["No Job with tier=db in namespace gitlab", "Waiting for one."]),
        (&["sts/db"], &[], &["No StatefulSet db in namespace gitlab", "Waiting for it."]),
        (
            &["gsp"],
            &[(Kind::GluesyncPlatform, WatchState::Undefined)],
            &["prod-eu does not know GluesyncPlatform yet", "Waiting for its definition."],
        ),
        (
            &["job/migrate"],
            &[(Kind::Job, forbidden())],
            &["▲ no access", "You may not list Job in namespace gitlab", "jobs is forbidden", "Waiting for a Role"],
        ),
        (
            &["job/migrate", "gsp"],
            &[(Kind::Job, forbidden()), (Kind::GluesyncPlatform, WatchState::Undefined)],
            &[
                "● live",
                "Nothing to show in namespace gitlab",
                "does not know GluesyncPlatform yet.",
                "You may not list",
            ],
        ),
    ] {
        let frame = shown(words, states);
        for told in told {
            assert!(frame.contains(told), "{told:?} is expected for {words:?} in\n{frame}");
        }
        assert!(!frame.contains("GitLabCore"), "{frame}");
    }
    let unreachable =
        shown(&["job/a", "sts/db"], &[(Kind::Job, fixture::broken()), (Kind::StatefulSet, fixture::broken())]);
    assert!(unreachable.contains("prod-eu cannot be reached") && !unreachable.contains("Nothing"), "{unreachable}");
}

#[test]
fn a_kind_that_is_not_served_is_told_beside_what_is_shown() {
    let states = Kind::ALL.map(|kind| (kind, live()));
    let undefined = |kind| feed_of(states.clone().into_iter().chain([(kind, WatchState::Undefined)]));
    let shown = |words: &[&str], kind| {
        text(&drawn(&model(watching(words), (100, 30), vec![fixture::retrying()], undefined(kind))))
    };
    let frame = shown(&["glc", "gsp"], Kind::GluesyncPlatform);
    assert!(frame.contains("The cluster does not know the kind GluesyncPlatform"), "{frame}");
    let frame = shown(&["glc", "gsp"], Kind::GitLabCore);
    assert!(frame.contains("The cluster no longer knows the kind GitLabCore"), "{frame}");
    let frame = shown(&["glc"], Kind::GluesyncPlatform);
    assert!(!frame.contains("the kind"), "nobody asked for it: {frame}");
}

#[test]
fn kinds_that_may_not_be_listed_any_more() {
    let withdrawn = |seconds| WatchState::Forbidden { message: "no".into(), heard: Some(ago(seconds)) };
    let partly = || {
        let rest = [Kind::GitLabCore, Kind::Deployment, Kind::Event].map(|kind| (kind, live()));
        feed_of(rest.into_iter().chain([(Kind::Job, withdrawn(660)), (Kind::Pod, withdrawn(660))]))
    };
    every_way("withdrawn", |theme, size| model(settings(theme), size, vec![fixture::retrying()], partly()));
    let all = Kind::ALL.map(|kind| (kind, if kind == Kind::Event { live() } else { withdrawn(660) }));
    let frame = text(&drawn(&model(settings(COLOUR), (60, 15), vec![fixture::retrying()], feed_of(all.clone()))));
    assert!(frame.contains("  ▲ stale since 14:21:07  "), "{frame}");
    let mut kiosk = kiosk(COLOUR, (100, 30), false, vec![fixture::retrying()]);
    let told = Message::Cluster { runs: [fixture::retrying()].into(), feed: partly(), now: ago(0) };
    assert_eq!(update(&mut kiosk, told), []);
    let frame = text(&drawn(&kiosk));
    assert_eq!(frame.matches("partly stale since 14:21:07").count(), 2, "{frame}");
    assert!(frame.contains("You may not list jobs, pods in gitlab: shown as they were at 14:21:07"), "{frame}");
}

#[test]
fn kinds_that_may_not_be_listed() {
    let refused = WatchState::Forbidden { message: "events is forbidden".into(), heard: None };
    let states = [Kind::GitLabCore, Kind::Job, Kind::Deployment].map(|kind| (kind, live()));
    let states = states.into_iter().chain([Kind::Pod, Kind::Event].map(|kind| (kind, refused.clone())));
    let model = model(settings(COLOUR), (100, 30), vec![fixture::retrying()], feed_of(states));
    compare("forbidden-kinds", text(&drawn(&model)));
}

#[test]
fn a_clock_that_is_off() {
    let off = |minutes| {
        let mut world = World::default();
        let change = Change::Clock { ahead: SignedDuration::from_mins(minutes) };
        world.apply(ClusterEvent { cluster: None, time: ago(2), change });
        world.apply(ClusterEvent {
            cluster: None,
            time: ago(2),
            change: Change::Watch { kind: Kind::Job, state: live() },
        });
        text(&drawn(&model(settings(COLOUR), (100, 30), vec![fixture::retrying()], world.feed().clone())))
    };
    let told =
        |how| format!("\n  This machine's clock is {how} the cluster's: ages and times to come are off by as much\n");
    assert!(off(10).contains(&told("10m behind")), "{}", off(10));
    assert!(off(-90).contains(&told("1h30m ahead of")), "{}", off(-90));
    assert!(!off(0).contains("clock"), "{}", off(0));
}

#[test]
fn who_looks_when_the_last_instance_goes_is_told_where_to_read_of_it() {
    let gone = |state: WatchState, mode: Mode| {
        let settings = Settings { mode, ..settings(COLOUR) };
        let mut model = model(settings, (100, 30), vec![fixture::failed()], feed(&live()));
        let _ = update(&mut model, Message::Cluster { runs: [].into(), feed: feed(&state), now: ago(1) });
        text(&drawn(&model))
    };
    let shown = gone(live(), Mode::Interactive);
    for told in [
        "The GitLabCore gitlab/gitlab is gone",
        "J shows what became of gitlab/gitlab.",
        "Waiting for another.",
        "J journal",
    ] {
        assert!(shown.contains(told), "{told}\n{shown}");
    }
    let shown = gone(WatchState::Undefined, Mode::Interactive);
    for told in ["no longer knows GitLabCore", "J shows what became of gitlab/gitlab.", "Waiting for its definition"] {
        assert!(shown.contains(told), "{told}\n{shown}");
    }
    let shown = gone(live(), Mode::Kiosk);
    assert!(shown.contains("is gone") && !shown.contains("J shows"), "nobody can press it\n{shown}");
    let missing = text(&drawn(&model(settings(COLOUR), (100, 30), Vec::new(), feed(&live()))));
    assert!(missing.contains("Waiting for one.") && !missing.contains("J journal"), "nothing became of it\n{missing}");
}
