//! The command line of what is about gatewatch itself: its settings, completions, manual and version.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

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

/// How to get completions.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Namespaces are completed from the cluster, within 1.5 s, and contexts from the kubeconfig.

Examples:
  gatewatch completions bash > ~/.local/share/bash-completion/completions/gatewatch
  gatewatch completions zsh > ~/.zfunc/_gatewatch       in a folder of $fpath
  gatewatch completions fish > ~/.config/fish/completions/gatewatch.fish
  gatewatch completions powershell >> $PROFILE
  gatewatch completions kubectl > ~/bin/kubectl_complete-gatewatch      and make it executable")]
pub struct CompletionsArgs {
    /// For which shell; kubectl is for `kubectl gatewatch`, in every shell that completes kubectl
    #[arg(value_enum)]
    pub shell: Shell,
}

/// What completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "their names say it")]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
    /// `kubectl`, which asks `kubectl_complete-gatewatch`.
    #[value(help = "a script for kubectl to ask")]
    Kubectl,
}

/// How to get the manual.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  gatewatch man | man -l -
  gatewatch man --dir ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write the page of every command into this folder, instead of printing the first one
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// How to print the version.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  gatewatch version
  gatewatch version -o json")]
pub struct VersionArgs {
    /// How to print it
    #[arg(short, long, value_enum, default_value_t)]
    pub output: VersionFormat,
}

/// How the version is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "their names say it")]
pub enum VersionFormat {
    #[default]
    Text,
    Json,
}
