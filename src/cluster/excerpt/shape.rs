//! How single lines look.

/// The words that later lines of a message of PostgreSQL begin with.
const DETAILS: [&str; 7] = ["DETAIL:", "HINT:", "CONTEXT:", "STATEMENT:", "QUERY:", "LINE ", "^"];

/// Whether a line says nothing of its own: a line of a backtrace, or what rake and others end with.
pub(super) fn is_noise(line: &str) -> bool {
    is_backtrace(line) || is_epilogue(line)
}

fn is_epilogue(line: &str) -> bool {
    let line = line.trim();
    is_aborted(line)
        || line.starts_with("Tasks: TOP =>")
        || line.starts_with("(See full trace by running task")
        || line.starts_with("If this container continues to fail, please see")
}

/// `rake aborted!`, `rails aborted!`, `bin/rails aborted!`.
pub(super) fn is_aborted(line: &str) -> bool {
    line.strip_suffix(" aborted!").is_some_and(|program| !program.contains(' '))
}

/// A line of a backtrace of Ruby, of Java, Python or Go.
fn is_backtrace(line: &str) -> bool {
    let line = line.trim();
    ruby_frame(line).is_some_and(|rest| rest.ends_with('\''))
        || line.starts_with("from /") && line.contains(':')
        || line.starts_with('/') && !line.contains(' ') && ends_in_number(line)
        || line.starts_with("at ") && line.ends_with(')') && line.contains('(')
        || line.starts_with("File \"") && line.contains(", line ")
        || line.starts_with("goroutine ") && line.ends_with("]:")
        || line.starts_with("created by ")
        || line.contains(".go:") && line.contains(" +0x")
}

/// What follows the place in a frame of Ruby, `x.rb:1:in '…`: with its quote, which was a backquote before Ruby 3.4.
fn ruby_frame(line: &str) -> Option<&str> {
    let (place, rest) = line.split_once(":in ")?;
    (ends_in_number(place) && rest.starts_with(['\'', '`'])).then_some(rest)
}

fn ends_in_number(place: &str) -> bool {
    place
        .rsplit_once(':')
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The message and the class of an exception that nobody caught: `x.rb:1:in 'y': text (SomeError)`.
pub(super) fn uncaught(line: &str) -> Option<(&str, &str)> {
    let (_, told) = ruby_frame(line.trim())?.split_once("': ")?;
    let (text, class) = told.strip_suffix(')')?.rsplit_once(" (")?;
    is_class(class).then_some((text, class))
}

/// The class and the text of an exception: `PG::ConnectionBad: …`, `KeyError: …`, `psycopg2.OperationalError: …`.
pub(super) fn exception(line: &str) -> Option<(&str, &str)> {
    let (class, text) = line.split_once(": ")?;
    let named = class.contains("::") || class.ends_with("Error") && class != "Error" || class.ends_with("Exception");
    (named && is_class(class)).then_some((class, text))
}

fn is_class(class: &str) -> bool {
    let last = class.rsplit([':', '.']).next().unwrap_or(class);
    last.starts_with(|first: char| first.is_ascii_uppercase())
        && class.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:.".contains(&byte))
}

/// A message without the classes it begins with.
pub(super) fn bare(line: &str) -> &str {
    let mut line = line.trim();
    while let Some((_, text)) = exception(line) {
        line = text.trim_start();
    }
    line
}

/// Whether a line goes on with the message of the line above it.
pub(super) fn goes_on(line: &str) -> bool {
    line.starts_with(' ') && !line.trim().is_empty() || DETAILS.iter().any(|word| line.starts_with(word))
}

/// The migration that the last lines are of: one that began and has not ended.
pub(super) fn running_migration(lines: &[&str]) -> Option<String> {
    let (migration, runs) = lines.iter().rev().find_map(|line| migration(line))?;
    runs.then(|| migration.to_owned())
}

/// Whether a line tells that a migration begins or ended.
pub(super) fn is_of_migration(line: &str) -> bool {
    migration(line).is_some()
}

/// `main: == 20261001120000 AddIndex: migrating ====`: the migration, and whether it begins.
fn migration(line: &str) -> Option<(&str, bool)> {
    let (before, rest) = line.split_once("== ")?;
    // The name of the database stands before it, where there are several.
    let whole = before.is_empty() || before.trim_end().ends_with(':') && !before.trim_end().contains(' ');
    let (migration, doing) = rest.split_once(": ")?;
    let begins = doing.starts_with("migrating") || doing.starts_with("reverting");
    let ends = doing.starts_with("migrated") || doing.starts_with("reverted");
    (whole && (begins || ends)).then_some((migration, begins))
}
