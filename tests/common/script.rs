//! Scripts that are run as programs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a script. What runs beside the test may be started while a file is open, and hold it open a moment longer; a
/// program that is open for writing can't be run (execve(2), `ETXTBSY`). So somebody else writes it.
pub fn write(path: &Path, text: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"cat > "$0" && chmod 755 "$0""#]).arg(path).stdin(Stdio::piped());
    let mut writes = shell.spawn().unwrap();
    writes.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(writes.wait().unwrap().success(), "{} can't be written", path.display());
}
