//! The command line of `replay`.

use std::path::PathBuf;

use clap::Args;

use super::DisplayArgs;
use super::values::positive_number;

/// How to play a recording.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  gatewatch replay upgrade.jsonl.gz --speed 10
  kubectl get glc -w --output-watch-events -o json > glc.json   # and so for jobs, pods, events, deployments
  gatewatch replay glc.json jobs.json pods.json events.json deployments.json")]
pub struct ReplayArgs {
    /// The recording, plain or gzip; several are merged by their times; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Play it this many times as fast as it was recorded, to begin with
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = positive_number)]
    pub speed: f64,
    /// How the dashboard looks.
    #[command(flatten)]
    pub display: DisplayArgs,
}
