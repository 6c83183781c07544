//! The command line of the demo.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::DisplayArgs;
use super::values::positive_number;
use crate::demo::{DEFAULT, SCENARIOS, Scenario};

/// How to try gatewatch without a cluster.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  gatewatch demo                          a retry, in about a minute
  gatewatch demo exhausted --speed 10     one that fails, quickly
  gatewatch demo --list                   what there is
  gatewatch demo --serve > demo.yaml      for another program, until Ctrl-C; then, elsewhere:
  kubectl --kubeconfig demo.yaml get glc,jobs,pods")]
pub struct DemoArgs {
    /// Which upgrade to play
    #[arg(default_value = DEFAULT, value_parser = scenario())]
    pub scenario: &'static Scenario,
    /// Print which upgrades there are, and exit
    #[arg(long, exclusive = true)]
    pub list: bool,
    /// Show nothing: print a kubeconfig on standard output, and serve until Ctrl-C
    #[arg(long)]
    pub serve: bool,
    /// Play it this many times as fast as it was recorded, at least 1; where not given, it takes about a minute
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub speed: Option<f64>,
    /// How the dashboard looks.
    #[command(flatten)]
    pub display: DisplayArgs,
}

/// A recorded upgrade by its name.
fn scenario() -> impl TypedValueParser<Value = &'static Scenario> {
    let values = SCENARIOS.iter().map(|scenario| PossibleValue::new(scenario.name).help(scenario.tells));
    PossibleValuesParser::new(values).try_map(|name| Scenario::named(&name).ok_or("no such scenario"))
}

fn at_least_one(text: &str) -> Result<f64, String> {
    match positive_number(text) {
        Ok(number) if number >= 1.0 => Ok(number),
        _ => Err("give a number of at least 1: what is played slower would lie in the future".into()),
    }
}
