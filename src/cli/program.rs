//! By which name the program was called: its own, or as a plugin of kubectl.

use std::ffi::OsStr;
use std::path::Path;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};

use super::Cli;

/// By which name the program was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `gatewatch`.
    Gatewatch,
    /// `kubectl gatewatch`, for which kubectl looks for a `kubectl-gatewatch`.
    OfKubectl,
}

impl Program {
    /// The name in the first word of a command line.
    pub fn of(word: &OsStr) -> Self {
        match Path::new(word).file_stem() {
            Some(name) if name == "kubectl-gatewatch" => Self::OfKubectl,
            _ => Self::Gatewatch,
        }
    }

    /// That of this process.
    pub fn running() -> Self {
        std::env::args_os().next().map_or(Self::Gatewatch, |word| Self::of(&word))
    }

    /// What the user types to call it.
    pub fn typed(self) -> &'static str {
        match self {
            Self::Gatewatch => "gatewatch",
            Self::OfKubectl => "kubectl gatewatch",
        }
    }

    /// What its file and its manual are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gatewatch => "gatewatch",
            Self::OfKubectl => "kubectl-gatewatch",
        }
    }

    /// The command line of the program by this name, where the help of a command lists nothing that the command refuses or
    /// has no use for.
    pub fn command(self) -> Command {
        let command = Cli::command();
        let everywhere = command.get_arguments().filter(|argument| argument.is_global_set());
        let hidden: Vec<Arg> = everywhere.map(|argument| argument.clone().hide(true)).collect();
        let of_connection: Vec<Arg> = hidden.iter().filter(|argument| argument.get_id() != "config").cloned().collect();
        let command = command.mut_subcommand("demo", |demo| demo.args(of_connection));
        let command = ["completions", "man", "version"]
            .into_iter()
            .fold(command, |command, name| command.mut_subcommand(name, |subcommand| subcommand.args(hidden.clone())));
        match self {
            Self::Gatewatch => command,
            Self::OfKubectl => self.in_examples(command.name(self.name()).bin_name(self.typed())),
        }
    }

    fn in_examples(self, command: Command) -> Command {
        let help = command.get_after_help().map(StyledStr::to_string);
        let command = match help {
            Some(help) => command.after_help(self.in_text(&help)),
            None => command,
        };
        let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        names
            .into_iter()
            .fold(command, |command, name| command.mut_subcommand(name, |subcommand| self.in_examples(subcommand)))
    }

    /// A text in which commands are called by this name: those at the beginning of an indented line, after a `|`, and in
    /// backquotes.
    pub fn in_text(self, text: &str) -> String {
        let own = Self::Gatewatch.typed();
        ["\n  ", "| ", "`"].iter().fold(text.to_owned(), |text, before| {
            text.replace(&format!("{before}{own} "), &format!("{before}{} ", self.typed()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_file_wherever_it_lies() {
        for (word, program) in [
            ("gatewatch", Program::Gatewatch),
            ("/usr/bin/kubectl-gatewatch", Program::OfKubectl),
            ("kubectl-gatewatch.exe", Program::OfKubectl),
            ("/kubectl-gatewatch/gatewatch", Program::Gatewatch),
            ("", Program::Gatewatch),
        ] {
            assert_eq!(Program::of(OsStr::new(word)), program, "{word}");
        }
    }

    #[test]
    fn commands_of_a_text_are_called_by_the_name_and_nothing_else_of_it_changes() {
        let text = "in $X/gatewatch:\n  gatewatch status\n  kubectl get x | gatewatch status -f -\n`gatewatch wait` of gatewatch";
        let named = "in $X/gatewatch:\n  kubectl gatewatch status\n  kubectl get x | kubectl gatewatch status -f -\n`kubectl \
                     gatewatch wait` of gatewatch";
        assert_eq!(Program::OfKubectl.in_text(text), named);
        assert_eq!(Program::Gatewatch.in_text(text), text);
    }

    /// The command lines in the examples of a command's help, without what is told of them, where they come from and where
    /// they lead to.
    fn examples(command: &Command) -> Vec<Vec<String>> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (_, examples) =
            help.split_once("Examples:\n").unwrap_or_else(|| panic!("{} has no examples", command.get_name()));
        let examples = examples.split("\n\n").next().unwrap_or_default();
        let lines = examples.lines().map(|line| line.trim().split("  ").next().unwrap_or_default());
        let parts = lines.flat_map(|line| line.split(" | "));
        parts
            .map(|part| {
                let words = shlex::split(part).unwrap().into_iter();
                words.take_while(|word| !["#", ">", ">>"].contains(&word.as_str())).collect()
            })
            .collect()
    }

    #[test]
    fn every_command_has_examples_that_are_taken() {
        for program in [Program::Gatewatch, Program::OfKubectl] {
            let command = program.command();
            let mut taken = 0;
            for command in std::iter::once(&command).chain(command.get_subcommands()) {
                for words in examples(command) {
                    let line = words.join(" ");
                    let own =
                        line.strip_prefix(program.typed()).filter(|rest| rest.is_empty() || rest.starts_with(' '));
                    let Some(rest) = own else {
                        let known = ["kubectl", "jq", "man"].contains(&words[0].as_str());
                        assert!(known && words.get(1).is_none_or(|word| word != "gatewatch"), "{line}");
                        continue;
                    };
                    let words = std::iter::once(program.name()).chain(rest.split_whitespace());
                    if let Err(error) = Cli::read(words.map(Into::into)) {
                        panic!("{line}: {error}");
                    }
                    taken += 1;
                }
            }
            assert!(taken > 20, "{taken}");
        }
    }
}
