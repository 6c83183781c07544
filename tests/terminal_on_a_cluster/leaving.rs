//! Every way out, on a cluster: the terminal is as it was, and no process is left. That none is left is held to wherever a
// program ends in these tests.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use gatewatch::clipboard::{Clipboard, Environment, plan};
use gatewatch::clock::{Clock, SystemClock};
use gatewatch::state::{Keeper, Place as Kept};
use gatewatch::tape::Deck;
use gatewatch::tui::{Input, Ports, Settings};
use jiff::Timestamp;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc::{channel, unbounded_channel};
use vt100::Screen;

use crate::api::{instance, kubeconfig, serve};
use crate::desk::{Desk, PLACES};
use crate::pty::Setup;

#[test]
fn a_signal_ends_it_on_every_screen() {
    let desk = Desk::new();
    thread::scope(|scope| {
        for (place, (signal, number)) in PLACES.iter().zip([("TERM", 15), ("HUP", 1), ("INT", 2)].into_iter().cycle()) {
            let desk = &desk;
            scope.spawn(move || {
                let mut terminal = desk.start();
                terminal.type_keys(place.way);
                terminal.until_shows(place.sign);
                terminal.signal(signal);
                assert_eq!(terminal.end().exit_code(), 128 + number, "{}", place.name);
                terminal.assert_restored();
            });
        }
    });
}

#[test]
fn a_terminal_that_closes_ends_it_on_every_screen() {
    let desk = Desk::new();
    desk.at_every_place(|place| {
        let mut terminal = desk.start();
        terminal.type_keys(place.way);
        terminal.until_shows(place.sign);
        let status = terminal.close();
        assert!([0, 129].contains(&status.exit_code()), "{}: {status}", place.name);
    });
}

#[test]
fn what_happened_during_a_suspension_is_there_after_it() {
    let desk = Desk::new();
    let script = "\"$0\" --kubeconfig \"$1\"; echo SUSPENDED; read -r line; fg; echo LEFT";
    let mut terminal = desk.start_in(Setup::shell(&["-m"], script, &desk.kubeconfig));
    terminal.type_keys("\r");
    terminal.until_shows("3 of 6 failed, 3 left");
    terminal.type_keys("\x1a");
    terminal.until_shows("SUSPENDED");
    terminal.assert_restored();
    desk.goes_on();
    // The terminal of before is not the one that it comes back to.
    terminal.resize(120, 40);
    terminal.type_keys("\n");
    terminal.until("the upgrade at its end", |screen| {
        let text = screen.contents();
        screen.alternate_screen()
            && text.contains("SETTLED")
            && text.contains("3 of 6 failed")
            && text.contains("● live")
    });
    assert!(!terminal.cooked());
    terminal.type_keys("q");
    terminal.until_shows("LEFT");
    terminal.assert_restored();
    assert!(terminal.end().success());
}

#[test]
fn a_credential_plugin_that_hangs_keeps_nobody_from_leaving() {
    let folder = TempDir::new().unwrap();
    let [plugin, hangs] = ["plugin.sh", "hangs"].map(|name| folder.path().join(name));
    // Its token is no longer valid when it is used, so every request runs it again.
    let credential = r#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"}}"#;
    let hang = hangs.display();
    let script = format!("if [ -f '{hang}' ]; then echo ran >>'{hang}'; exec sleep 600; fi; echo '{credential}'\n");
    fs::write(&plugin, script).unwrap();
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": [plugin],
        "interactiveMode": "IfAvailable"});
    let api = serve(&[instance()]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"exec": exec}));
    let mut terminal = Setup::program(&["--kubeconfig", &kubeconfig]).start();
    terminal.until_shows("18.11.0");
    fs::write(&hangs, "").unwrap();
    // Another namespace is asked for, and the plugin for a token.
    terminal.type_keys("nother\r");
    while fs::read_to_string(&hangs).unwrap().is_empty() {
        thread::yield_now();
    }
    terminal.type_keys("?");
    terminal.until_shows("Ctrl-C");
    terminal.type_keys("q");
    assert!(terminal.end().success());
    terminal.assert_restored();
}

/// Where the clock of the program below finds that it is to break.
const BREAKS: &str = "GATEWATCH_TEST_CLOCK_BREAKS";

/// A clock that breaks once there is that file.
struct Breaks(PathBuf);

impl Clock for Breaks {
    fn now(&self) -> Timestamp {
        assert!(!self.0.exists(), "the clock broke");
        SystemClock.now()
    }
}

/// No input makes the real program panic, as far as is known. So the real loop, on the real screen, is given a clock that
/// does: this is that program, for a terminal to run.
#[tokio::test]
#[ignore = "it is the program of the next test"]
async fn program_whose_clock_breaks() {
    let settings = Settings::plain("nowhere", None);
    let (_source, events) = channel(1);
    let ((report, mut outcomes), (tell, mut reports)) = (unbounded_channel(), unbounded_channel());
    let (_recorder, mut unrecorded) = unbounded_channel();
    let clipboard = Clipboard::new(plan(&Environment::read(|_| None)), move |outcome| drop(report.send(outcome)));
    let keeper = Keeper::new(Kept::Nowhere, move |report| drop(tell.send(report)));
    let ports = Ports {
        deck: Deck::live(),
        events,
        input: &mut Input::default(),
        clipboard: &clipboard,
        outcomes: &mut outcomes,
        keeper: Some(&keeper),
        reports: &mut reports,
        unrecorded: &mut unrecorded,
    };
    gatewatch::tui::run(settings, ports, Breaks(std::env::var_os(BREAKS).unwrap().into())).await.unwrap();
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_says_what_it_has_to_say() {
    let words = ["--exact", "leaving::program_whose_clock_breaks", "--ignored", "--nocapture"];
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("breaks");
    let mut terminal = Setup::of_test(&words).env(BREAKS, file.to_str().unwrap()).start();
    terminal.until("the screen taken", |screen: &Screen| {
        screen.alternate_screen() && screen.contents().contains("nowhere") && screen.contents().contains("quit")
    });
    assert!(!terminal.cooked());
    fs::write(file, "").unwrap();
    assert_eq!(terminal.end().exit_code(), 101);
    terminal.assert_restored();
    let text = terminal.text();
    let told = text.lines().position(|line| line.starts_with("the clock broke"));
    assert!(
        told.is_some_and(|line| text.lines().nth(line - 1).is_some_and(|line| line.contains("panicked at"))),
        "{text}"
    );
}

/// A program whose panic is of a thread that nobody waits for.
#[test]
#[ignore = "it is the program of the next test"]
fn program_whose_thread_panics() {
    gatewatch::app::end_at_panic();
    thread::spawn(|| panic!("the thread broke")).join().ok();
}

#[test]
fn a_panic_of_any_thread_ends_the_program_after_it_is_told() {
    let words = ["--exact", "leaving::program_whose_thread_panics", "--ignored", "--nocapture"];
    let ended = Command::new(std::env::current_exe().unwrap()).args(words).output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(101), "{told}");
    assert!(told.contains("the thread broke"), "{told}");
}
