//! What the user set once, so that it need not be said each time.
//!
//! In come flags, variables of the environment and the user's file, the first of which outweighs the next; out goes a
//! [`Config`], each value of which knows where it came from. `Config::each` tells of every setting once, and whatever
//! reads, shows or documents them goes through it. Only the user's own file is read, and nothing from the folder that one
//! happens to be in.
//!
//! | file | holds |
//! |---|---|
//! | `settings` | every setting: its name, what it does, its default |
//! | `value` | how each kind of value is written |
//! | `place` | which file |
//! | `file` | reading it, and what is wrong in it |
//! | `environment` | reading `GATEWATCH_…` |
//! | `show` | the settings as a file |
//! | `chosen` | what becomes of them: a connection, a theme, keys |

mod chosen;
mod environment;
mod file;
mod place;
mod settings;
mod show;
mod value;

use std::ffi::OsString;

use crate::cli::Cli;
use crate::cluster::{Colour, clean_word};
use crate::error::ExpectedError;
use crate::notify::Notify;
use crate::tui::{Action, Background, KeyMap, Mark};

pub use place::Place;
pub use settings::{Described, described};
pub use value::{Keys, Watched};

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This flag.
    Flag(&'static str),
    /// The variable of the environment that is named after the setting.
    Environment,
    /// This line of the file.
    File {
        /// The line, from 1 on.
        line: usize,
    },
}

/// A value that somebody chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub origin: Origin,
}

/// What is set. Whatever nobody chose is `None`.
#[derive(Clone, Debug)]
pub struct Config {
    place: Place,
    namespace: Option<Chosen<Watched>>,
    context: Option<Chosen<String>>,
    kubeconfig: Option<Chosen<value::File>>,
    notify: Option<Chosen<Notify>>,
    kiosk: Option<Chosen<bool>>,
    redact: Option<Chosen<bool>>,
    no_state: Option<Chosen<bool>>,
    theme: Option<Chosen<Background>>,
    ascii: Option<Chosen<bool>>,
    colours: Vec<(Mark, Option<Chosen<Colour>>)>,
    keys: Vec<(Action, Option<Chosen<Keys>>)>,
    map: KeyMap,
}

impl Config {
    /// What the flags set, and nothing else.
    pub fn of_flags(cli: &Cli) -> Self {
        let (connection, display) = (&cli.connection, cli.display());
        let namespace = connection.namespace.clone().map(Watched::One);
        Self {
            place: Place::Nowhere,
            namespace: flag("--namespace", namespace)
                .or(flag("--all-namespaces", connection.all_namespaces.then_some(Watched::All))),
            context: flag("--context", connection.context.first().cloned()),
            kubeconfig: flag("--kubeconfig", connection.kubeconfig.clone().map(value::File)),
            notify: flag("--notify", display.notify),
            kiosk: flag("--kiosk", display.kiosk.then_some(true)),
            redact: flag("--redact", display.redact.then_some(true)),
            no_state: flag("--no-state", display.no_state.then_some(true)),
            theme: flag("--theme", display.theme),
            ascii: flag("--ascii", display.ascii.then_some(true)),
            colours: Mark::ALL.map(|state| (state, None)).into(),
            keys: Action::all().into_iter().map(|action| (action, None)).collect(),
            map: KeyMap::default(),
        }
    }

    /// What is set: by flags, else by the environment, else in the user's file. `variable` gives the value of a variable
    /// that is set.
    ///
    /// # Errors
    /// An [`ExpectedError`] with exit code 2: a file that was named and can't be read, or one, or a variable, that holds what
    /// no setting takes, or keys that clash; with the line where there is one.
    pub fn read(cli: &Cli, variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, ExpectedError> {
        let read = || {
            let place = Place::find(cli.config.as_deref(), &variable);
            let mut config = Self { place, ..Self::of_flags(cli) };
            environment::read(&mut config, &variable)?;
            file::read(&mut config)?;
            config.map = chosen::key_map(&config)?;
            Ok(config)
        };
        // What is quoted from the file is cleaned for the terminal, and told in one line.
        read().map_err(|message: String| ExpectedError::usage(clean_word(&message)))
    }

    /// The settings as a file, with where each came from.
    pub fn show(&self) -> String {
        show::show(self)
    }
}

/// What a flag chose, if it did.
fn flag<T>(name: &'static str, value: Option<T>) -> Option<Chosen<T>> {
    value.map(|value| Chosen { value, origin: Origin::Flag(name) })
}

#[cfg(test)]
mod tests;
