//! A clock that is off: what the cluster counts is right all the same, and nothing is told that cannot be.

use jiff::SignedDuration;

use crate::field::{Field, SECOND, Watcher};

/// No age is negative, and no more is left of the deadline than all of it.
fn is_sane(watcher: &Watcher) {
    let screen = watcher.screen();
    let negative =
        |word: &str| word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    assert!(!screen.split_whitespace().any(negative), "{screen}");
    if let Some(deadline) = screen.lines().find(|line| line.contains("│ Deadline")) {
        let left = deadline.split_whitespace().nth(2).unwrap();
        assert!(left == "1h00m" || !left.contains('h'), "{left} of an hour: {screen}");
    }
}

/// What is said of a clock.
const OFF: &str = "This machine's clock is ";

async fn with_a_clock_that_is_off_by(minutes: i64, told: &str) {
    let mut field = Field::with_clock("15:33:50", SignedDuration::from_mins(minutes));
    field.pass(SECOND).await;
    field.watcher.shows("● live");
    field.watcher.shows(&format!("\n  {OFF}{told} the cluster's: ages and times to come are off by as much\n"));
    field.undisturbed.hides(OFF);
    field.watcher.shows("2 of 6 failed, 4 left");
    is_sane(&field.watcher);
    field.watcher.keys_answer();
    for (time, shown) in [
        ("15:34:10", "3 of 6 failed, 3 left"),
        ("15:34:45", "✔ 2 Full migrations            done           1m04s   3 of 6 failed"),
        ("15:35:10", "3 Background migrations      running"),
        ("15:36:00", "✔ 3 Background migrations      done             33s"),
    ] {
        field.pass_until(time).await;
        field.watcher.shows(shown);
        is_sane(&field.watcher);
    }
    field.watcher.shows("took 2m");
    assert_eq!(field.watcher.journal(), field.undisturbed.journal());
    field.is_calm();
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_ten_minutes_behind_the_clusters_makes_no_age_negative_and_counts_right() {
    with_a_clock_that_is_off_by(-10, "10m behind").await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_ten_minutes_ahead_of_the_clusters_counts_right() {
    with_a_clock_that_is_off_by(10, "10m ahead of").await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_hardly_off_is_not_spoken_of() {
    let mut field = Field::with_clock("15:33:50", SignedDuration::from_secs(-20));
    field.pass(SECOND).await;
    field.watcher.shows("● live");
    field.watcher.hides(OFF);
}
