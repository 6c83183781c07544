//! The settings as a file: what was chosen, and as comments what holds where nothing was.

use super::settings::{About, Default, Section, Visitor};
use super::value::Value;
use super::{Chosen, Config, Place};

/// Where comments stand beside what they are about.
const COLUMN: usize = 34;

/// The settings as a file. What nobody chose is a comment in it, so that a default stays one in whatever is made of it.
pub(super) fn show(config: &Config) -> String {
    let file = config.place.path().map(|path| path.display().to_string()).unwrap_or_default();
    let read = match &config.place {
        Place::Named(_) => format!("# The settings, as they stand with {file}.\n"),
        Place::OfUser(path) if path.exists() => format!("# The settings, as they stand with {file}.\n"),
        Place::OfUser(_) => format!("# The settings. Your own go into {file}, which is not there yet.\n"),
        Place::Nowhere => {
            "# The settings. There is no home for a file of your own; name one with --config.\n".to_owned()
        }
    };
    let lead = "# A line that begins with # tells of a default; without the # it would be set.\n";
    let mut show = Show { text: read + lead, file };
    // It refuses none.
    let _ = config.clone().each(&mut show);
    show.text
}

struct Show {
    text: String,
    file: String,
}

impl Visitor for Show {
    fn section(&mut self, section: Section) {
        self.text += &format!("\n# {}.\n", section.tells);
        if let Some(name) = section.name {
            self.text += &format!("[{name}]\n");
        }
    }

    fn setting<T: Value>(&mut self, about: About<T>, chosen: &mut Option<Chosen<T>>) -> Result<(), String> {
        let About { name, default, .. } = about;
        let (line, origin) = match (chosen, default) {
            (Some(chosen), _) => (format!("{name} = {}", chosen.value.toml()), chosen.origin.tells(name, &self.file)),
            (None, Default::Value(value)) => (format!("# {name} = {}", value.toml()), "default".to_owned()),
            (None, Default::Elsewhere(words)) => (format!("# {name} ="), format!("default: {words}")),
        };
        self.text += &format!("{line:COLUMN$}  # {origin}\n");
        Ok(())
    }
}
