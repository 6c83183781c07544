//! Where the files lie.

use std::path::PathBuf;

use crate::xdg::folder;

/// Where the files lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In this folder, which need not be there yet.
    Folder(PathBuf),
    /// Nowhere: nothing is to be kept for longer than the program runs.
    Nowhere,
    /// There is no home to keep anything in.
    NoHome,
}

impl Place {
    /// The user's: under `$XDG_STATE_HOME`, else under `~/.local/state`. `variable` gives the value of a variable that is set.
    pub fn of_user(variable: impl Fn(&str) -> Option<PathBuf>) -> Self {
        folder("XDG_STATE_HOME", ".local/state", variable).map_or(Self::NoHome, Self::Folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Place {
        Place::of_user(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_folder_lies_in_the_state_home_or_else_in_the_home() {
        let home = ("HOME", "/home/a");
        assert_eq!(of(&[("XDG_STATE_HOME", "/state"), home]), Place::Folder("/state/gatewatch".into()));
        for unset in ["", "relative"] {
            let place = of(&[("XDG_STATE_HOME", unset), home]);
            assert_eq!(place, Place::Folder("/home/a/.local/state/gatewatch".into()));
        }
        assert_eq!(of(&[]), Place::NoHome);
    }
}
