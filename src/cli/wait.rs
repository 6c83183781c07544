//! The command line of `wait`.

use std::path::PathBuf;

use clap::Args;
use jiff::SignedDuration;

use super::values::positive_duration;
use super::{FileArgs, TargetArgs};
use crate::output::{Goal, WaitFormat};

/// How to wait.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
What is not there yet is waited for. A file is read at once; one that ends while something is under way counts as timed out.

Examples:
  gatewatch wait -n gitlab --timeout 2h
  gatewatch wait --timeout 2h --junit gatewatch.xml     for a pipeline
  gatewatch wait --for gate=post-migrations:done
  gatewatch wait job/migrate deploy/web --timeout 10m
  gatewatch wait -o json | jq -r .text
  gatewatch wait -f upgrade.jsonl.gz")]
pub struct WaitArgs {
    /// What to wait for.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// What to read instead of a cluster.
    #[command(flatten)]
    pub file: FileArgs,
    /// How to print it
    #[arg(short, long, value_enum, default_value_t)]
    pub output: WaitFormat,
    /// Give up after this long, e.g. 90s, 2h or 1h30m
    #[arg(long, value_name = "DURATION", conflicts_with = "file", value_parser = positive_duration)]
    pub timeout: Option<SignedDuration>,
    /// What to wait for: `settled`, or, of an upgrade of GitLab, `gate=NAME:done` for a step of the hop under way, as `status
    /// -o json` names it
    #[arg(long = "for", value_name = "GOAL", default_value = "settled", hide_default_value = true)]
    pub goal: Goal,
    /// At the end, however it comes, write each step as a test case to this file, in JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use crate::run::StepId;

    fn parse(words: &str) -> Option<WaitArgs> {
        match Cli::read(words.split(' ').map(Into::into)).ok()?.command? {
            Command::Wait(args) => Some(args),
            _ => None,
        }
    }

    #[test]
    fn what_is_waited_for_is_the_upgrade_or_a_step_of_it() {
        assert_eq!(parse("gatewatch wait").unwrap().goal, Goal::Settled);
        let goal = parse("gatewatch wait --for gate=pre-migrations:done").unwrap().goal;
        assert_eq!(goal, Goal::Passed(StepId::PreMigrations));
        assert!(parse("gatewatch wait --for gate=migrations:done").is_none());
    }

    #[test]
    fn a_step_is_one_of_an_upgrade_of_gitlab() {
        let taken =
            |words: &str| parse(format!("gatewatch wait --for gate=pre-migrations:done {words}").trim()).is_some();
        assert!(taken("") && taken("gitlab") && taken("glc"));
        assert!(!taken("job/migrate") && !taken("glc deploy/web") && !taken("-l a=b"));
    }
}
