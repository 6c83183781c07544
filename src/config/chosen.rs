//! What becomes of the settings: a connection, a theme, keys, and how the dashboard is shown.

use std::ffi::OsStr;

use super::place::at_home;
use super::value::Watched;
use super::{Chosen, Config, Origin};
use crate::cli::ConnectionArgs;
use crate::notify::Notify;
use crate::tui::{Action, Background, Key, KeyFault, KeyMap, Palette};

impl Config {
    /// Which cluster, and what of it; as the user that the flags name, if they do.
    pub fn connection(&self, flags: &ConnectionArgs, home: Option<&OsStr>) -> ConnectionArgs {
        let namespace = self.namespace.as_ref().map(|chosen| &chosen.value);
        ConnectionArgs {
            namespace: namespace.and_then(|watched| match watched {
                Watched::All => None,
                Watched::One(name) => Some(name.clone()),
            }),
            all_namespaces: namespace == Some(&Watched::All),
            // Several can be named by flags alone.
            context: match flags.context.as_slice() {
                [] | [_] => self.context.iter().map(|chosen| chosen.value.clone()).collect(),
                several => several.to_vec(),
            },
            kubeconfig: self.kubeconfig.as_ref().map(|chosen| at_home(&chosen.value.0, home)),
            as_user: flags.as_user.clone(),
        }
    }

    /// Whether it is for a display that nobody attends. On anything but a cluster only a flag makes it one: a recording is
    /// looked at by whoever plays it.
    pub fn kiosk(&self, on_cluster: bool) -> bool {
        self.kiosk.as_ref().filter(|chosen| on_cluster || chosen.is_flag()).is_some_and(|chosen| chosen.value)
    }

    /// What somebody is told of beyond the screen, if that was chosen. On anything but a cluster only a flag chooses it: a
    /// recording is no news.
    pub fn notify(&self, on_cluster: bool) -> Option<Notify> {
        self.notify.as_ref().filter(|chosen| on_cluster || chosen.is_flag()).map(|chosen| chosen.value)
    }

    /// Whether messages and commands are hidden.
    pub fn redact(&self) -> bool {
        self.redact.as_ref().is_some_and(|chosen| chosen.value)
    }

    /// Whether nothing is kept on disk.
    pub fn no_state(&self) -> bool {
        self.no_state.as_ref().is_some_and(|chosen| chosen.value)
    }

    /// Whether it is drawn with ASCII alone, if that was chosen.
    pub fn ascii(&self) -> Option<bool> {
        self.ascii.as_ref().map(|chosen| chosen.value)
    }

    /// The colours.
    pub fn palette(&self) -> Palette {
        let own = Palette::new(self.theme.as_ref().map_or(Background::Dark, |chosen| chosen.value));
        let chosen = self.colours.iter().filter_map(|(state, chosen)| Some((*state, chosen.as_ref()?.value)));
        chosen.fold(own, |palette, (state, colour)| palette.with(state, colour))
    }

    /// The keys.
    pub fn keys(&self) -> KeyMap {
        self.map.clone()
    }
}

impl<T> Chosen<T> {
    fn is_flag(&self) -> bool {
        matches!(self.origin, Origin::Flag(_))
    }
}

/// The keys that were chosen, with the others; or in words why they can't be.
pub(super) fn key_map(config: &Config) -> Result<KeyMap, String> {
    let chosen = config.keys.iter().filter_map(|(action, chosen)| Some((*action, chosen.as_ref()?.value.0.clone())));
    let chosen: Vec<(Action, Vec<Key>)> = chosen.collect();
    KeyMap::choose(&chosen).map_err(|fault| {
        let line = |action: Action| {
            let chosen = config.keys.iter().find(|(of, _)| *of == action)?.1.as_ref()?;
            match chosen.origin {
                Origin::File { line } => Some(line),
                Origin::Flag(_) | Origin::Environment => None,
            }
        };
        let told = |action: Action| match line(action) {
            Some(line) => format!("`{}` (line {line})", action.name()),
            None => format!("`{}` (default)", action.name()),
        };
        let (actions, words) = match fault {
            KeyFault::Clash { key, place, actions: [one, other] } => {
                let (key, place) = (key.label(true), place.name());
                let words = format!(
                    "in [keys] `{key}` would mean both {} and {} ({place}); give one of them another key, or none with []",
                    told(one),
                    told(other)
                );
                (vec![one, other], words)
            }
            KeyFault::Typed { key, action } => {
                let (key, action_name) = (key.label(true), action.name());
                let words = format!("in [keys] `{key}` can't be a key of `{action_name}`, as it is typed there; give one that types nothing, like F2");
                (vec![action], words)
            }
        };
        let file = config.place.path().map(|path| path.display().to_string()).unwrap_or_default();
        // The later line is the one that does not go with what stood there.
        let line = actions.into_iter().filter_map(line).max().unwrap_or(1);
        format!("{file}:{line}: {words}")
    })
}
