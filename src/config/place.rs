//! Which file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::xdg::folder;

/// Which file the settings are read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// One that was named, by a flag or in `$GATEWATCH_CONFIG`; it has to be there.
    Named(PathBuf),
    /// The user's, which need not be there.
    OfUser(PathBuf),
    /// None: there is no home to look for it in, or it is not asked for.
    Nowhere,
}

impl Place {
    /// The one that was named, else the user's: under `$XDG_CONFIG_HOME`, else under `~/.config`.
    pub(super) fn find(named: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(named) = named.map(Path::to_owned).or_else(|| set("GATEWATCH_CONFIG")) {
            return Self::Named(named);
        }
        let folder = folder("XDG_CONFIG_HOME", ".config", set);
        folder.map_or(Self::Nowhere, |folder| Self::OfUser(folder.join("config.toml")))
    }

    /// The path, if there is one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Named(path) | Self::OfUser(path) => Some(path),
            Self::Nowhere => None,
        }
    }
}

/// The path with the home in place of a `~` that it begins with.
pub(super) fn at_home(path: &Path, home: Option<&OsStr>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => Path::new(home).join(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(named: Option<&str>, variables: &[(&str, &str)]) -> Place {
        Place::find(named.map(Path::new), |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn the_file_is_the_one_that_was_named_or_else_the_users_own() {
        let (home, xdg) = (("HOME", "/home/a"), ("XDG_CONFIG_HOME", "/xdg"));
        let named = ("GATEWATCH_CONFIG", "there.toml");
        assert_eq!(found(Some("here.toml"), &[named, xdg, home]), Place::Named("here.toml".into()));
        assert_eq!(found(None, &[named, xdg, home]), Place::Named("there.toml".into()));
        assert_eq!(found(None, &[xdg, home]), Place::OfUser("/xdg/gatewatch/config.toml".into()));
        for unset in ["", "relative"] {
            let place = found(None, &[("XDG_CONFIG_HOME", unset), ("GATEWATCH_CONFIG", ""), home]);
            assert_eq!(place, Place::OfUser("/home/a/.config/gatewatch/config.toml".into()));
        }
        assert_eq!(found(None, &[]), Place::Nowhere);
    }

    #[test]
    fn a_tilde_is_the_home_where_it_stands_alone() {
        let at = |path: &str| at_home(Path::new(path), Some(OsStr::new("/home/a")));
        assert_eq!(at("~/.kube/prod"), Path::new("/home/a/.kube/prod"));
        assert_eq!(at("/~/x"), Path::new("/~/x"));
        assert_eq!(at("~other/x"), Path::new("~other/x"));
    }
}
