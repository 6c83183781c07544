//! What can be watched, as it is named, and the dashboards of it.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Cli, Command, DisplayArgs};
use crate::cluster::{JobPick, LabelSelector, Pick, Selection, WorkloadKind};
use crate::output::StatusFormat;

/// What is watched.
#[derive(Clone, Debug, Default, Args)]
pub struct TargetArgs {
    /// What to look at: TYPE/NAME, of the types that kubectl calls glc, gsp, job, deploy, sts and ds; glc, gsp or job for all
    /// of them; a NAME alone is that of a GitLabCore. Where nothing is named, all GitLabCores
    #[arg(value_name = "TARGET", value_parser = target)]
    pub targets: Vec<Pick>,
    /// Look at the Jobs with these labels, as kubectl selects them, beside what is named
    #[arg(short = 'l', long, value_name = "SELECTOR", value_parser = selector)]
    pub selector: Option<Pick>,
}

/// How the dashboard of a cluster is shown.
#[derive(Clone, Debug, Default, Args)]
pub struct ShownArgs {
    /// How it looks.
    #[command(flatten)]
    pub display: DisplayArgs,
    /// Record what the cluster says beside the dashboard, as `gatewatch record` does
    #[arg(long, value_name = "FILE", help_heading = "Display")]
    pub record: Option<PathBuf>,
}

/// Which Jobs to watch.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Helm's hooks and Argo CD's, the Jobs of a CronJob and any other Job are watched. One that is not there yet is waited for.

Examples:
  gatewatch job                           which Jobs there are
  gatewatch job migrate
  gatewatch job migrate backup -n shop
  gatewatch job -l app=shop,tier!=cache
  gatewatch job --kiosk -A -l team=data")]
pub struct JobArgs {
    /// The names of the Jobs
    #[arg(value_name = "NAME", value_parser = job)]
    pub names: Vec<Pick>,
    /// The Jobs with these labels, as kubectl selects them
    #[arg(short = 'l', long, value_name = "SELECTOR", value_parser = selector)]
    pub selector: Option<Pick>,
    /// How to print which there are
    #[arg(short, long, value_enum)]
    pub output: Option<StatusFormat>,
    /// How the dashboard is shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// Which rollouts to watch.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  gatewatch rollout web
  gatewatch rollout web sts/db ds/agent -n shop
  gatewatch rollout web --kiosk")]
pub struct RolloutArgs {
    /// The workloads, as kubectl rollout names them: deploy, sts or ds with a NAME; a NAME alone is that of a Deployment
    #[arg(required = true, value_name = "[TYPE/]NAME", value_parser = workload)]
    pub workloads: Vec<Pick>,
    /// How the dashboard is shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// Which platforms to watch.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  gatewatch gluesync -n gluesync
  gatewatch gluesync platform --kiosk")]
pub struct GluesyncArgs {
    /// The names of the GluesyncPlatforms; where none is given, all there are
    #[arg(value_name = "NAME", value_parser = platform)]
    pub names: Vec<Pick>,
    /// How the dashboard is shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// What to watch.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  gatewatch watch glc job/backup
  gatewatch watch job/migrate deploy/web sts/db gsp
  gatewatch watch glc -l app=backup --kiosk")]
pub struct WatchArgs {
    /// What to watch.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// How the dashboard is shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

impl TargetArgs {
    /// All that is named.
    pub fn picks(&self) -> Vec<Pick> {
        self.targets.iter().chain(&self.selector).cloned().collect()
    }

    /// Takes over what stands behind the first of several files and is none, but names a kind.
    pub(super) fn take_from(&mut self, files: &mut Vec<PathBuf>) {
        let named = |path: &PathBuf| path.to_str().filter(|_| !path.exists())?.parse::<Pick>().ok();
        let mut first = true;
        files.retain(|path| {
            let is_first = std::mem::take(&mut first);
            let named = named(path).filter(|_| !is_first);
            self.targets.extend(named.clone());
            named.is_none()
        });
    }
}

impl Cli {
    /// What is watched, by what was named.
    pub fn selection(&self) -> Selection {
        self.asked().unwrap_or_default()
    }

    /// What was named to be watched; `None` where nothing was.
    pub fn asked(&self) -> Option<Selection> {
        let picks = match self.command.as_ref()? {
            Command::Job(args) => args.picks(),
            Command::Rollout(args) => args.workloads.clone(),
            Command::Gluesync(args) => args.picks(),
            Command::Watch(args) => args.targets.picks(),
            Command::Status(args) => args.targets.picks(),
            Command::Wait(args) => args.targets.picks(),
            Command::Record(args) => args.targets.picks(),
            Command::Rbac(args) => args.targets.picks(),
            Command::Report(args) => args.of.clone(),
            _ => Vec::new(),
        };
        (!picks.is_empty()).then(|| Selection::of(picks))
    }

    /// The file that is recorded into beside the dashboard, wherever that was said.
    pub fn recorded(&self) -> Option<&Path> {
        let there = self.command.as_ref().and_then(Command::shown).and_then(|shown| shown.record.as_deref());
        there.or(self.record.as_deref())
    }
}

impl Command {
    /// How the dashboard of a cluster is shown, where it shows one.
    pub(super) fn shown(&self) -> Option<&ShownArgs> {
        match self {
            Self::Job(JobArgs { shown, .. })
            | Self::Rollout(RolloutArgs { shown, .. })
            | Self::Gluesync(GluesyncArgs { shown, .. })
            | Self::Watch(WatchArgs { shown, .. }) => Some(shown),
            _ => None,
        }
    }
}

impl JobArgs {
    /// Whether which Jobs there are is printed, and no dashboard is shown.
    pub fn lists(&self) -> bool {
        self.names.is_empty() && self.selector.is_none()
    }

    /// The Jobs that are named; all where none is.
    pub fn picks(&self) -> Vec<Pick> {
        let named: Vec<Pick> = self.names.iter().chain(&self.selector).cloned().collect();
        if named.is_empty() { vec![Pick::Job(JobPick::All)] } else { named }
    }
}

impl GluesyncArgs {
    /// The platforms that are named; all where none is.
    pub fn picks(&self) -> Vec<Pick> {
        if self.names.is_empty() { vec![Pick::GluesyncPlatform(None)] } else { self.names.clone() }
    }
}

/// A kind, or an object by its kind and name; by its name alone where it is a `GitLabCore`.
pub(super) fn target(text: &str) -> Result<Pick, String> {
    let is_kind = |word: &str| format!("{word}/x").parse::<Pick>().is_ok();
    match text.contains(['/', '?']) || is_kind(text) {
        true => text.parse(),
        false => of_kind("glc", text).map_err(|_| {
            format!("`{text}` names nothing: give the name of a GitLabCore, or a type and a name as in job/NAME")
        }),
    }
}

fn job(text: &str) -> Result<Pick, String> {
    match of_kind("job", text)? {
        job @ Pick::Job(JobPick::Named(_)) => Ok(job),
        _ => Err(format!("`{text}` is no Job: `gatewatch watch {text}` watches it")),
    }
}

fn workload(text: &str) -> Result<Pick, String> {
    match of_kind(WorkloadKind::Deployment.singular(), text)? {
        workload @ Pick::Rollout(..) => Ok(workload),
        _ => Err(format!("`{text}` does not roll out: `gatewatch watch {text}` watches it")),
    }
}

fn platform(text: &str) -> Result<Pick, String> {
    match of_kind("gsp", text)? {
        platform @ Pick::GluesyncPlatform(Some(_)) => Ok(platform),
        _ => Err(format!("`{text}` is no GluesyncPlatform: `gatewatch watch {text}` watches it")),
    }
}

/// An object by its name, of that kind where it names no other, as `-o name` and kubectl print it.
fn of_kind(kind: &str, text: &str) -> Result<Pick, String> {
    if text.contains('/') { text.parse() } else { format!("{kind}/{text}").parse() }
}

fn selector(text: &str) -> Result<Pick, String> {
    Ok(Pick::Job(JobPick::Labelled(LabelSelector::read(text)?)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::cli::Cli;

    /// What those words ask for, one by one; why not where they are wrong.
    fn asked(words: &str) -> Result<Vec<String>, String> {
        let cli = Cli::read(words.split(' ').map(Into::into)).map_err(|error| error.to_string())?;
        let asked = cli.asked();
        Ok(asked.iter().flat_map(|selection| selection.picks()).map(ToString::to_string).collect())
    }

    fn asks(words: &str, for_these: &[&str]) {
        assert_eq!(asked(words).unwrap(), for_these, "{words}");
    }

    #[test]
    fn an_instance_is_named_as_it_is_or_as_it_is_printed() {
        for name in ["gitlab", "glc/gitlab", "gitlabcores/gitlab", "gitlabcore.apps.gitlab.com/gitlab"] {
            for command in ["wait", "status", "watch", "rbac", "record x", "report --of"] {
                asks(&format!("gatewatch {command} {name}"), &["gitlabcore/gitlab"]);
            }
        }
        for wrong in ["pod/gitlab", "glc/", "/gitlab", "GitLab", "glc/a/b", "deploy"] {
            assert!(asked(&format!("gatewatch wait {wrong}")).is_err(), "{wrong}");
        }
        assert!(Cli::read(["gatewatch", "wait", "a b"].map(Into::into)).is_err());
    }

    #[test]
    fn any_mix_is_named_as_kubectl_names_it() {
        asks("gatewatch watch job/a glc sts/db gsp", &["gitlabcore", "gluesyncplatform", "job/a", "statefulset/db"]);
        asks("gatewatch status job/a -l tier=db", &["job/a", "job?tier=db"]);
        asks("gatewatch wait -l tier=db", &["job?tier=db"]);
        asks("gatewatch status", &[]);
        let error = asked("gatewatch watch deploy").unwrap_err();
        assert!(error.contains("which deploy? Give its name, as in deploy/NAME"), "{error}");
        assert!(asked("gatewatch status -l a=b=c").is_err());
    }

    #[test]
    fn what_is_named_can_stand_behind_files() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        for command in ["status", "wait"] {
            asks(&format!("gatewatch {command} -f {file} job/a sts/db"), &["job/a", "statefulset/db"]);
            asks(&format!("gatewatch {command} gitlab -f {file}"), &["gitlabcore/gitlab"]);
            // A name alone is that of a file there, and so is the first word.
            asks(&format!("gatewatch {command} -f {file} gitlab"), &[]);
            asks(&format!("gatewatch {command} -f job/a"), &[]);
        }
    }

    #[test]
    fn each_command_takes_a_name_alone_as_of_its_own_kind() {
        asks("gatewatch job a job.batch/b", &["job/a", "job/b"]);
        asks("gatewatch job job", &["job/job"]);
        asks("gatewatch job", &["job"]);
        asks("gatewatch job -l a=b", &["job?a=b"]);
        asks("gatewatch rollout web sts/db ds/x", &["deployment/web", "statefulset/db", "daemonset/x"]);
        asks("gatewatch gluesync", &["gluesyncplatform"]);
        asks("gatewatch gluesync a", &["gluesyncplatform/a"]);
        for (wrong, why) in [
            ("job sts/db", "`sts/db` is no Job: `gatewatch watch sts/db` watches it"),
            ("rollout job/a", "does not roll out"),
            ("rollout", "required"),
            ("gluesync job/a", "is no GluesyncPlatform"),
        ] {
            let error = asked(&format!("gatewatch {wrong}")).unwrap_err();
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_dashboard_of_what_is_named_looks_and_is_recorded_as_any_other() {
        let cli = |words: &str| Cli::read(words.split(' ').map(Into::into));
        for words in ["gatewatch job a --kiosk --record x", "gatewatch --kiosk --record x watch glc"] {
            let cli = cli(words).unwrap();
            assert_eq!((cli.display().kiosk, cli.recorded()), (true, Some(Path::new("x"))), "{words}");
        }
        for wrong in ["job --kiosk", "job --record x", "--record x job", "job a -o json", "rollout web --record -"] {
            assert!(cli(&format!("gatewatch {wrong}")).is_err(), "{wrong}");
        }
        assert!(cli("gatewatch job -o json").is_ok());
    }
}
