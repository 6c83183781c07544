//! The command line; `values` has what its options take, `targets` what can be watched and the dashboards of it, `tool` what is
//! about gatewatch itself, `program` the name that it was called by, and each other file the subcommand of its name.

mod demo;
mod program;
mod rbac;
mod record;
mod replay;
mod report;
mod status;
mod targets;
mod tool;
mod values;
mod wait;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, FromArgMatches, Parser, Subcommand};

use crate::cluster::Pick;
use crate::gate::Target;
use crate::notify::Notify;
use crate::output::Goal;
use crate::tui::Background;

pub use demo::DemoArgs;
pub use program::Program;
pub use rbac::{Account, RbacArgs};
pub use record::RecordArgs;
pub use replay::ReplayArgs;
pub use report::ReportArgs;
pub use status::{FileArgs, StatusArgs};
pub use targets::{GluesyncArgs, JobArgs, RolloutArgs, ShownArgs, TargetArgs, WatchArgs};
pub use tool::{CompletionsArgs, ConfigArgs, ManArgs, Shell, VersionArgs, VersionFormat};
pub use values::At;
pub use wait::WaitArgs;

/// Watches zero-downtime GitLab upgrades on Kubernetes: which gate is running, blocked, retrying, failing, failed or
/// done, what failed last, how many attempts are left, and the kubectl command to run next. It tells the same of other
/// Jobs, of rollouts, and of updates of Gluesync. It never writes to the cluster.
#[derive(Clone, Debug, Default, Parser)]
#[command(
    version,
    after_help = "\
Examples:
  gatewatch                        watch the namespace of the current context
  gatewatch -n gitlab              watch this namespace
  gatewatch job migrate            watch a Job
  gatewatch watch glc deploy/web   watch several things
  gatewatch status -o json         one look, for a machine
  gatewatch wait --timeout 2h      wait for the outcome
  gatewatch rbac -n gitlab         the Role that it needs
  gatewatch record FILE            record what the cluster says
  gatewatch replay FILE            play a recording
  gatewatch report FILE -o html    the course of an upgrade, for a ticket
  gatewatch demo                   try all of it, without a cluster
  gatewatch config                 what is set, and where that came from
  kubectl get glc,jobs,pods,events,deployments -o json | gatewatch status -f -

Exit codes: 0 settled (for status also under way), 1 the upgrade, Job or rollout failed,
2 wrong use, 3 timed out, 4 the cluster cannot be reached or refuses, 5 the resource is gone"
)]
pub struct Cli {
    /// Read the settings from this file, instead of $XDG_CONFIG_HOME/gatewatch/config.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Which cluster, and what of it.
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// How the dashboard looks.
    #[command(flatten)]
    pub display: DisplayArgs,
    /// Record what the cluster says beside the dashboard, as `gatewatch record` does
    #[arg(long, value_name = "FILE", help_heading = "Display")]
    pub record: Option<PathBuf>,
    /// What to do; without one, show the dashboard.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Watch Jobs on the dashboard, or print which there are
    Job(JobArgs),
    /// Watch the rollouts of Deployments, StatefulSets and DaemonSets on the dashboard
    Rollout(RolloutArgs),
    /// Watch updates of Gluesync platforms on the dashboard
    Gluesync(GluesyncArgs),
    /// Watch several things on one dashboard
    Watch(WatchArgs),
    /// Print how things stand, and exit
    Status(StatusArgs),
    /// Print every change until all that is watched is done or has failed
    Wait(WaitArgs),
    /// Print the least Role that gatewatch needs, for kubectl to apply
    Rbac(RbacArgs),
    /// Record what the cluster says, until Ctrl-C
    Record(RecordArgs),
    /// Play a recording on the dashboard, and go back and forth in it
    Replay(ReplayArgs),
    /// Write the course of an upgrade, a Job or a rollout, for the change ticket or the post-mortem
    Report(ReportArgs),
    /// Watch a recorded upgrade as if it happened now, on an API server inside gatewatch; no cluster is needed
    Demo(DemoArgs),
    /// Print the settings, and where each came from
    Config(ConfigArgs),
    /// Print the script that lets a shell complete commands
    Completions(CompletionsArgs),
    /// Print the manual
    Man(ManArgs),
    /// Print the version, for a report of a bug
    Version(VersionArgs),
}

/// Which cluster, and what of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Connection")]
pub struct ConnectionArgs {
    /// Look into this namespace instead of the context's
    #[arg(short, long, global = true, conflicts_with = "all_namespaces")]
    pub namespace: Option<String>,
    /// Look into all namespaces
    #[arg(short = 'A', long, global = true)]
    pub all_namespaces: bool,
    /// Use this context of the kubeconfig; the commands shown carry it. Given several times, several clusters are watched at
    /// once
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Vec<String>,
    /// Use this kubeconfig; the commands shown carry it
    #[arg(long, global = true, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Act as this user
    #[arg(long = "as", global = true, value_name = "USER")]
    pub as_user: Option<String>,
}

/// How the dashboard looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Display")]
pub struct DisplayArgs {
    /// For a display nobody attends: no keys but Ctrl-C, what is watched takes turns, the text is large
    #[arg(long)]
    pub kiosk: bool,
    /// Hide messages and commands
    #[arg(long)]
    pub redact: bool,
    /// Draw with ASCII characters alone
    #[arg(long)]
    pub ascii: bool,
    /// What the colours are to be read on; a dark background where not given
    #[arg(long, value_enum, value_name = "BACKGROUND")]
    pub theme: Option<Background>,
    /// What to ring the bell and send a desktop notification for, unless the terminal has the focus; failures where not
    /// given, and never for a kiosk or a recording
    #[arg(long, value_enum, value_name = "WHAT")]
    pub notify: Option<Notify>,
    /// Keep no journal and no logs on disk, and read none; they are kept in $XDG_STATE_HOME/gatewatch
    #[arg(long)]
    pub no_state: bool,
}

impl Cli {
    /// Reads the words of a command line, the program's name first.
    ///
    /// # Errors
    /// What clap says of them, help and version included; and of options that stand before and after a subcommand and do
    /// not go together, which it does not hold against each other.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let words: Vec<OsString> = words.into_iter().collect();
        let program = words.first().map_or(Program::Gatewatch, |word| Program::of(word));
        let mut cli = Self::from_arg_matches(&program.command().try_get_matches_from(words)?)?;
        if let Some(Command::Status(StatusArgs { file, targets, .. }) | Command::Wait(WaitArgs { file, targets, .. })) =
            &mut cli.command
        {
            targets.take_from(&mut file.file);
        }
        // A context that is named twice is one.
        let mut named = BTreeSet::new();
        cli.connection.context.retain(|context| named.insert(context.clone()));
        let refuse = |why: &str| Err(program.command().error(ErrorKind::ArgumentConflict, why));
        if cli.connection.all_namespaces && cli.connection.namespace.is_some() {
            return refuse("the argument '--namespace <NAMESPACE>' cannot be used with '--all-namespaces'");
        }
        let no_dashboard = match &cli.command {
            Some(
                Command::Status(_) | Command::Wait(_) | Command::Record(_) | Command::Report(_) | Command::Rbac(_),
            ) => Some("'status', 'wait', 'record', 'report' and 'rbac' do"),
            Some(Command::Demo(demo)) if demo.serve || demo.list => Some("'demo --serve' and 'demo --list' do"),
            Some(Command::Job(job)) if job.lists() => Some("'job' without a name or a selector does"),
            Some(Command::Completions(_) | Command::Man(_) | Command::Version(_)) => {
                Some("'completions', 'man' and 'version' do")
            }
            _ => None,
        };
        if let Some(who) = no_dashboard.filter(|_| cli.display() != DisplayArgs::default()) {
            return refuse(&format!(
                "'--kiosk', '--redact', '--ascii', '--theme', '--notify' and '--no-state' are for the dashboard, which {who} not show"
            ));
        }
        let of_one = match &cli.command {
            Some(Command::Report(_) | Command::Rbac(_)) => Some("'report' and 'rbac' are of one"),
            Some(Command::Replay(_)) => Some("a recording is of what it says"),
            Some(Command::Status(StatusArgs { file, .. }) | Command::Wait(WaitArgs { file, .. }))
                if !file.file.is_empty() =>
            {
                Some("a file is of what it says")
            }
            _ => None,
        };
        if let Some(of_one) = of_one.filter(|_| cli.connection.context.len() > 1) {
            return refuse(&format!("several clusters can be watched at once, but {of_one}: give one '--context'"));
        }
        if matches!(cli.command, Some(Command::Demo(_))) && cli.connection != ConnectionArgs::default() {
            return refuse("'demo' brings a cluster of its own, so no other can be chosen, and no namespace of one");
        }
        let on_cluster = cli.command.as_ref().is_none_or(|command| command.shown().is_some());
        if cli.recorded().is_some() && !(on_cluster && no_dashboard.is_none()) {
            return refuse("'--record' is for the dashboard on a cluster; without a dashboard, 'record' records");
        }
        if cli.recorded() == Some(Path::new("-")) {
            return refuse("'--record' needs a file, as the dashboard takes standard output");
        }
        if let Some(Command::Job(job)) = &cli.command
            && job.output.is_some()
            && !job.lists()
        {
            return refuse("'--output' is for the list of all Jobs; 'gatewatch status job/NAME -o json' prints one");
        }
        let gitlab = |pick: &Pick| matches!(pick, Pick::GitLabCore(_));
        if let Some(Command::Wait(WaitArgs { goal: Goal::Passed(_), .. })) = &cli.command
            && !cli.selection().picks().iter().all(gitlab)
        {
            return refuse("'--for gate=NAME:done' is for upgrades of GitLab; the others are waited for to their end");
        }
        Ok(cli)
    }

    /// How the dashboard looks, wherever that was said.
    pub fn display(&self) -> DisplayArgs {
        let here = self.display;
        let DisplayArgs { kiosk, redact, ascii, theme, notify, no_state } = match &self.command {
            Some(Command::Replay(replay)) => replay.display,
            Some(Command::Demo(demo)) => demo.display,
            Some(Command::Config(config)) => config.display,
            Some(command) => command.shown().map_or(here, |shown| shown.display),
            None => here,
        };
        DisplayArgs {
            kiosk: kiosk || here.kiosk,
            redact: redact || here.redact,
            ascii: ascii || here.ascii,
            theme: theme.or(here.theme),
            notify: notify.or(here.notify),
            no_state: no_state || here.no_state,
        }
    }
}

impl ConnectionArgs {
    /// The context that was named, where it is the only one.
    pub fn only_context(&self) -> Option<&String> {
        match self.context.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// What a command has to carry to hit the same cluster.
    pub fn target(&self) -> Target {
        let kubeconfig = self.kubeconfig.as_ref().map(|path| path.display().to_string());
        Target { context: self.only_context().cloned(), kubeconfig }
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn parse(words: &str) -> Result<Cli, clap::Error> {
        Cli::read(words.split_whitespace().map(Into::into))
    }

    #[test]
    fn the_command_line_is_sound() {
        for program in [Program::Gatewatch, Program::OfKubectl] {
            program.command().debug_assert();
        }
    }

    #[test]
    fn the_help_of_the_demo_tells_nothing_that_it_refuses() {
        let help = parse("gatewatch demo --help").unwrap_err().to_string();
        let connection = ["--namespace", "--all-namespaces", "--context", "--kubeconfig <FILE>", "--as <USER>"];
        assert!(help.contains("--speed") && !connection.iter().any(|option| help.contains(option)), "{help}");
        let of_another = parse("gatewatch status --help").unwrap_err().to_string();
        assert!(connection.iter().all(|option| of_another.contains(option)), "{of_another}");
        for words in ["gatewatch demo -n gitlab", "gatewatch -A demo", "gatewatch demo --as me"] {
            let error = parse(words).unwrap_err().to_string();
            assert!(error.contains("'demo' brings a cluster of its own"), "{words}: {error}");
        }
    }

    #[test]
    fn connection_options_stand_before_or_after_the_subcommand() {
        for words in ["gatewatch -n gitlab --context prod status", "gatewatch status -n gitlab --context prod"] {
            let connection = parse(words).unwrap().connection;
            assert_eq!(connection.namespace.as_deref(), Some("gitlab"));
            assert_eq!(connection.target().context.as_deref(), Some("prod"));
        }
    }

    #[test]
    fn a_namespace_and_all_namespaces_exclude_each_other() {
        for words in ["gatewatch -n gitlab -A", "gatewatch -A wait -n gitlab", "gatewatch status -n gitlab -A"] {
            assert!(parse(words).is_err(), "{words}");
        }
    }

    #[test]
    fn how_the_dashboard_looks_can_be_said_before_or_after_replay_and_nowhere_else() {
        for words in ["gatewatch --kiosk", "gatewatch --kiosk replay x", "gatewatch replay x --kiosk"] {
            assert!(parse(words).unwrap().display().kiosk, "{words}");
        }
        assert!(parse("gatewatch --kiosk status").is_err());
        for words in ["gatewatch --notify all", "gatewatch --notify all replay x", "gatewatch replay x --notify all"] {
            assert_eq!(parse(words).unwrap().display().notify, Some(Notify::All), "{words}");
        }
        assert!(parse("gatewatch --no-state").unwrap().display().no_state);
        assert!(parse("gatewatch --no-state wait").is_err());
    }

    #[test]
    fn the_dashboard_on_a_cluster_is_recorded_and_nothing_else() {
        let file = |words: &str| parse(words).unwrap().record;
        assert_eq!(file("gatewatch --record x").as_deref(), Some(Path::new("x")));
        assert_eq!(file("gatewatch --kiosk --record x").as_deref(), Some(Path::new("x")));
        for words in ["status", "wait", "replay y", "record y"] {
            assert!(parse(&format!("gatewatch --record x {words}")).is_err(), "{words}");
            assert!(parse(&format!("gatewatch {words} --record x")).is_err(), "{words}");
        }
        assert!(parse("gatewatch --record -").is_err());
        assert!(parse("gatewatch record - -n gitlab").is_ok());
        assert!(parse("gatewatch record --kiosk x").is_err());
    }

    #[test]
    fn what_belongs_to_a_file_needs_one_and_what_does_not_refuses_it() {
        assert!(parse("gatewatch status --at 15:35").is_err());
        assert!(parse("gatewatch wait -f x --timeout 2h").is_err());
        assert!(parse("gatewatch wait -f x --at 15:35 -o json").is_ok());
        assert!(parse("gatewatch wait -o yaml").is_err());
    }

    #[test]
    fn a_replay_takes_several_recordings_and_at_least_one() {
        let files = |words: &str| match parse(words).ok()?.command? {
            Command::Replay(replay) => Some(replay.files.len()),
            _ => None,
        };
        assert_eq!(files("gatewatch replay a b -n gitlab c"), Some(3));
        assert_eq!(files("gatewatch replay --speed 10"), None);
    }

    #[test]
    fn durations_and_speeds_are_above_zero() {
        let timeout = |text: &str| match parse(&format!("gatewatch wait --timeout={text}")).ok()?.command? {
            Command::Wait(wait) => wait.timeout,
            _ => None,
        };
        assert_eq!(timeout("2h"), Some(SignedDuration::from_hours(2)));
        assert_eq!(timeout("1h30m"), Some(SignedDuration::from_mins(90)));
        for wrong in ["0s", "-5m", "5", "soon"] {
            assert_eq!(timeout(wrong), None, "{wrong}");
        }
        for wrong in ["0", "-1", "inf", "NaN", "x"] {
            assert!(parse(&format!("gatewatch replay x --speed={wrong}")).is_err(), "{wrong}");
        }
    }
}
