//! Where the files of a user lie, after the XDG Base Directory Specification.

use std::path::PathBuf;

/// The folder of gatewatch: under the one that the variable `base` names, which has to be absolute, else under `of_home` in the
/// home. `value` gives the value of a variable that is set. `None` where there is neither.
pub(crate) fn folder(base: &str, of_home: &str, value: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name| value(name).filter(|path| path.is_absolute());
    let base = absolute(base).or_else(|| Some(absolute("HOME")?.join(of_home)))?;
    Some(base.join("gatewatch"))
}
