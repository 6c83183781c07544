//! What is about the program itself, by the real program: completions, the manual, the version, and being a plugin of
//! kubectl.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/api.rs"]
mod api;
mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use api::{TOKEN, instance, kubeconfig, serve};
use common::{Ran, gatewatch, program, ran, without_settings};
use gatewatch::cluster::Kind;
use gatewatch::source::live::{self, ConnectOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The program as kubectl finds it, in a folder of its own.
fn as_plugin(folder: &Path) -> Command {
    let path = folder.join("kubectl-gatewatch");
    if !path.exists() {
        symlink(env!("CARGO_BIN_EXE_gatewatch"), &path).unwrap();
    }
    let mut command = Command::new(path);
    without_settings(&mut command);
    command
}

/// What bash is told for those words, the last of which is to be completed.
fn completed(words: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
    let mut command = program();
    command.args(["--", "gatewatch"]).args(words).env("GATEWATCH_COMPLETE", "bash").env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string()).envs(variables.iter().copied());
    let Ran { code, stdout, stderr } = ran(&mut command, b"");
    assert_eq!((code, stderr.as_str()), (0, ""), "{words:?}");
    stdout.lines().map(str::to_owned).collect()
}

#[test]
fn commands_and_options_are_completed() {
    assert_eq!(completed(&["st"], &[]), ["status"]);
    assert_eq!(completed(&["status", "--out"], &[]), ["--output"]);
    assert_eq!(completed(&["--notify", ""], &[]), ["never", "failures", "all"]);
    assert_eq!(completed(&["demo", "exh"], &[]), ["exhausted"]);
    let of_completions = completed(&["completions", ""], &[]);
    assert!(
        ["bash", "zsh", "fish", "powershell", "kubectl"]
            .iter()
            .all(|shell| of_completions.iter().any(|of| of == shell))
    );
}

#[test]
fn what_can_be_waited_for_is_completed() {
    let of_a_gate = ["pre-migrations", "rails-rollout", "post-migrations", "final-rollout", "batched-migrations"]
        .map(|step| format!("gate={step}:done"));
    assert_eq!(completed(&["wait", "--for", "gate"], &[]), of_a_gate);
    assert_eq!(completed(&["wait", "--for", "s"], &[]), ["settled"]);
}

#[test]
fn recordings_are_completed_as_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/");
    assert_eq!(completed(&["replay", &format!("{folder}exhau")], &[]), [format!("{folder}exhausted.jsonl.gz")]);
    assert_eq!(completed(&["status", "-f", &format!("{folder}exhau")], &[]), [format!("{folder}exhausted.jsonl.gz")]);
}

#[test]
fn contexts_are_completed_from_the_kubeconfig_and_namespaces_and_instances_from_the_cluster() {
    let folder = TempDir::new().unwrap();
    let api = serve(&[instance()]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    assert_eq!(completed(&["--kubeconfig", &kubeconfig, "--context", ""], &[]), ["prod"]);
    let variable = [("KUBECONFIG", kubeconfig.as_str())];
    assert_eq!(completed(&["status", "--context", "p"], &variable), ["prod"]);
    assert_eq!(completed(&["-n", ""], &variable), ["gitlab"]);
    assert_eq!(completed(&["wait", "--kubeconfig", &kubeconfig, "--namespace", "git"], &[]), ["gitlab"]);
    assert_eq!(completed(&["wait", ""], &variable)[0], "gitlab");
    assert_eq!(completed(&["status", "git"], &variable), ["gitlab"]);
    // Whoever set a kubeconfig is completed from that.
    let settings = folder.path().join("c.toml");
    fs::write(&settings, format!("kubeconfig = \"{kubeconfig}\"")).unwrap();
    let set = [("KUBECONFIG", "/nonexistent"), ("GATEWATCH_CONFIG", settings.to_str().unwrap())];
    assert_eq!(completed(&["-n", ""], &set), ["gitlab"]);
}

#[test]
fn instances_are_those_of_the_namespace_that_is_meant() {
    let folder = TempDir::new().unwrap();
    let mut other = instance();
    other["metadata"]["namespace"] = "other".into();
    other["metadata"]["name"] = "second".into();
    other["metadata"]["uid"] = "second".into();
    let api = serve(&[instance(), other]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    let of = |namespace: Option<&str>, all_namespaces| {
        let namespace = namespace.map(str::to_owned);
        let kubeconfig = Some(kubeconfig.clone().into());
        let options = ConnectOptions { kubeconfig, namespace, all_namespaces, ..ConnectOptions::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut names = runtime.block_on(live::names(Kind::GitLabCore, &options)).unwrap();
        names.sort();
        names
    };
    assert_eq!(of(None, false), ["gitlab"]);
    assert_eq!(of(Some("other"), false), ["second"]);
    assert_eq!(of(None, true), ["gitlab", "second"]);
}

#[test]
fn what_is_watched_is_completed_by_kinds_and_by_the_names_behind_them() {
    let folder = TempDir::new().unwrap();
    let object = |kind: &str, version: &str, name: &str| {
        json!({"kind": kind, "apiVersion": version,
            "metadata": {"name": name, "namespace": "gitlab", "uid": name, "resourceVersion": "7"}})
    };
    let objects = [
        object("Job", "batch/v1", "migrate"),
        object("Deployment", "apps/v1", "web"),
        object("StatefulSet", "apps/v1", "db"),
    ];
    let api = serve(&[&[instance()], &objects[..]].concat());
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    let told = |words: &[&str]| completed(words, &[("KUBECONFIG", &kubeconfig)]);
    let all = ["gitlab", "glc/", "gsp/", "job/", "deployment/", "statefulset/", "daemonset/"];
    let targets =
        |words: &[&str]| -> Vec<String> { told(words).into_iter().filter(|word| !word.starts_with('-')).collect() };
    for command in [&["watch", ""][..], &["status", ""], &["wait", ""], &["rbac", ""], &["report", "--of", ""]] {
        assert_eq!(targets(command), all, "{command:?}");
    }
    assert_eq!(targets(&["record", "x", "job/"]), ["job/migrate"]);
    assert_eq!(targets(&["watch", "glc", "sts/d"]), ["sts/db"]);
    assert_eq!(targets(&["status", "job/x"]), [] as [&str; 0]);
    assert_eq!(targets(&["job", ""]), ["migrate"]);
    assert_eq!(targets(&["rollout", ""]), ["web", "deployment/", "statefulset/", "daemonset/"]);
}

#[test]
fn a_cluster_that_does_not_answer_completes_nothing_and_says_nothing() {
    let folder = TempDir::new().unwrap();
    let api = serve(&[instance()]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    api.falls_silent();
    assert_eq!(completed(&["--kubeconfig", &kubeconfig, "-n", ""], &[]), [] as [String; 0]);
    for nothing in ["/nonexistent", "/dev/null"] {
        assert_eq!(completed(&["-n", ""], &[("KUBECONFIG", nothing)]), [] as [String; 0]);
        assert_eq!(completed(&["--context", ""], &[("KUBECONFIG", nothing)]), [] as [String; 0]);
    }
}

#[test]
fn bash_completes_by_the_script() {
    let script = gatewatch(&["completions", "bash"]).stdout;
    let folder = TempDir::new().unwrap();
    symlink(env!("CARGO_BIN_EXE_gatewatch"), folder.path().join("gatewatch")).unwrap();
    let asks = "COMP_WORDS=(gatewatch stat); COMP_CWORD=1; COMP_TYPE=9; \
        \"$(complete -p gatewatch | sed 's/.*-F \\([^ ]*\\).*/\\1/')\" gatewatch stat gatewatch; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    without_settings(&mut bash);
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let told = ran(bash.env("PATH", path).args(["--norc", "-c", &format!("{script}\n{asks}")]), b"");
    assert_eq!((told.stdout.as_str(), told.code), ("status\n", 0), "{}", told.stderr);
}

#[test]
fn every_shell_has_a_script_that_asks_the_program_on_the_path() {
    for (shell, sign) in [
        ("bash", "complete -o nospace"),
        ("zsh", "#compdef gatewatch"),
        ("fish", "complete --keep-order --exclusive --command gatewatch"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName gatewatch"),
        ("elvish", "set edit:completion:arg-completer[gatewatch]"),
        ("kubectl", "#!/bin/sh"),
    ] {
        let script = gatewatch(&["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(script.stdout.contains(sign) && script.stdout.contains("GATEWATCH_COMPLETE"), "{}", script.stdout);
        assert!(!script.stdout.contains(env!("CARGO_BIN_EXE_gatewatch")), "{shell}: {}", script.stdout);
    }
    assert_eq!(gatewatch(&["completions", "tcsh"]).code, 2);
}

#[test]
fn kubectl_completes_the_plugin_by_the_script() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("kubectl_complete-gatewatch");
    common::script::write(&script, &gatewatch(&["completions", "kubectl"]).stdout);
    drop(as_plugin(folder.path()));
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let ask = |words: &[&str]| {
        let mut command = Command::new(&script);
        without_settings(&mut command);
        let told = ran(command.env("PATH", &path).args(words), b"");
        assert_eq!((told.code, told.stderr.as_str()), (0, ""));
        told.stdout
    };
    // The last line is what cobra calls a directive: no files besides, and for a folder no space behind it.
    assert_eq!(ask(&["stat"]), "status\tPrint how things stand, and exit\n:4\n");
    assert_eq!(ask(&["status", "--output", "j"]), "json\n:4\n");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/");
    assert_eq!(ask(&["replay", &format!("{folder}recor")]).lines().last(), Some(":6"));
    assert!(ask(&[""]).contains("\nwait\t"));
}

#[test]
fn as_a_plugin_it_goes_by_the_name_that_is_typed() {
    let folder = TempDir::new().unwrap();
    let plugin = |words: &[&str]| ran(as_plugin(folder.path()).args(words), b"");
    let help = plugin(&["status", "--help"]).stdout;
    assert!(help.contains("Usage: kubectl gatewatch status [OPTIONS]"), "{help}");
    assert!(help.contains("\n  kubectl gatewatch status -n gitlab\n"), "{help}");
    assert!(help.contains(" | kubectl gatewatch status -f -"), "{help}");
    assert!(!help.contains("  gatewatch "), "{help}");
    let wrong = plugin(&["status", "--nonsense"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("Usage: kubectl gatewatch status"), "{}", wrong.stderr);
    let refused = plugin(&["status", "-f", "/nowhere"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.starts_with("kubectl gatewatch: "), "{}", refused.stderr);
    let hint = plugin(&[]).stderr;
    assert!(hint.contains("`kubectl gatewatch status`"), "{hint}");
    assert_eq!(plugin(&["--version"]).stdout, concat!("kubectl-gatewatch ", env!("CARGO_PKG_VERSION"), "\n"));
    assert!(plugin(&["man"]).stdout.contains(".TH kubectl-gatewatch 1"));
}

#[test]
fn the_version_is_told_for_people_and_for_machines() {
    let version = gatewatch(&["version", "-o", "json"]);
    let told: Value = serde_json::from_str(&version.stdout).unwrap();
    assert_eq!(told["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(told["platform"], format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH));
    let text = gatewatch(&["version"]).stdout;
    assert!(
        text.starts_with(concat!("gatewatch ", env!("CARGO_PKG_VERSION"), " ")) && text.lines().count() == 1,
        "{text}"
    );
    assert_eq!(gatewatch(&["--version"]).stdout, concat!("gatewatch ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn there_is_a_page_of_the_manual_for_every_command() {
    let folder = TempDir::new().unwrap();
    let pages = folder.path().join("man1");
    let written = gatewatch(&["man", "--dir", pages.to_str().unwrap()]);
    assert_eq!((written.code, written.stderr.as_str()), (0, ""));
    let help = gatewatch(&["--help"]).stdout;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // What goes on from the line before stands further in.
    let names = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = names.filter(|name| !["", "help"].contains(name)).collect();
    assert!(commands.len() > 6, "{commands:?}");
    for command in &commands {
        let page = fs::read_to_string(pages.join(format!("gatewatch-{command}.1"))).unwrap();
        assert!(page.contains(&format!(".TH gatewatch-{command} 1")) && page.contains(".SH OPTIONS"), "{page}");
        assert!(page.contains(".SH EXAMPLES"), "{command} has no examples");
    }
    assert_eq!(fs::read_dir(&pages).unwrap().count(), commands.len() + 1);
    let first = fs::read_to_string(pages.join("gatewatch.1")).unwrap();
    assert_eq!(gatewatch(&["man"]).stdout, first);
    let told = ["EXIT STATUS", "CONFIGURATION", "GATEWATCH_NAMESPACE", "retrying", "next\\-failure", "config.toml"];
    for told in told {
        assert!(first.contains(told), "{told} in {first}");
    }
}
