//! The command line of a report.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::At;
use super::targets::target;
use crate::cluster::Pick;
use crate::report::ReportFormat;

/// How to report.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
It goes to standard output, and all times in it are UTC. Values of environment variables are never in it; messages, commands
and logs are, unless --redact leaves them out. Of a cluster it tells how things stand, and what gatewatch kept on this machine
of the upgrade while the dashboard was open; the whole course is in a recording.

Examples:
  gatewatch report upgrade.jsonl.gz -o html > upgrade.html
  gatewatch report upgrade.jsonl.gz -o md --redact > ticket.md
  gatewatch report upgrade.jsonl.gz --at 15:35
  gatewatch report -n gitlab -o html > now.html
  gatewatch report dump.yaml --of job/migrate
  kubectl get glc,jobs,pods,events,deployments -o json | gatewatch report -")]
pub struct ReportArgs {
    /// The recording, plain or gzip, or what `kubectl get … -o json` or yaml prints; several recordings are merged by their
    /// times; `-` is standard input. Without one, look at the cluster
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Report on this: TYPE/NAME, or a TYPE for all; without it, on what a recording is of, or on all GitLabCores
    #[arg(long, value_name = "TARGET", value_parser = target)]
    pub of: Vec<Pick>,
    /// How to write it
    #[arg(short, long, value_enum, default_value = "md")]
    pub output: ReportFormat,
    /// Stop at this moment of a recording: RFC 3339, or a time of day in UTC, e.g. 15:35 or 15:35:08.250
    #[arg(long, value_name = "TIME", requires = "files")]
    pub at: Option<At>,
    /// Leave messages, commands and logs out
    #[arg(long)]
    pub redact: bool,
    /// Read no journal and no logs that were kept on this machine
    #[arg(long, conflicts_with = "files")]
    pub no_state: bool,
}

impl ValueEnum for ReportFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Markdown, Self::Html]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Markdown => PossibleValue::new("md").alias("markdown").help("Markdown, for an issue or a ticket"),
            Self::Html => PossibleValue::new("html").help("one file with a picture of the time line, for a browser"),
        })
    }
}
