//! Every setting, once: its name, what it does, and its default.

use super::value::{Keys, Value};
use super::{Chosen, Config, Origin};
use crate::notify::Notify;
use crate::tui::{Background, Palette};

/// A part of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The name of the table; `None` for what stands before any table.
    pub(super) name: Option<&'static str>,
    /// What is set in it.
    pub(super) tells: &'static str,
}

impl Section {
    /// Whether a variable of the environment sets the same. There are too many colours and keys for that.
    pub(super) fn has_variables(self) -> bool {
        self.name.is_none()
    }
}

/// What there is to know of a setting besides its value.
pub(super) struct About<T> {
    pub(super) name: &'static str,
    pub(super) tells: &'static str,
    pub(super) default: Default<T>,
}

/// What holds where nobody chose.
pub(super) enum Default<T> {
    /// This value.
    Value(T),
    /// What something else tells, in words.
    Elsewhere(&'static str),
}

/// What goes through all settings, in the order in which they are shown. The error is a sentence for the user.
pub(super) trait Visitor {
    /// What follows stands in that section.
    fn section(&mut self, section: Section);

    /// One setting, and what was chosen for it so far.
    fn setting<T: Value>(&mut self, about: About<T>, chosen: &mut Option<Chosen<T>>) -> Result<(), String>;
}

impl Config {
    /// Goes through all settings.
    pub(super) fn each(&mut self, visitor: &mut impl Visitor) -> Result<(), String> {
        use Default::{Elsewhere, Value};

        visitor.section(Section { name: None, tells: "What is watched, and how it is shown" });
        let about = About {
            name: "namespace",
            tells: "the namespace that is looked into; \"*\" for all of them",
            default: Elsewhere("the context's"),
        };
        visitor.setting(about, &mut self.namespace)?;
        let about = About {
            name: "context",
            tells: "the context of the kubeconfig; the commands shown carry it",
            default: Elsewhere("the current one"),
        };
        visitor.setting(about, &mut self.context)?;
        let about = About {
            name: "kubeconfig",
            tells: "the kubeconfig; the commands shown carry it",
            default: Elsewhere("$KUBECONFIG, or ~/.kube/config"),
        };
        visitor.setting(about, &mut self.kubeconfig)?;
        let about = About {
            name: "notify",
            tells: "what the bell rings and a desktop notification is sent for",
            default: Value(Notify::Failures),
        };
        visitor.setting(about, &mut self.notify)?;
        let about = About { name: "kiosk", tells: "whether it is for a display nobody attends", default: Value(false) };
        visitor.setting(about, &mut self.kiosk)?;
        let about = About { name: "redact", tells: "whether messages and commands are hidden", default: Value(false) };
        visitor.setting(about, &mut self.redact)?;
        let about =
            About { name: "no-state", tells: "whether no journal and no logs are kept on disk", default: Value(false) };
        visitor.setting(about, &mut self.no_state)?;
        let about =
            About { name: "theme", tells: "what the colours are to be read on", default: Value(Background::Dark) };
        visitor.setting(about, &mut self.theme)?;
        let about = About {
            name: "ascii",
            tells: "whether it is drawn with ASCII characters alone",
            default: Elsewhere("what the locale and the terminal tell"),
        };
        visitor.setting(about, &mut self.ascii)?;

        visitor.section(Section { name: Some("colours"), tells: "The colours of the states" });
        let background = self.theme.as_ref().map_or(Background::Dark, |chosen| chosen.value);
        for (state, chosen) in &mut self.colours {
            let (name, tells) = state.words();
            visitor.setting(About { name, tells, default: Value(Palette::own(background, *state)) }, chosen)?;
        }
        visitor.section(Section { name: Some("keys"), tells: "The keys of each action; [] for none" });
        for (action, chosen) in &mut self.keys {
            let default = Value(Keys(action.own_keys()));
            visitor.setting(About { name: action.name(), tells: action.tells(), default }, chosen)?;
        }
        Ok(())
    }
}

/// A setting, for a manual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The table that it stands in; `None` for what stands before any table.
    pub section: Option<&'static str>,
    /// The name.
    pub name: &'static str,
    /// What it does.
    pub tells: &'static str,
    /// What it takes.
    pub takes: String,
    /// What holds where nobody chose.
    pub default: String,
    /// The variable of the environment that sets the same.
    pub variable: Option<String>,
}

/// All settings, for a manual.
pub fn described(mut config: Config) -> Vec<Described> {
    struct Describe {
        section: Section,
        all: Vec<Described>,
    }
    impl Visitor for Describe {
        fn section(&mut self, section: Section) {
            self.section = section;
        }

        fn setting<T: Value>(&mut self, about: About<T>, _: &mut Option<Chosen<T>>) -> Result<(), String> {
            let default = match about.default {
                Default::Value(value) => value.toml(),
                Default::Elsewhere(words) => words.to_owned(),
            };
            let About { name, tells, .. } = about;
            let variable = self.section.has_variables().then(|| variable(name));
            let takes = T::takes();
            self.all.push(Described { section: self.section.name, name, tells, takes, default, variable });
            Ok(())
        }
    }
    let mut describe = Describe { section: Section { name: None, tells: "" }, all: Vec::new() };
    // It refuses none.
    let _ = config.each(&mut describe);
    describe.all
}

/// The variable of the environment that sets what a setting of that name does.
pub(super) fn variable(name: &str) -> String {
    format!("GATEWATCH_{}", name.replace('-', "_").to_ascii_uppercase())
}

impl Origin {
    /// Where the value of the setting of that name came from, for a comment.
    pub(super) fn tells(self, name: &str, file: &str) -> String {
        match self {
            Self::Flag(flag) => flag.to_owned(),
            Self::Environment => variable(name),
            Self::File { line } => format!("{file}:{line}"),
        }
    }
}
