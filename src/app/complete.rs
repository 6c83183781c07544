//! Completion: the script that a shell asks us by, and what it is told.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, FromArgMatches};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, complete as candidates};
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};
use tokio::time::timeout;

use super::{connect_options, in_runtime, printed};
use crate::cli::{Cli, CompletionsArgs, ConnectionArgs, Program, Shell};
use crate::cluster::{Kind, Pick, Selection};
use crate::config::Config;
use crate::error::{ExitCode, ExpectedError};
use crate::output::Goal;
use crate::source::live::{ContextName, contexts, names, namespaces};

/// The variable of the environment by which a shell asks.
const ASKED: &str = "GATEWATCH_COMPLETE";
/// How long somebody who pressed a key waits for a cluster.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Prints the script.
pub(super) fn script(args: &CompletionsArgs) -> Result<ExitCode, ExpectedError> {
    let shell: &dyn EnvCompleter = match args.shell {
        Shell::Bash => &Bash,
        Shell::Zsh => &Zsh,
        Shell::Fish => &Fish,
        Shell::Powershell => &Powershell,
        Shell::Elvish => &Elvish,
        Shell::Kubectl => &Kubectl,
    };
    let name = if args.shell == Shell::Kubectl { Program::OfKubectl } else { Program::running() }.name();
    let mut script = Vec::new();
    // It is found on the PATH, so that a package can hold the script.
    let mut written = shell.write_registration(ASKED, name, name, name, &mut script);
    if args.shell == Shell::Zsh {
        // compinit calls what it finds in $fpath for the first word that is completed, and not what that defines.
        let function = name.replace('-', "_");
        written = written.and_then(|()| {
            writeln!(script, "[[ $funcstack[1] == _{name} ]] && _clap_dynamic_completer_{function} \"$@\"")
        });
    }
    printed(written.and_then(|()| io::stdout().lock().write_all(&script)), ExitCode::Settled)
}

/// Answers a shell, if it is one that asks; tells whether it was.
///
/// # Errors
/// An [`ExpectedError`] with exit code 2: a shell that nobody knows here.
pub fn answer() -> Result<bool, ExpectedError> {
    let shells: [&dyn EnvCompleter; 6] = [&Bash, &Elvish, &Fish, &Powershell, &Zsh, &Kubectl];
    let answer =
        CompleteEnv::with_factory(|| completing(Program::running().command())).var(ASKED).shells(Shells(&shells));
    let folder = env::current_dir().ok();
    answer.try_complete(env::args_os(), folder.as_deref()).map_err(|error| {
        ExpectedError::usage(format!("cannot complete: {error}; make the script anew with `gatewatch completions`"))
    })
}

/// The command line, with what completes its values.
fn completing(command: Command) -> Command {
    let command = command
        .mut_arg("namespace", |argument| argument.add(ArgValueCandidates::new(of_namespaces)))
        .mut_arg("context", |argument| argument.add(ArgValueCandidates::new(of_contexts)));
    let named = |argument: Arg| match argument.get_id().as_str() {
        "targets" | "of" => argument.add(ArgValueCompleter::new(|typed: &OsStr| of_targets(typed, &TARGETS))),
        "workloads" => argument.add(ArgValueCompleter::new(|typed: &OsStr| of_targets(typed, &WORKLOADS))),
        "goal" => argument.add(ArgValueCandidates::new(of_goals)),
        _ => argument,
    };
    let of = |kind| move || of_kind(kind, "");
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let command = names
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |command| command.mut_args(named)));
    [("job", Kind::Job), ("gluesync", Kind::GluesyncPlatform)].into_iter().fold(command, |command, (name, kind)| {
        let names = ArgValueCandidates::new(of(kind));
        command.mut_subcommand(name, |command| command.mut_arg("names", |argument| argument.add(names)))
    })
}

/// What can be typed before a slash, and the kind; the first one's names need none.
const TARGETS: [(&str, Kind); 6] = [
    ("glc", Kind::GitLabCore),
    ("gsp", Kind::GluesyncPlatform),
    ("job", Kind::Job),
    ("deployment", Kind::Deployment),
    ("statefulset", Kind::StatefulSet),
    ("daemonset", Kind::DaemonSet),
];
/// The same of what rolls out.
const WORKLOADS: [(&str, Kind); 3] =
    [("deployment", Kind::Deployment), ("statefulset", Kind::StatefulSet), ("daemonset", Kind::DaemonSet)];

/// What can be named: the names of the first kind, and the others by their kind; behind a slash the names of that kind.
fn of_targets(typed: &OsStr, kinds: &[(&str, Kind)]) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let candidates = match typed.split_once('/') {
        Some((kind, _)) => {
            let known = format!("{kind}/x").parse::<Pick>().map(|pick| pick.kind());
            known.map(|known| of_kind(known, &format!("{kind}/"))).unwrap_or_default()
        }
        None => {
            let first = kinds.first().map(|(_, kind)| of_kind(*kind, "")).unwrap_or_default();
            let of_kinds = kinds.iter().map(|(word, kind)| {
                CompletionCandidate::new(format!("{word}/")).help(Some(format!("a {kind}, by its name").into()))
            });
            first.into_iter().chain(of_kinds).collect()
        }
    };
    candidates.into_iter().filter(|candidate| candidate.get_value().to_string_lossy().starts_with(&*typed)).collect()
}

/// The contexts, from the kubeconfig that is named on the line.
fn of_contexts() -> Vec<CompletionCandidate> {
    let all = contexts(asked().kubeconfig.as_deref()).into_iter();
    let candidate = |context: ContextName| {
        CompletionCandidate::new(context.name).help(context.current.then(|| "the current one".into()))
    };
    all.map(candidate).collect()
}

/// The namespaces of the cluster that is named on the line; none where it does not tell in time.
fn of_namespaces() -> Vec<CompletionCandidate> {
    let options = connect_options(&asked(), Selection::default());
    let found = in_time(namespaces(&options)).unwrap_or_default().into_iter();
    let candidate = |(namespace, instances): (String, Vec<String>)| {
        let help = (!instances.is_empty()).then(|| format!("has GitLabCore {}", instances.join(", ")));
        CompletionCandidate::new(namespace).help(help.map(Into::into))
    };
    found.map(candidate).collect()
}

/// The objects of a kind in the namespace that is named on the line, each behind `before`.
fn of_kind(kind: Kind, before: &str) -> Vec<CompletionCandidate> {
    let options = connect_options(&asked(), Selection::default());
    let found = in_time(names(kind, &options)).unwrap_or_default().into_iter();
    found.map(|name| CompletionCandidate::new(format!("{before}{name}"))).collect()
}

/// What can be waited for.
fn of_goals() -> Vec<CompletionCandidate> {
    Goal::all().map(|goal| CompletionCandidate::new(goal.to_string()).help(Some(goal.help().into()))).collect()
}

/// What a cluster tells in time.
fn in_time<T>(answer: impl Future<Output = Option<T>>) -> Option<T> {
    in_runtime(async { Ok(timeout(PATIENCE, answer).await.ok().flatten()) }).ok()?
}

/// Which cluster the line names so far, or the settings; whatever is wrong with either is not told now.
fn asked() -> ConnectionArgs {
    let words: Vec<OsString> = env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let matches = Program::running().command().ignore_errors(true).try_get_matches_from(words).ok();
    let said = matches.as_ref().and_then(|matches| ConnectionArgs::from_arg_matches(matches).ok()).unwrap_or_default();
    let file = |matches: &ArgMatches| matches.get_one("config").cloned();
    let cli = Cli { connection: said, config: matches.as_ref().and_then(file), ..Cli::default() };
    let home = env::var_os("HOME");
    let config = Config::read(&cli, |name| env::var_os(name)).unwrap_or_else(|_| Config::of_flags(&cli));
    config.connection(&cli.connection, home.as_deref())
}

/// `kubectl`, which runs a `kubectl_complete-gatewatch` that it finds on the `PATH`, with the words after the plugin's name:
/// the last one is to be completed. It takes a candidate a line, with what it is after a tab, and at the end a colon and
/// what its shell may do with them (cobra's `ShellCompDirective`).
struct Kubectl;

/// Neither a space behind the candidate nor files besides them.
const NO_SPACE_NO_FILES: u8 = 2 | 4;
/// No files besides them: where files are wanted they are among them.
const NO_FILES: u8 = 4;

impl EnvCompleter for Kubectl {
    fn name(&self) -> &'static str {
        "kubectl"
    }

    fn is(&self, name: &str) -> bool {
        name == "kubectl"
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        _: &str,
        _: &str,
        script: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(script, "#!/bin/sh\n{variable}=kubectl exec {name} -- {name} \"$@\"")
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        answer: &mut dyn Write,
    ) -> io::Result<()> {
        let last = words.len().saturating_sub(1);
        let candidates = candidates(command, words, last, folder)?;
        let goes_on = |value: &OsStr| value.to_string_lossy().ends_with(['/', '=']);
        let goes_on = candidates.iter().any(|candidate| goes_on(candidate.get_value()));
        for candidate in candidates {
            let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
            let help = help.lines().next().map(|line| format!("\t{line}")).unwrap_or_default();
            writeln!(answer, "{}{help}", candidate.get_value().to_string_lossy())?;
        }
        writeln!(answer, ":{}", if goes_on { NO_SPACE_NO_FILES } else { NO_FILES })
    }
}
