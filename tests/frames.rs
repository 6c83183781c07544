//! What the dashboard shows of upgrades that a real cluster went through: a recording, up to a moment, as a frame.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod common;

use jiff::Timestamp;

use crate::common::{frame, played};

const MIDDLE: (u16, u16) = (100, 30);

/// Compares the frame of a recording at a time of its day with a snapshot.
fn compare(recording: &str, time: &str, size: (u16, u16)) {
    let path = format!("tests/recordings/{recording}.jsonl.gz");
    let now: Timestamp = format!("2026-11-29T{time}Z").parse().unwrap();
    let name = format!("recording-{recording}-{}-{}x{}", time.replace(':', ""), size.0, size.1);
    frame::compare(&name, &frame::frame(&played::world(&path, now), &path, now, size));
}

#[test]
fn a_retry_shows_the_run_that_failed_and_gains_previous_with_the_next_one() {
    compare("retry", "15:33:42", MIDDLE);
    compare("retry", "15:33:50", MIDDLE);
    compare("retry", "15:34:18", (60, 15));
    compare("retry", "15:35:40", MIDDLE);
}

#[test]
fn a_gate_that_runs_out_of_attempts_fails_and_keeps_what_failed_last() {
    compare("exhausted", "15:35:30", MIDDLE);
    compare("exhausted", "15:35:40", MIDDLE);
    compare("exhausted", "15:35:40", (200, 60));
}

#[test]
fn a_gate_fails_while_its_pod_still_runs() {
    compare("failing-slow", "15:34:30", MIDDLE);
}

#[test]
fn an_image_that_is_missing_blocks_and_says_that_it_does_not_clear() {
    compare("image-missing", "15:36:10", MIDDLE);
    compare("image-missing", "15:36:10", (60, 15));
}

#[test]
fn pods_that_fail_as_a_whole_are_told_from_restarts() {
    compare("evicted-storage", "15:34:10", MIDDLE);
    compare("preempted", "15:27:55", MIDDLE);
    compare("drain", "15:33:45", (60, 15));
}

#[test]
fn what_cannot_start_is_blocked_with_its_cause() {
    compare("secret-missing", "15:38:00", MIDDLE);
    compare("volume-missing", "15:38:30", MIDDLE);
    compare("unschedulable", "15:39:00", MIDDLE);
}

#[test]
fn a_deadline_that_ends_the_wait_says_what_goes_on() {
    compare("deadline", "15:40:50", MIDDLE);
    compare("deadline", "15:41:15", MIDDLE);
}

#[test]
fn a_suspended_gate_waits() {
    compare("suspended", "15:40:20", MIDDLE);
}

#[test]
fn a_change_of_the_spec_leaves_jobs_behind() {
    compare("respec", "15:40:30", MIDDLE);
    compare("respec", "15:40:30", (200, 60));
}

#[test]
fn the_second_hop_of_two_is_shown() {
    compare("smooth", "15:35:10", MIDDLE);
}

#[test]
fn an_init_container_that_fails_is_named() {
    compare("init-fails", "15:39:04", MIDDLE);
}
