//! The command line of what is about gatewatch itself: its settings.

use clap::Args;

use super::DisplayArgs;

/// How to see the settings.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A flag outweighs a variable of the environment, and that the file: $XDG_CONFIG_HOME/gatewatch/config.toml, else \
~/.config/gatewatch/config.toml, or the one that --config or $GATEWATCH_CONFIG names. What is printed could be the file; what \
is a default is a comment in it.

Examples:
  gatewatch config
  gatewatch config -n gitlab --theme light
  gatewatch config --config other.toml")]
pub struct ConfigArgs {
    /// How the dashboard looks.
    #[command(flatten)]
    pub display: DisplayArgs,
}
