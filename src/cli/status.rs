//! The command line of `status`, and what it reads instead of a cluster.

use std::path::PathBuf;

use clap::Args;

use super::{At, TargetArgs};
use crate::output::StatusFormat;

/// How to look once.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Of a file all namespaces are shown unless -n names one. It holds all that can be told with the output of
kubectl get glc,jobs,pods,events,deployments -n NAMESPACE -o json; what is missing in it is said.

Examples:
  gatewatch status -n gitlab
  gatewatch status -A -o name
  gatewatch status job/migrate sts/db
  gatewatch status -l app=backup
  gatewatch status -f dump.yaml -o json
  gatewatch status -f dump.yaml job/migrate
  gatewatch status -f cluster-dump/ -f glc-and-jobs.json -n gitlab
  gatewatch status -f support.tar.gz
  gatewatch status -f upgrade.jsonl.gz --at 15:35
  kubectl get glc,jobs,pods,events,deployments -o json | gatewatch status -f -")]
pub struct StatusArgs {
    /// What to look at.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// What to read instead of a cluster.
    #[command(flatten)]
    pub file: FileArgs,
    /// How to print it
    #[arg(short, long, value_enum, default_value_t)]
    pub output: StatusFormat,
}

/// What to read instead of a cluster.
#[derive(Clone, Debug, Args)]
pub struct FileArgs {
    /// Read files instead of a cluster: what `kubectl get … -o json` or yaml prints, `kubectl cluster-info dump`, folders and
    /// archives (tar, tar.gz, zip) of such, or recordings; `-` is standard input
    #[arg(short, long, value_name = "FILE", num_args = 1..)]
    pub file: Vec<PathBuf>,
    /// Stop at this moment of a recording: RFC 3339, or a time of day in UTC, e.g. 15:35 or 15:35:08.250
    #[arg(long, value_name = "TIME", requires = "file")]
    pub at: Option<At>,
}
