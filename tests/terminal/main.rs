//! The real program in a pseudo terminal: what reaches the eye, and what is left behind on every way out.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod pty;

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::sync::OnceLock;
use std::time::Instant;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::read::GzDecoder;
use pty::{Heard, Setup, Terminal};
use serde_json::Value;
use vt100::Screen;

/// A recorded upgrade whose full migrations fail three times and then pass.
const RECORDING: &str = "tests/recordings/retry.jsonl.gz";
/// The moment at which it is cut off to stay under way: after the third failure, before the next run.
const CUT: &str = "2026-11-29T15:34:10Z";
/// The command that is right at that moment.
const COMMAND: &str = "kubectl -n gitlab logs job/gitlab-migrations-6da3b811 -c migrations";

/// A recording of an upgrade that stays under way, retrying.
fn under_way() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let whole = BufReader::new(GzDecoder::new(File::open(RECORDING).unwrap()));
        let lines: Vec<String> = whole.lines().map(Result::unwrap).collect();
        let up_to_the_cut = lines.iter().take_while(|line| line["{\"time\":\"".len()..] < *CUT);
        let text: String = up_to_the_cut.map(|line| format!("{line}\n")).collect();
        let path = format!("{}/under-way-{}.jsonl", env!("CARGO_TARGET_TMPDIR"), std::process::id());
        std::fs::write(&path, text).unwrap();
        path
    })
}

/// The program on the upgrade that stays under way.
fn program() -> Setup {
    Setup::program(&["replay", under_way(), "--speed", "1000"])
}

/// A shell that runs the program, with `$0` and `$1` for that, in `script`.
fn shell(options: &[&str], script: &str) -> Setup {
    Setup::shell(options, script, under_way())
}

/// The dashboard of the upgrade under way.
fn dashboard() -> Terminal {
    started(program())
}

fn started(setup: Setup) -> Terminal {
    let mut terminal = setup.start();
    terminal.until_shows("replay ended");
    terminal.until_shows(COMMAND);
    terminal
}

#[test]
fn a_recorded_upgrade_is_watched_to_its_end() {
    let mut terminal = Setup::program(&["replay", RECORDING, "--speed", "100"]).start();
    terminal.until_shows("Full migrations");
    terminal.until("three gates that are done", |screen| screen.contents().matches("done").count() >= 3);
    terminal.type_keys("q");
    assert!(terminal.end().success());
    terminal.assert_restored();
}

#[test]
fn a_replay_keeps_to_the_namespace_that_was_asked_for() {
    let mut terminal = Setup::program(&["replay", under_way(), "--speed", "1000", "-n", "other"]).start();
    terminal.until_shows("holds no GitLabCore");
    terminal.type_keys("q");
    assert!(terminal.end().success());
}

#[test]
fn an_upgrade_under_way_shows_what_failed_what_is_left_and_what_to_type() {
    let terminal = dashboard();
    for told in ["retrying", "3 of 6 failed, 3 left", "migrations exited 1 (Error)", "PG::LockNotAvailable"] {
        assert!(terminal.text().contains(told), "not on the screen: {told}\n{}", terminal.text());
    }
}

#[test]
fn keys_move_open_and_go_back() {
    let mut terminal = dashboard();
    terminal.type_keys("k");
    terminal.until("the panel of another step", |screen| !screen.contents().contains(COMMAND));
    terminal.type_keys("j");
    terminal.until_shows(COMMAND);
    terminal.type_keys("\r");
    terminal.until("the gate alone", |screen| {
        screen.contents().contains(COMMAND) && !screen.contents().contains("Pre-deployment migrations")
    });
    terminal.type_keys("\x1b");
    terminal.until("the dashboard again", fills);
}

#[test]
fn a_replay_that_ended_is_gone_through_change_by_change_and_from_failure_to_failure() {
    let mut terminal = dashboard();
    terminal.type_keys("0");
    terminal.until("the beginning", |screen| !screen.contents().contains("replay ended"));
    for failed in 1..=3 {
        terminal.type_keys("!");
        terminal.until_shows(&format!("{failed} of 6 failed"));
    }
    terminal.type_keys(",");
    terminal.until_shows("2 of 6 failed");
    terminal.type_keys(".");
    terminal.until_shows("3 of 6 failed");
    terminal.type_keys("!");
    terminal.until_shows("no failure after this");
    terminal.type_keys("$");
    terminal.until_shows("replay ended");
    terminal.type_keys("q");
    assert!(terminal.end().success());
}

#[test]
fn a_replay_waits_and_goes_on_at_another_speed() {
    let mut terminal = Setup::program(&["replay", RECORDING, "--speed", "0.1"]).start();
    terminal.until_shows("replay 0.1x");
    terminal.type_keys(" ");
    terminal.until_shows("Space play");
    terminal.type_keys("-");
    terminal.until_shows("this is the slowest");
    // Ten times faster each three, up to the fastest.
    terminal.type_keys("+++=+++++++++");
    terminal.until_shows("replay 1000x");
    terminal.type_keys("P");
    terminal.until_shows("replay ended");
}

#[test]
fn a_recording_comes_through_a_pipe_and_keys_from_the_terminal() {
    let mut terminal = started(shell(&[], "cat \"$1\" | \"$0\" replay - --speed 1000; echo LEFT"));
    terminal.type_keys("0");
    terminal.until("the beginning", |screen| !screen.contents().contains("replay ended"));
    terminal.type_keys("q");
    terminal.until_shows("LEFT");
    terminal.assert_restored();
}

#[test]
fn nothing_plays_while_it_is_suspended() {
    let script = "\"$0\" replay \"$1\"; echo SUSPENDED; sleep 3; fg; echo LEFT";
    let mut terminal = shell(&["-m"], script).start();
    terminal.until_shows("Space pause");
    // Recorded seconds, of which one passes in one.
    let passed = |terminal: &Terminal| {
        let text = terminal.text();
        let (before, _) = text.split_once("s of ").unwrap_or_else(|| panic!("no position\n{text}"));
        before.rsplit(' ').next().and_then(|seconds| seconds.parse::<u64>().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    let (began, before) = (Instant::now(), passed(&terminal));
    terminal.type_keys("\x1a");
    terminal.until_shows("SUSPENDED");
    terminal.until("the dashboard again", |screen| screen.alternate_screen() && reaches(screen, "replay", "quit"));
    terminal.type_keys("P");
    terminal.until_shows("Space play");
    let (took, after) = (began.elapsed().as_secs(), passed(&terminal));
    assert!(took >= 3 && after - before <= took - 2, "{before} s to {after} s in {took} s");
    terminal.type_keys("q");
    terminal.until_shows("LEFT");
}

#[test]
fn several_recordings_are_played_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read_to_string(under_way()).unwrap();
    let paths = ["GitLabCore", "Job", "Pod", "Deployment", "Event"].map(|kind| {
        // As `kubectl get -w` writes them, one kind a file.
        let of_kind = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["object"]["kind"] == kind;
        let lines = whole.lines().filter(of_kind);
        let path = folder.path().join(kind);
        std::fs::write(&path, lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let words: Vec<&str> = ["replay", "--speed", "1000"].into_iter().chain(paths.iter().map(String::as_str)).collect();
    let terminal = started(Setup::program(&words));
    assert!(terminal.text().contains("GitLabCore and 4 more"), "{}", terminal.text());
    assert!(terminal.text().contains("3 of 6 failed, 3 left"), "{}", terminal.text());
}

#[test]
fn help_opens_and_closes() {
    let mut terminal = dashboard();
    terminal.type_keys("?");
    terminal.until_shows("Ctrl-C");
    terminal.type_keys("\x1b");
    terminal.until("the dashboard again", fills);
}

#[test]
fn what_a_run_left_is_read_searched_and_saved_under_a_name_that_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = started(program().folder(folder.path()));
    terminal.type_keys("l");
    terminal.until_shows("termination message; no log of it was recorded so far");
    terminal.type_keys("/lock\r");
    terminal.until_shows("/lock 1 of 1");
    for name in
        ["gitlab-migrations-6da3b811-attempt-3-migrations.log", "gitlab-migrations-6da3b811-attempt-3-migrations-2.log"]
    {
        terminal.type_keys("s");
        terminal.until_shows(&format!("saved to ./{name}"));
        let saved = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(saved.contains("PG::LockNotAvailable: ERROR:"), "{saved}");
    }
    terminal.type_keys("\x1b");
    terminal.until("the search dropped", |screen| !screen.contents().contains("/lock"));
    terminal.type_keys("\x1b");
    terminal.until("the dashboard again", fills);
}

#[test]
fn what_is_being_saved_when_the_program_is_left_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = started(program().folder(folder.path()));
    terminal.type_keys("l");
    terminal.until_shows("termination message; no log of it was recorded so far");
    terminal.type_keys("ssssssssq");
    assert!(terminal.end().success());
    let files: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 8);
    for file in files {
        assert!(std::fs::read_to_string(file).unwrap().contains("PG::LockNotAvailable: ERROR:"));
    }
}

#[test]
fn control_c_quits_and_restores_the_terminal() {
    let mut terminal = dashboard();
    assert!(!terminal.cooked());
    terminal.type_keys("\x03");
    terminal.end();
    terminal.assert_restored();
}

#[test]
fn a_signal_restores_the_terminal_and_is_told_by_the_exit_code() {
    for (signal, number) in [("TERM", 15), ("HUP", 1), ("INT", 2)] {
        let mut terminal = dashboard();
        terminal.signal(signal);
        assert_eq!(terminal.end().exit_code(), 128 + number);
        terminal.assert_restored();
    }
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let mut terminal = dashboard();
    terminal.resize(60, 15);
    terminal.until("the dashboard at 60×15", fills);
    terminal.resize(20, 5);
    terminal.until_shows("Too small: 20 by 5.");
    terminal.resize(100, 30);
    terminal.until("the dashboard at 100×30", fills);
}

#[test]
fn a_suspension_leaves_raw_mode() {
    let suspensions: [fn(&mut Terminal); 2] =
        [|terminal| terminal.type_keys("\x1a"), |terminal| terminal.signal("TSTP")];
    for suspend in suspensions {
        let script = "\"$0\" replay \"$1\" --speed 1000; echo SUSPENDED; read -r line; fg; echo LEFT";
        let mut terminal = started(shell(&["-m"], script));
        suspend(&mut terminal);
        terminal.until_shows("SUSPENDED");
        terminal.assert_restored();
        terminal.type_keys("\n");
        terminal.until("the dashboard again", |screen| screen.alternate_screen() && fills(screen));
        assert!(!terminal.cooked());
        terminal.type_keys("q");
        terminal.until_shows("LEFT");
        terminal.assert_restored();
    }
}

#[test]
fn crossterm_793_an_orphan_spins_when_its_terminal_closes() {
    let told = dashboard().close();
    // Whoever started it can have it ignore the signal: then the end of the terminal alone has to tell.
    let alone = started(shell(&[], "trap '' HUP; exec \"$0\" replay \"$1\" --speed 1000")).close();
    for status in [told, alone] {
        assert!([0, 129].contains(&status.exit_code()), "it ended by another way than those two: {status}");
    }
}

#[test]
fn over_ssh_the_command_goes_to_the_terminal() {
    let ssh = program().env("SSH_CONNECTION", "192.0.2.7 50000 192.0.2.1 22").env("DISPLAY", ":0");
    let mut terminal = started(ssh);
    terminal.type_keys("c");
    terminal.until_shows("sent to the terminal");
    assert_eq!(terminal.heard().copies, [STANDARD.encode(COMMAND).into_bytes()]);
    terminal.type_keys("q");
    terminal.end();
    assert!(!terminal.text().contains("kubectl"), "nothing was lost, so nothing is printed\n{}", terminal.text());
}

#[test]
fn without_any_clipboard_the_command_is_shown_alone() {
    let mut terminal = started(program().env("TERM", "linux"));
    terminal.type_keys("c");
    terminal.until("the command alone", |screen| {
        screen.contents().contains(COMMAND) && !screen.contents().contains("Full migrations")
    });
    assert!(terminal.heard().copies.is_empty());
}

#[test]
fn a_kiosk_ignores_every_key_but_control_c() {
    let mut terminal = Setup::program(&["replay", under_way(), "--speed", "1000", "--kiosk"]).start();
    terminal.until_shows("Full migrations");
    terminal.type_keys("q?cdj\r\x1b\x1a");
    // The keys were there before the first of the two sizes, so that they are read before the second.
    for size in [(120, 40), (100, 30)] {
        terminal.resize(size.0, size.1);
        terminal.until("the kiosk in another size", |screen| reaches(screen, "under-way", "seen"));
    }
    assert!(terminal.heard().copies.is_empty());
    terminal.type_keys("\x03");
    terminal.end();
    terminal.assert_restored();
}

#[test]
fn a_failed_attempt_rings_and_is_told_on_the_desktop_where_that_is_wanted() {
    let told = |setup: Setup, last: &str| {
        let mut terminal = started(setup);
        assert!(terminal.heard().tells_focus);
        let is = |heard: &Heard| last.is_empty() || heard.requests.iter().any(|request| request.contains(last));
        terminal.until_heard(last, is);
        terminal.type_keys("q");
        terminal.end();
        terminal.assert_restored();
        (terminal.heard().bells, terminal.heard().requests.clone())
    };
    assert_eq!(told(program(), ""), (0, vec![]), "a recording is no news");
    let wanted = ["replay", under_way(), "--speed", "200", "--notify", "failures"];
    // What fails within a second of the one before is told with it, so that the third need not be the one that is named.
    let (bells, requests) = told(Setup::program(&wanted), "9;gatewatch gitlab/gitlab: Full migrations: retrying, ");
    assert!(bells >= 1 && bells == requests.len(), "{bells} {requests:?}");
}

#[test]
fn nobody_is_told_who_looks_at_the_terminal() {
    // The first attempt fails after a minute of the recording, long after the terminal tells of its focus.
    let after = |focus: &str| {
        let mut terminal = Setup::program(&["replay", under_way(), "--speed", "20", "--notify", "failures"]).start();
        terminal.until("the terminal taken", Screen::alternate_screen);
        terminal.type_keys(focus);
        terminal.until_shows("replay ended");
        (terminal.heard().bells, terminal.heard().requests.len())
    };
    assert_eq!(after("\x1b[I"), (0, 0));
    assert!(after("\x1b[I\x1b[O").0 > 0, "and whoever looked and looks no more is told");
}

/// Whether the dashboard fills the screen.
fn fills(screen: &Screen) -> bool {
    // On a narrow screen, the name of the program gives way to the date of what was recorded on another day.
    reaches(screen, "replay ended", "quit") && screen.contents().contains("Full migrations")
}

/// Whether the screen has that text in its first row and the other in its last. A terminal that was resized keeps one of
/// them at most before the program draws anew.
fn reaches(screen: &Screen, head: &str, foot: &str) -> bool {
    let (_, columns) = screen.size();
    let lines: Vec<String> = screen.rows(0, columns.get()).collect();
    lines.first().is_some_and(|line| line.contains(head)) && lines.last().is_some_and(|line| line.contains(foot))
}
