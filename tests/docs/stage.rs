//! What a page finds when its commands are typed: a home of its own with the files that it speaks of, the program, `kubectl`,
//! and a cluster, which is an upgrade that `gatewatch demo` plays.

use std::fs;
use std::io::{BufRead as _, BufReader, pipe};
use std::os::unix::fs::symlink;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::applied;
use crate::pty::Setup;

/// How long a command may take: far more than it ever does.
const BOUND: Duration = Duration::from_secs(120);

/// The upgrade that a cluster plays where a page names none: it is over as soon as one looks.
const PLAYED: &str = "rails --speed 1e9";

/// Programs that a command may need and a machine may lack. What needs another has to be found.
const FOREIGN: [&str; 3] = ["kubectl", "jq", "man"];

/// A home.
pub struct Home {
    folder: TempDir,
}

impl Home {
    pub fn new() -> Self {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let home = Self { folder };
        for made in ["bin", "work", ".kube"] {
            fs::create_dir(home.folder.path().join(made)).unwrap();
        }
        let bin = home.folder.path().join("bin");
        for name in ["gatewatch", "kubectl-gatewatch"] {
            symlink(env!("CARGO_BIN_EXE_gatewatch"), bin.join(name)).unwrap();
        }
        if let Some(kubectl) = kubectl() {
            // What would change a cluster is looked at, and changes none.
            let test = std::env::current_exe().unwrap();
            let script = format!(
                "#!/bin/sh\nfor word; do [ \"$word\" = apply ] && exec '{}' {} \"$@\"; done\nexec {kubectl} \"$@\"\n",
                test.display(),
                applied::CALL,
            );
            crate::script::write(&bin.join("kubectl"), &script);
        }
        crate::files::make(&home.work());
        home
    }

    /// Where commands are typed.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A program that the command needs and that is not there.
    pub fn lacks(&self, command: &str) -> Option<&'static str> {
        let named = |program: &&str| programs(command).any(|word| word == *program);
        let there = |program: &str| {
            let path = self.path();
            std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
        };
        FOREIGN.into_iter().find(|program| named(program) && !there(program))
    }

    /// Writes a file that the page shows.
    pub fn write(&self, name: &str, text: &str) {
        let path = match name.strip_prefix("~/") {
            Some(name) => self.folder.path().join(name),
            None => self.work().join(name),
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A cluster that plays an upgrade, found as `kubectl` finds one, until what is returned is dropped.
    pub fn cluster(&self, played: Option<&str>) -> Running {
        let command = format!("gatewatch demo {} --serve", played.unwrap_or(PLAYED));
        let mut running = self.start(&command);
        let kubeconfig = running.lines_until("    token: ");
        // The same cluster by another name, for commands that name a context.
        let context = kubeconfig.lines().skip_while(|line| *line != "contexts:").skip(1).take(5);
        let another: Vec<String> = context.map(|line| line.replace("name: demo", "name: prod-eu")).collect();
        let kubeconfig = kubeconfig.replace("contexts:\n", &format!("contexts:\n{}\n", another.join("\n")));
        for name in ["~/.kube/config", "~/.kube/prod"] {
            self.write(name, &kubeconfig);
        }
        running
    }

    /// Runs a command to its end: its exit code, and all that it prints, as it would in the home of `jane`.
    pub fn run(&self, command: &str) -> Result<(i32, String), String> {
        let (code, printed) = self.start(command).end(None)?;
        Ok((code, printed.replace(&self.folder.path().display().to_string(), "/home/jane")))
    }

    /// Starts a command.
    pub fn start(&self, command: &str) -> Running {
        let (reader, writer) = pipe().unwrap();
        // What fails in the middle of a pipe fails too.
        let child = Command::new("bash")
            .args(["-o", "pipefail", "-c", command])
            .current_dir(self.work())
            .env_clear()
            .envs(self.variables())
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .process_group(0)
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
                line.clear();
            }
        });
        Running { child, lines, printed: String::new() }
    }

    /// A command in a terminal.
    pub fn on_a_terminal(&self, command: &str) -> Setup {
        let setup = Setup::shell(&[], command, "").folder(&self.work());
        self.variables().into_iter().fold(setup, |setup, (name, value)| setup.env(name, &value))
    }

    fn path(&self) -> String {
        format!("{}/bin:{}", self.folder.path().display(), std::env::var("PATH").unwrap_or_default())
    }

    fn variables(&self) -> [(&'static str, String); 6] {
        let home = self.folder.path().display();
        let state = format!("{home}/.local/state");
        let (path, home) = (self.path(), home.to_string());
        [
            ("PATH", path),
            ("HOME", home),
            ("XDG_STATE_HOME", state),
            ("TERM", "xterm-256color".into()),
            ("LANG", "C.UTF-8".into()),
            ("TZ", "UTC".into()),
        ]
    }
}

/// The programs that a command calls, those behind a pipe and the like too.
fn programs(command: &str) -> impl Iterator<Item = &str> {
    command.split(['|', ';', '&']).filter_map(|part| part.split_whitespace().next())
}

/// How `kubectl` is called: what is on the machine, or what was compiled for the tests on a cluster.
fn kubectl() -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("kubectl")).find(|file| file.is_file());
    let compiled = || {
        let cache = Path::new(&std::env::var_os("HOME")?).join(".cache/gatewatch");
        let files = fs::read_dir(cache).ok()?.flatten().map(|file| file.path());
        let named =
            |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("controlplane-"));
        let newest = files.filter(named).max_by_key(|file| file.metadata().and_then(|about| about.modified()).ok())?;
        Some(format!("'{}' kubectl", newest.display()))
    };
    found.map(|file| format!("'{}'", file.display())).or_else(compiled)
}

/// A command that runs, alone in its group of processes. It ends when this is dropped.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
    printed: String,
}

impl Running {
    /// Reads until it has printed a line with that text: all that it printed up to there.
    pub fn lines_until(&mut self, text: &str) -> String {
        while !self.printed.contains(text) {
            match self.lines.recv_timeout(BOUND) {
                Ok(line) => self.printed += &line,
                Err(error) => panic!("it never printed `{text}`: {error}\n{}", self.printed),
            }
        }
        self.printed.clone()
    }

    /// Waits until it is under way: it has printed a line, or written to the file that its output goes to.
    pub fn is_under_way(&mut self, output: Option<&Path>) -> Result<(), String> {
        for _ in 0..BOUND.as_millis() / 20 {
            if let Ok(line) = self.lines.recv_timeout(Duration::from_millis(20)) {
                self.printed += &line;
                return Ok(());
            }
            if output.is_some_and(|file| file.metadata().is_ok_and(|about| about.len() > 0)) {
                return Ok(());
            }
        }
        Err("it says nothing".into())
    }

    /// Waits for its end, after a signal where one is given: its exit code, and all that it printed.
    pub fn end(mut self, signal: Option<&str>) -> Result<(i32, String), String> {
        if let Some(signal) = signal {
            self.signal(signal);
        }
        loop {
            match self.lines.recv_timeout(BOUND) {
                Ok(line) => self.printed += &line,
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    return Err(format!("it does not end\n{}", self.printed));
                }
            }
        }
        let ended = self.child.wait().map_err(|error| error.to_string())?;
        // What a signal ends has the exit code that a shell gives it.
        let code = ended.code().or_else(|| ended.signal().map(|number| 128 + number)).unwrap_or_default();
        Ok((code, std::mem::take(&mut self.printed)))
    }

    fn signal(&self, signal: &str) {
        let group = self.child.id();
        let _ = Command::new("sh").args(["-c", &format!("kill -{signal} -{group} 2>/dev/null")]).status();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal("KILL");
            let _ = self.child.wait();
        }
    }
}
