//! What a file uses, read from its text.

use std::collections::BTreeSet;

/// What a file uses, and in which line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    pub line: usize,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Module(String),
    Outside(String),
}

/// `source` with comments blanked and without the test module at its end, its lines kept.
fn code(source: &str) -> String {
    let mut code = String::new();
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        let is_test = line.trim() == "#[cfg(test)]";
        if is_test && lines.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{')) {
            break;
        }
        // A `//` after a colon is an address.
        let comment = line.match_indices("//").find(|(at, _)| !line[..*at].ends_with(':'));
        code.push_str(comment.map_or(line, |(at, _)| &line[..at]));
        code.push('\n');
    }
    code
}

/// The identifier that `text` begins with.
fn identifier(text: &str) -> &str {
    let end = text.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(text.len());
    &text[..end]
}

/// The first names of a use tree: one, or those of a group in braces.
fn first_names(tree: &str) -> Vec<String> {
    let Some(group) = tree.strip_prefix('{') else { return vec![identifier(tree).to_owned()] };
    let mut names = Vec::new();
    let (mut depth, mut starts) = (0, true);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => starts = true,
            _ if starts && !character.is_whitespace() => {
                names.push(identifier(&group[at..]).to_owned());
                starts = false;
            }
            _ => {}
        }
    }
    names
}

/// What a file uses. `file` is its path under `src/`, `crates` the names of the dependencies.
pub fn uses(file: &str, source: &str, crates: &BTreeSet<String>) -> BTreeSet<Use> {
    let code = code(source);
    let mut modules = file.trim_end_matches(".rs").trim_end_matches("/mod").split('/').count();
    if matches!(file, "lib.rs" | "main.rs") {
        modules = 0;
    }
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("::") {
        let before = &code[..at];
        let start =
            before.rfind(|character: char| !character.is_alphanumeric() && character != '_' && character != ':');
        let path = &before[start.map_or(0, |start| start + 1)..];
        let tree = code[at + 2..].trim_start();
        let line = before.lines().count();
        let climbed = path.split("::").all(|part| part == "super") && path.split("::").count() == modules;
        if path == "crate" || path == "gatewatch" || climbed {
            let names = first_names(tree).into_iter();
            found.extend(names.map(|name| Use { line, what: What::Module(name) }));
        } else if crates.contains(path) {
            found.insert(Use { line, what: What::Outside(path.to_owned()) });
            // ratatui hands out the terminal's library under a name of its own.
            if path == "ratatui" && first_names(tree).iter().any(|name| name == "crossterm") {
                found.insert(Use { line, what: What::Outside("crossterm".into()) });
            }
        }
        let clock = ["Timestamp", "Zoned", "SystemTime", "Instant"];
        let asks = clock.iter().any(|clock| path == *clock || path.ends_with(&format!("::{clock}")));
        if asks && identifier(tree) == "now" {
            found.insert(Use { line, what: What::Outside("now".into()) });
        }
    }
    found
}
