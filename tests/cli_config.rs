//! The settings, by the real program: where they are read, what outweighs what, and what is told of a file that is wrong.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/api.rs"]
mod api;
mod common;
#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/pty.rs"]
mod pty;

use std::fs;
use std::path::{Path, PathBuf};

use api::{TOKEN, instance, kubeconfig, serve};
use common::{Ran, program, ran, recording};
use pty::Setup;
use serde_json::json;
use tempfile::TempDir;

/// A home with that text as the file of settings.
fn home(text: &str) -> (TempDir, PathBuf) {
    let home = TempDir::new().unwrap();
    let file = home.path().join("gatewatch/config.toml");
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    (home, file)
}

/// Runs the program in that home, with these words and variables, in a folder that is not it.
fn in_home(home: &Path, words: &str, variables: &[(&str, &str)]) -> Ran {
    let elsewhere = TempDir::new().unwrap();
    // What somebody left where one happens to be is nobody's settings.
    fs::create_dir(elsewhere.path().join("gatewatch")).unwrap();
    for name in ["config.toml", "gatewatch.toml", ".gatewatch.toml", "gatewatch/config.toml"] {
        fs::write(elsewhere.path().join(name), "kiosk = \"a trap\"").unwrap();
    }
    let mut command = program();
    command.env("XDG_CONFIG_HOME", home).envs(variables.iter().copied()).current_dir(elsewhere.path());
    ran(command.args(words.split_whitespace()), b"")
}

/// The line of the settings that are shown that is about one of them.
fn line(shown: &str, name: &str) -> String {
    let of = |line: &&str| line.trim_start_matches("# ").starts_with(&format!("{name} ="));
    let line = shown.lines().find(of).unwrap_or_else(|| panic!("{name} in {shown}"));
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn each_setting_is_shown_with_where_it_came_from() {
    let (home, file) = home("namespace = \"of-file\"\ncontext = \"of-file\"\nnotify = \"all\"\n");
    let set = in_home(home.path(), "config --context of-flag", &[("GATEWATCH_NOTIFY", "never")]);
    assert_eq!((set.code, set.stderr.as_str()), (0, ""));
    assert_eq!(line(&set.stdout, "namespace"), format!("namespace = \"of-file\" # {}:1", file.display()));
    assert_eq!(line(&set.stdout, "context"), "context = \"of-flag\" # --context");
    assert_eq!(line(&set.stdout, "notify"), "notify = \"never\" # GATEWATCH_NOTIFY");
    assert_eq!(line(&set.stdout, "kiosk"), "# kiosk = false # default");
    assert_eq!(line(&set.stdout, "copy"), "# copy = [\"c\"] # default");
}

#[test]
fn what_is_shown_can_be_the_file() {
    let (home, _) =
        home("namespace = \"*\"\ntheme = \"light\"\n[colours]\nfailed = \"#ff00ff\"\n[keys]\nquit = \"F10\"\n");
    let shown = in_home(home.path(), "config --redact", &[]);
    let file = home.path().join("shown.toml");
    fs::write(&file, &shown.stdout).unwrap();
    let again = in_home(home.path(), &format!("config --config {}", file.display()), &[]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    let names = ["namespace", "theme", "redact", "failed", "quit", "kiosk", "context", "retrying", "copy"];
    for name in names {
        let value = |text: &str| line(text, name).split(" # ").next().unwrap().to_owned();
        assert_eq!(value(&again.stdout), value(&shown.stdout));
    }
    assert!(line(&again.stdout, "quit").ends_with(&format!("# {}:{}", file.display(), place(&shown.stdout, "quit"))));
}

/// The number of the line of what is shown that sets it.
fn place(shown: &str, name: &str) -> usize {
    shown.lines().position(|line| line.starts_with(&format!("{name} ="))).unwrap() + 1
}

#[test]
fn a_file_that_is_wrong_is_told_with_the_line_before_anything_is_done() {
    for (text, told) in [
        ("\nnamespce = \"a\"\n", "2: `namespce` is no setting; did you mean `namespace`?"),
        ("kiosk = 1\n", "1: `kiosk` takes true or false, not 1"),
        (
            "[keys]\n\ncopy = \"l\"\n",
            "3: in [keys] `l` would mean both `copy` (line 3) and `logs` (default) (Dashboard); give one \
            of them another key, or none with []",
        ),
    ] {
        let (home, file) = home(text);
        for words in ["config", "status", "wait", "record x.gz"] {
            let ran = in_home(home.path(), words, &[]);
            let told = format!("gatewatch: {}:{told}\n", file.display());
            assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (2, "", told.as_str()), "{words}");
        }
    }
}

#[test]
fn a_file_that_is_wrong_is_told_before_the_terminal_is_taken() {
    let (home, file) = home("themes = \"dark\"\n");
    let setup = Setup::program(&["replay", &recording("retry")]).env("XDG_CONFIG_HOME", home.path().to_str().unwrap());
    let mut terminal = setup.start();
    assert_eq!(terminal.end().exit_code(), 2);
    let told = format!("gatewatch: {}:1: `themes` is no setting; did you mean `theme`?", file.display());
    // A line of the terminal may end within it.
    assert_eq!(terminal.text().replace('\n', "").trim_end(), told);
    terminal.assert_restored();
}

#[test]
fn a_file_that_was_named_has_to_be_there_and_the_users_own_need_not() {
    let empty = TempDir::new().unwrap();
    let shown = in_home(empty.path(), "config", &[]);
    assert_eq!(shown.code, 0);
    assert!(shown.stdout.contains("gatewatch/config.toml, which is not there yet"), "{}", shown.stdout);
    for (words, variables) in
        [("config --config /nowhere/c", vec![]), ("config", vec![("GATEWATCH_CONFIG", "/nowhere/c")])]
    {
        let ran = in_home(empty.path(), words, &variables);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.starts_with("gatewatch: cannot read the configuration `/nowhere/c`: "), "{}", ran.stderr);
    }
}

#[test]
fn a_namespace_that_was_set_is_of_clusters_and_hides_nothing_of_a_file() {
    let (home, _) = home("namespace = \"another\"\ncontext = \"nowhere\"\n");
    let words = format!("status -o json -f {}", recording("retry"));
    let (set, unset) = (in_home(home.path(), &words, &[]), in_home(Path::new("/nonexistent"), &words, &[]));
    assert!(set.stdout.contains("\"namespace\""), "{}", set.stdout);
    assert_eq!((set.code, set.stdout), (unset.code, unset.stdout));
}

#[test]
fn a_file_that_is_wrong_stands_in_the_way_of_nothing_that_does_not_need_it() {
    let (home, _) = home("what = is this");
    let recording = recording("retry");
    for words in ["version", "man", "completions bash", "demo --list", &format!("status -f {recording}")] {
        let ran = in_home(home.path(), words, &[]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words}");
    }
}

#[test]
fn a_cluster_is_found_by_what_was_set_and_a_flag_leads_elsewhere() {
    let folder = TempDir::new().unwrap();
    let api = serve(&[instance()]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    let (home, _) = home(&format!("kubeconfig = \"{kubeconfig}\"\nnamespace = \"other\"\n"));
    let status =
        |words: &str, variables: &[_]| in_home(home.path(), &format!("status -o json {words}"), variables).stdout;
    assert!(!status("", &[]).contains("\"Upgrading\""), "the namespace of the file holds no instance");
    assert!(status("-n gitlab", &[]).contains("\"Upgrading\""));
    assert!(status("-A", &[]).contains("\"Upgrading\""));
    assert!(status("", &[("GATEWATCH_NAMESPACE", "gitlab")]).contains("\"Upgrading\""));
}

#[test]
fn a_key_that_was_chosen_works_and_help_and_the_bar_name_it() {
    let folder = TempDir::new().unwrap();
    let kubeconfig = kubeconfig(folder.path(), &serve(&[instance()]).url, &json!({"token": TOKEN}));
    let (home, _) = home("[keys]\nhelp = \"F1\"\njournal = [\"H\"]\nquit = \"x\"\n[colours]\npending = \"#0a0b0c\"\n");
    let setup = Setup::program(&["--kubeconfig", &kubeconfig]).env("XDG_CONFIG_HOME", home.path().to_str().unwrap());
    let mut terminal = setup.env("COLORTERM", "truecolor").start();
    terminal.until_shows("18.11.0");
    terminal.until("the bar", |screen| {
        let text = screen.contents();
        text.contains("H journal") && text.contains("F1 help") && text.contains("x quit") && !text.contains("J journal")
    });
    let chosen = |screen: &vt100::Screen| {
        let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
        let mut cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        cells.any(|(row, column)| screen.cell(row, column).unwrap().fgcolor() == vt100::Color::Rgb(10, 11, 12))
    };
    terminal.until("a gate that is pending, in the colour that was chosen", chosen);
    // The old keys do nothing, and the new ones open and close.
    terminal.type_keys("?Jq");
    terminal.type_keys("\x1bOP");
    terminal.until("help", |screen| {
        let text = screen.contents();
        text.contains("Everywhere") && text.lines().any(|line| line.trim_start().starts_with("F1 "))
    });
    terminal.type_keys("\x1bOP");
    terminal.until_shows("H journal");
    terminal.type_keys("H");
    terminal.until("the journal", |screen| screen.contents().contains("Journal"));
    terminal.type_keys("Hx");
    assert!(terminal.end().success());
    terminal.assert_restored();
}
