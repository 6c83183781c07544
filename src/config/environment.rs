//! Reading `GATEWATCH_…`.

use std::ffi::OsString;

use super::settings::{About, Section, Visitor, variable};
use super::value::Value;
use super::{Chosen, Config, Origin};

/// Takes from the environment what no flag chose. A variable that is empty is as one that is not set.
pub(super) fn read(config: &mut Config, get: &dyn Fn(&str) -> Option<OsString>) -> Result<(), String> {
    config.each(&mut Environment { get, has_variables: true })
}

struct Environment<'a> {
    get: &'a dyn Fn(&str) -> Option<OsString>,
    has_variables: bool,
}

impl Visitor for Environment<'_> {
    fn section(&mut self, section: Section) {
        self.has_variables = section.has_variables();
    }

    fn setting<T: Value>(&mut self, about: About<T>, chosen: &mut Option<Chosen<T>>) -> Result<(), String> {
        if !self.has_variables {
            return Ok(());
        }
        let name = variable(about.name);
        let Some(set) = (self.get)(&name).filter(|value| !value.is_empty()) else { return Ok(()) };
        let Some(value) = set.to_str().and_then(T::of_text) else {
            let set = set.to_string_lossy();
            return Err(format!("${name} takes {}, not `{set}`; set another, or unset it", T::takes()));
        };
        chosen.get_or_insert(Chosen { value, origin: Origin::Environment });
        Ok(())
    }
}
