//! The file that a wait leaves for a pipeline.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::error::ExpectedError;
use crate::output::{Ended, Waiter, write_junit};

/// The file, which is written whole and moved into its place.
pub(super) struct JunitFile {
    path: PathBuf,
}

impl JunitFile {
    /// Looks whether it can be written: whoever waits for hours should not hear of that at the end.
    pub(super) fn at(path: &Path) -> Result<Self, ExpectedError> {
        let file = Self { path: path.to_owned() };
        let other = path.symlink_metadata().is_ok_and(|found| !found.is_file());
        if other || path == Path::new("-") {
            return Err(ExpectedError::usage(format!(
                "`{}` is no file that can be written anew; name another with --junit",
                path.display()
            )));
        }
        file.beside().map_err(|error| file.refused(&error)).map(|_| file)
    }

    /// Writes it.
    pub(super) fn write(&self, waiter: &Waiter, ended: Ended<'_>) -> Result<(), ExpectedError> {
        let written = || {
            let mut out = BufWriter::new(self.beside()?);
            write_junit(waiter, ended, &mut out)?;
            out.flush()?;
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.persist(&self.path).map(drop).map_err(|error| error.error)
        };
        written().map_err(|error| self.refused(&error))
    }

    /// A file beside it, which goes if it is not moved. Whoever collects it may be another user: it is as readable as other
    /// files are.
    fn beside(&self) -> io::Result<NamedTempFile> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Builder::new().prefix(".gatewatch-").permissions(Permissions::from_mode(0o666)).tempfile_in(folder)
    }

    fn refused(&self, error: &io::Error) -> ExpectedError {
        let path = self.path.display();
        ExpectedError::usage(format!("cannot write `{path}`: {error}; name another file with --junit"))
    }
}
