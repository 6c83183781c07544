//! A live feed that is looked back at.

use super::*;
use crate::cluster::Selection;

/// A live feed that said one version a second.
fn live(versions: &[&str]) -> Deck {
    let mut deck = Deck::live();
    let _ = deck.hear(
        ClusterEvent::watches(Selection::default().kinds(), at(0), &WatchState::Live { since: at(0) }),
        machine(0),
    );
    for (second, version) in (1..).zip(versions) {
        let step = deck.hear([core(version)], machine(second * 1_000));
        assert_eq!(step.shown, None, "nothing is looked back at");
    }
    deck
}

fn target(shown: &Shown) -> Option<String> {
    let Shown::Past(moment, _) = shown else { panic!("{shown:?}") };
    moment.runs.first().and_then(|run| run.course.target.clone())
}

#[test]
fn a_live_feed_goes_on_while_somebody_looks_back_and_one_key_leads_to_now() {
    let mut deck = live(&["1.0.0", "2.0.0", "3.0.0"]);
    let now = machine(5_000);
    assert_eq!((deck.wait(now), deck.show(now)), (Wait::Never, Shown::Now));
    for key in [Travel::Slower, Travel::Faster] {
        let step = deck.travel(key, now);
        assert_eq!((step.refused.is_some(), step.shown), (true, Some(Shown::Now)), "{key:?}");
    }
    let shown = deck.travel(Travel::Back, now).shown.unwrap();
    assert_eq!(target(&shown).as_deref(), Some("2.0.0"));
    let step = deck.hear([core("4.0.0")], machine(6_000));
    assert_eq!(step.frontier.unwrap().runs[0].course.target.as_deref(), Some("4.0.0"));
    let shown = step.shown.unwrap();
    assert_eq!(target(&shown).as_deref(), Some("2.0.0"));
    let Shown::Past(moment, gauge) = shown else { unreachable!() };
    assert_eq!((moment.time, gauge.change, gauge.changes, gauge.last), (machine(2_000), 2, 4, machine(6_000)));
    assert_eq!(deck.travel(Travel::End, machine(7_000)).shown, Some(Shown::Now));
    for key in [Travel::End, Travel::Forward, Travel::Later] {
        assert_eq!(deck.travel(key, machine(7_000)).refused, Some(NOW), "{key:?}");
    }
}

#[test]
fn a_live_feed_that_is_paused_stays_at_what_was_shown() {
    let mut deck = live(&["1.0.0"]);
    assert!(matches!(deck.travel(Travel::Toggle, machine(5_000)).shown, Some(Shown::Past(..))));
    let shown = deck.hear([core("2.0.0")], machine(6_000)).shown.unwrap();
    assert_eq!(target(&shown).as_deref(), Some("1.0.0"));
    let Shown::Past(moment, gauge) = shown else { unreachable!() };
    assert_eq!((moment.time, gauge.motion), (machine(5_000), Motion::Paused));
}

#[test]
fn what_is_played_from_the_past_of_a_live_feed_ends_in_now() {
    let mut deck = live(&["1.0.0", "2.0.0", "3.0.0"]);
    let _ = deck.travel(Travel::Start, machine(9_000));
    let _ = deck.travel(Travel::Toggle, machine(9_000));
    assert_eq!(deck.wait(machine(9_000)), Wait::For(Duration::from_secs(1)));
    work(&mut deck, machine(10_500));
    assert_eq!(target(&deck.show(machine(10_500))).as_deref(), Some("1.0.0"));
    work(&mut deck, machine(12_000));
    assert_eq!((deck.show(machine(12_000)), deck.wait(machine(12_000))), (Shown::Now, Wait::Never));
}

#[test]
fn what_was_forgotten_is_no_longer_looked_at() {
    let mut deck = Deck { reel: Reel::new(Some(40_000)), ..Deck::live() };
    let say = |deck: &mut Deck, second: i64| deck.hear([core(&format!("{second}.0.0"))], machine(second * 1_000));
    for second in 1..10 {
        let _ = say(&mut deck, second);
    }
    let _ = deck.travel(Travel::Start, machine(9_000));
    assert_eq!(target(&deck.show(machine(9_000))).as_deref(), Some("1.0.0"));
    for second in 10..60 {
        let _ = say(&mut deck, second);
    }
    let Shown::Past(moment, gauge) = deck.show(machine(60_000)) else { panic!() };
    assert_eq!(moment.time, gauge.first);
    assert!(gauge.first > machine(30_000));
    let shown = Some(format!("{}.0.0", gauge.first.duration_since(machine(0)).as_secs()));
    assert_eq!(moment.runs[0].course.target, shown);
}

#[test]
fn failures_since_are_counted() {
    let mut deck = Deck::live();
    let _ = deck.hear(
        ClusterEvent::watches(Selection::default().kinds(), at(0), &WatchState::Live { since: at(0) }),
        machine(0),
    );
    let mut since = Vec::new();
    for (number, event) in (1..).zip(recorded("retry")) {
        let step = deck.hear([event], machine(number));
        if let Some(Shown::Past(_, gauge)) = step.shown {
            since.push(gauge.failed_since);
        } else if deck.reel.failures().len() == 1 {
            let _ = deck.travel(Travel::Toggle, machine(number));
        }
    }
    since.dedup();
    assert_eq!(since, [0, 1, 2]);
}

#[test]
fn what_was_kept_of_a_run_that_is_gone_is_not_taken_in() {
    let mut deck = live(&["1.0.0"]);
    let run = Uid("core-1".into());
    let kept = deck.world().memory(&run, &[]);
    assert!(deck.recall(&run, kept.clone(), machine(2_000)).frontier.is_some());
    let end = deck.reel.end();
    let gone = Change::Deleted(Box::new(match core("1.0.0").change {
        Change::Applied(object) => *object,
        other => panic!("{other:?}"),
    }));
    let _ = deck.hear([ClusterEvent { cluster: None, time: at(3), change: gone }], machine(3_000));
    assert!(deck.recall(&run, kept, machine(4_000)).frontier.is_some(), "the screens learn that nothing comes of it");
    assert_eq!(deck.reel.end(), end + 1);
}

#[test]
fn nothing_can_be_looked_back_at_before_anything_was_seen() {
    assert!(Deck::live().travel(Travel::Back, machine(0)).refused.is_some());
}

#[test]
fn ten_seconds_forward_are_ten_also_where_live_was_quiet_for_long() {
    let mut deck = live(&["1.0.0"]);
    let now = machine(600_000);
    for _ in 0..3 {
        let _ = deck.travel(Travel::Earlier, now);
    }
    for time in [580_000, 590_000] {
        let _ = deck.travel(Travel::Later, now);
        assert_eq!(gauge(&mut deck, now).time, machine(time));
    }
    assert_eq!(deck.travel(Travel::Later, now).shown, Some(Shown::Now));
}

#[test]
fn a_live_feed_is_paused_at_what_was_shown_also_after_the_clock_was_set_back() {
    let mut deck = live(&["1.0.0"]);
    let now = machine(-60_000);
    let _ = deck.hear([core("2.0.0")], now);
    let shown = deck.travel(Travel::Toggle, now).shown.unwrap();
    assert_eq!(target(&shown).as_deref(), Some("2.0.0"));
    let _ = deck.travel(Travel::Toggle, now);
    work(&mut deck, now);
    assert_eq!(deck.show(now), Shown::Now, "and what is played from there ends in now");
}

#[test]
fn what_plays_is_held_while_nobody_could_look() {
    let mut deck = Deck::recording(vec![alive(0), alive(100)], 2.0, machine(0));
    work(&mut deck, machine(3_000));
    deck.hold(machine(3_000), machine(63_000));
    assert_eq!(gauge(&mut deck, machine(64_000)).time, at(8));
    let _ = deck.travel(Travel::Toggle, machine(64_000));
    deck.hold(machine(65_000), machine(66_000));
    assert_eq!(gauge(&mut deck, machine(67_000)).motion, Motion::Paused);
    let mut deck = live(&["1.0.0"]);
    deck.hold(machine(5_000), machine(6_000));
    assert_eq!(deck.show(machine(7_000)), Shown::Now, "what is live goes on");
}
