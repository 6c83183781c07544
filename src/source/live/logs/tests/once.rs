//! One look: what failed last and what runs, each read once, and told as its own.

use super::*;
use crate::source::live::logs::wanted::ReadOnce;

fn look(main: Value) -> Bare {
    let mut bare = Bare::of(LogScope::Once);
    bare.see(main);
    bare
}

#[test]
fn what_failed_last_and_what_runs_is_read_and_waited_for() {
    for (main, asked) in [
        (runs(30, Some(ended(1, 10, 12))), vec!["ask 0 for previous", "ask 1 for current"]),
        (over(1, 30, 31, Some(ended(1, 10, 12))), vec!["ask 0 for current"]),
        (over(0, 30, 31, Some(ended(1, 10, 12))), vec!["ask 0 for previous"]),
        (runs(30, Some(ended(0, 10, 12))), vec!["ask 0 for current"]),
        (over(0, 30, 31, None), vec![]),
    ] {
        let mut once = ReadOnce::default();
        once.note(&Change::Applied(Box::new(object(main.clone()))));
        let mut bare = look(main);
        assert_eq!(bare.words(), asked);
        assert_eq!(once.answered(), asked.is_empty());
        (0..asked.len() as u64).for_each(|ticket| bare.end(ticket, Ended::Gone));
        bare.changes.iter().for_each(|change| once.note(change));
        assert!(once.answered());
    }
}

#[test]
fn a_run_has_the_lines_that_it_can_have_printed() {
    let mut bare = look(over(1, 10, 12, None));
    bare.lines(0, &[(10.2, "a"), (12.4, "b")]);
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words()[1..], ["10 opened Afterwards", "10: a, b", "10 closed Complete"]);
}

/// What is told of a run from 10 to 12 whose current log begins with those lines, and whose previous log with those.
fn answered(current: &[(f64, &str)], previous: Option<&[(f64, &str)]>) -> Vec<String> {
    let mut bare = look(over(1, 10, 12, None));
    bare.lines(0, current);
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words()[1..], ["ask 0 for previous"]);
    match previous {
        Some(lines) => {
            bare.lines(0, lines);
            bare.end(0, Ended::Cleanly);
        }
        None => bare.end(0, Ended::Gone),
    }
    bare.words()
}

#[test]
fn a_run_whose_next_one_has_begun_by_now_has_its_own_lines() {
    let own = ["10 opened Previous", "10: own", "10 closed Complete"];
    assert_eq!(answered(&[(22.5, "of the next")], Some(&[(10.1, "own")])), own);
    assert_eq!(answered(&[], Some(&[(10.1, "own")])), own, "the next one has printed nothing yet");
}

#[test]
fn a_run_that_printed_nothing_has_no_lines_of_the_runs_beside_it() {
    let empty = ["10 opened Afterwards", "10 closed Complete"];
    assert_eq!(answered(&[], Some(&[(8.0, "of the one before")])), empty);
    assert_eq!(answered(&[], Some(&[(14.0, "of the next")])), empty);
    assert_eq!(answered(&[], None), empty);
    assert_eq!(answered(&[], Some(&[])), empty);
    let gone = ["10 opened Previous", "10 closed Gone"];
    assert_eq!(answered(&[(22.5, "of the next")], None), gone);
    assert_eq!(answered(&[(22.5, "of the next")], Some(&[(14.0, "of one between")])), gone);
}

#[test]
fn lines_that_were_noted_as_the_next_second_began_are_the_runs_if_nothing_better_is_there() {
    let noted_late = ["10 opened Afterwards", "10: late", "10 closed Complete"];
    assert_eq!(answered(&[(13.01, "late")], None), noted_late);
}

#[test]
fn a_previous_log_that_begins_after_its_run_is_of_a_later_one() {
    let mut bare = look(over(0, 30, 31, Some(ended(1, 10, 12))));
    bare.lines(0, &[(20.0, "of one between")]);
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words()[1..], ["10 opened Previous", "10 closed Gone"]);
}

#[test]
fn what_runs_may_have_printed_nothing_yet() {
    let mut bare = look(runs(10, None));
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words()[1..], ["10 opened Followed", "10 closed Complete"]);
}

#[test]
fn nothing_is_tried_twice() {
    for main in [over(0, 30, 31, Some(ended(1, 10, 12))), over(1, 30, 31, None), runs(30, None)] {
        for why in [Fault::Broken("reset".into()), Fault::Unauthorized, Fault::Forbidden("no".into())] {
            let mut bare = look(main.clone());
            bare.end(0, Ended::Fault(why));
            assert_eq!(bare.words()[2..].len(), 1);
            assert!(matches!(bare.changes.last(), Some(Change::Log(LogChange { news: LogNews::Closed(_), .. }))));
        }
    }
}
