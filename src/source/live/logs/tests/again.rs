//! Logs that are asked for once more: by whom, how often, and whose lines come then.

use super::*;

#[test]
fn a_kubelet_that_is_started_anew_and_does_not_know_its_pod_yet_is_asked_again() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    bare.lines(0, &[(10.1, "a")]);
    bare.end(0, Ended::Cleanly);
    bare.words();
    for why in [Ended::Missing, Ended::Gone, Ended::Missing] {
        bare.end(0, why);
        assert_eq!(bare.words()[0].split(" later").next(), Some("ask 0 for current followed after 10.1"));
    }
    bare.lines(0, &[(15.0, "b")]);
    assert_eq!(bare.words(), ["10: b"]);
}

#[test]
fn a_pod_that_nobody_knows_is_asked_for_until_it_is_gone() {
    let mut bare = Bare::default();
    bare.see(over(1, 10, 12, Some(ended(1, 1, 2))));
    bare.words();
    bare.end(0, Ended::Missing);
    bare.end(1, Ended::Missing);
    assert_eq!(bare.words().len(), 2, "both are asked for again");
    bare.delete(over(1, 10, 12, Some(ended(1, 1, 2))));
    bare.end(0, Ended::Missing);
    bare.end(1, Ended::Missing);
    let gone = |run: &str| [format!("{run} opened Previous"), format!("{run} closed Gone")];
    assert_eq!(bare.words()[..2], gone("1"));
    assert!(bare.plan.is_empty());
}

/// A run that was read up to 12.5 while the server was away, and then with the log of its successor, which began at 14; the
/// status then tells of runs later on.
fn taken_up_too_late(successors: &[(f64, &str)]) -> Bare {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    bare.lines(0, &[(10.1, "a"), (12.5, "b")]);
    bare.end(0, Ended::Fault(Fault::Broken("refused".into())));
    bare.lines(0, successors);
    bare.words();
    bare.see(runs(30, Some(ended(1, 14, 16))));
    bare
}

#[test]
fn what_a_log_that_was_taken_up_again_gave_of_a_later_run_is_taken_back() {
    let mut bare = taken_up_too_late(&[(14.2, "of the next"), (15.5, "of the next")]);
    let broken = "10 closed Broken(\"the next run began before it was read to its end\")";
    assert_eq!(bare.words()[1..3], ["10 taken back from 14.2", broken]);
    // In the second in which the next one began, only that one's own log can tell.
    let mut bare = taken_up_too_late(&[(14.2, "whose")]);
    assert_eq!(bare.words()[1..2], [broken]);
    bare.lines(1, &[(14.2, "whose")]);
    bare.end(1, Ended::Cleanly);
    assert_eq!(bare.words()[3..], ["10 taken back from 14.2", broken]);
}

#[test]
fn a_previous_log_that_begins_as_the_successors_is_the_successors() {
    let mut bare = Bare::default();
    bare.see(with(runs(11, Some(ended(1, 10, 10))), json!({"state": {"running": {"startedAt": at(10)}}})));
    bare.lines(1, &[(10.3, "second")]);
    bare.lines(0, &[(10.3, "second")]);
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words()[4..], ["10 opened Previous", "10 closed Gone"]);
}

#[test]
fn a_line_that_was_printed_as_the_successor_was_noted_as_started_is_not_certain() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    // Its successor's, noted as started at 12.0 a moment later.
    bare.lines(0, &[(11.98, "second")]);
    bare.words();
    bare.see(with(runs(12, Some(ended(1, 10, 11))), json!({})));
    assert_eq!(bare.words()[..2], ["stop 0", "ask 1 for previous"]);
}

#[test]
fn a_line_older_than_the_second_in_which_its_run_ended_is_certain_however_soon_the_next_one_began() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    bare.lines(0, &[(11.9, "a")]);
    bare.words();
    bare.see(runs(12, Some(ended(1, 10, 12))));
    assert_eq!(bare.words(), ["ask 1 for current followed"]);
}

#[test]
fn what_ended_and_can_not_be_read_is_asked_for_only_so_often() {
    for (main, end) in [
        (over(1, 10, 12, None), "10 closed Broken(\"reset\")"),
        (over(0, 30, 31, Some(ended(1, 10, 12))), "10 closed Broken(\"reset\")"),
    ] {
        let mut bare = Bare::default();
        bare.see(main);
        let mut asked = 0;
        while !bare.words().contains(&end.to_owned()) {
            bare.end(0, Ended::Fault(Fault::Broken("reset".into())));
            asked += 1;
            assert!(asked <= 41, "on and on");
        }
        assert_eq!(asked, 41);
    }
}

#[test]
fn a_run_that_a_status_tells_of_twice_is_asked_for_once() {
    let mut bare = Bare::default();
    bare.see(over(1, 10, 12, Some(ended(1, 10, 12))));
    assert_eq!(bare.words(), ["ask 0 for current followed"]);
}
