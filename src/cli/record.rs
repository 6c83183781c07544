//! The command line of `record`.

use std::path::PathBuf;

use clap::Args;

use super::TargetArgs;

/// How to record.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Logs are recorded too. Values of environment variables, managed fields and last-applied annotations are left out; messages,
commands and logs are not. What was written can be replayed whatever ends the program.

Examples:
  gatewatch record upgrade.jsonl.gz -n gitlab
  gatewatch record migrate.jsonl.gz job/migrate
  gatewatch --record upgrade.jsonl.gz      beside the dashboard")]
pub struct RecordArgs {
    /// The file, which must not exist; packed where its name ends in .gz; `-` is standard output
    pub file: PathBuf,
    /// What to record.
    #[command(flatten)]
    pub targets: TargetArgs,
}
