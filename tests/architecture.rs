//! The module table of `docs/architecture.md` as a test: what a file of `src/` uses is what the table lets it use.
//!
//! It reads source text, not syntax trees: paths that begin with `crate::` or climb there with `super::`, paths that
//! begin with the name of a dependency, and calls that read the machine's clock. Comments and test modules do not count.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[path = "architecture/table.rs"]
mod table;
#[path = "architecture/uses.rs"]
mod uses;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use table::{Allowed, Row, row_of, table};
use uses::{Use, What, uses};

/// The most lines of a file: beyond that it is no longer one idea.
const LONGEST_FILE: usize = 400;

/// What a file uses and may not, as `file:line: …`.
fn violations(rows: &[Row], file: &str, source: &str, crates: &BTreeSet<String>) -> Vec<String> {
    let Some((row, place)) = row_of(rows, file) else { return vec![format!("src/{file}: no row of the table has it")] };
    let own = file.split(['/', '.']).next().unwrap_or_default();
    let forbidden = uses(file, source, crates).into_iter().filter(|Use { what, .. }| match what {
        What::Module(module) => module != own && module != "self" && !row.modules.allows(module),
        What::Outside(name) => !row.outside.allows(name),
    });
    let told = forbidden.map(|Use { line, what: What::Module(name) | What::Outside(name) }| {
        format!("src/{file}:{line}: uses `{name}`, which `{place}` may not")
    });
    told.collect()
}

/// The names of the dependencies, as code writes them.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let entries = lines.take_while(|line| !line.starts_with('['));
    entries.filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim().replace('-', "_")).collect()
}

/// Every file of `src/` as its path under it and its text, those apart that are compiled for tests only.
fn sources() -> Vec<(String, String)> {
    fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                gather(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let root = root().join("src");
    let mut files = Vec::new();
    gather(&root, &mut files);
    files.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    files.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The files that a `#[cfg(test)] mod name;` brings in, and those below them.
fn test_files(sources: &[(String, String)]) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let mut folders = Vec::new();
    for (file, source) in sources {
        let folder = match file.rsplit_once('/') {
            Some((folder, "mod.rs")) => format!("{folder}/"),
            _ if file == "lib.rs" || file == "main.rs" => String::new(),
            _ => format!("{}/", file.trim_end_matches(".rs")),
        };
        let lines: Vec<&str> = source.lines().map(str::trim).collect();
        for pair in lines.windows(2) {
            let name =
                pair[1].trim_start_matches("pub(crate) ").strip_prefix("mod ").and_then(|name| name.strip_suffix(';'));
            if let (["#[cfg(test)]", _], Some(name)) = (pair, name) {
                files.insert(format!("{folder}{name}.rs"));
                folders.push(format!("{folder}{name}/"));
            }
        }
    }
    let below = |file: &&String| folders.iter().any(|folder| file.starts_with(folder));
    files.extend(sources.iter().map(|(file, _)| file).filter(below).cloned());
    files
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_module_table_holds() {
    let rows = table(&fs::read_to_string(root().join("docs/architecture.md")).unwrap());
    let crates = dependencies(&fs::read_to_string(root().join("Cargo.toml")).unwrap());
    let sources = sources();
    let tests = test_files(&sources);
    let of_program = sources.iter().filter(|(file, _)| !tests.contains(file));
    let found: Vec<String> = of_program.flat_map(|(file, source)| violations(&rows, file, source, &crates)).collect();
    assert!(found.is_empty(), "the table of docs/architecture.md does not allow:\n{}", found.join("\n"));
}

#[test]
fn the_module_table_names_what_there_is() {
    let rows = table(&fs::read_to_string(root().join("docs/architecture.md")).unwrap());
    let crates = dependencies(&fs::read_to_string(root().join("Cargo.toml")).unwrap());
    let sources = sources();
    for row in &rows {
        for place in &row.places {
            let has_file = |(file, _): &(String, String)| row_of(&rows, file).is_some_and(|(_, of)| of == place);
            assert!(sources.iter().any(has_file), "no file of src/ lies in `{place}`");
        }
        let (Allowed::These(modules), Allowed::These(outside)) = (&row.modules, &row.outside) else { continue };
        for module in modules {
            let is_module =
                root().join("src").join(module).is_dir() || root().join(format!("src/{module}.rs")).is_file();
            assert!(is_module, "{:?} may use `{module}`, which is no module", row.places);
        }
        for name in outside {
            // crossterm comes with ratatui, in the version that fits it.
            let known = ["now", "crossterm"].contains(&name.as_str()) || crates.contains(name);
            assert!(known, "{:?} may use `{name}`, which is no dependency", row.places);
        }
    }
}

#[test]
fn the_module_table_allows_nothing_that_nobody_uses() {
    let document = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let crates = dependencies(&fs::read_to_string(root().join("Cargo.toml")).unwrap());
    let sources = sources();
    let tests = test_files(&sources);
    for (index, row) in table(&document).iter().enumerate() {
        let of_row =
            |(file, _): &&(String, String)| !tests.contains(file) && row_of(std::slice::from_ref(row), file).is_some();
        let files: Vec<_> = sources.iter().filter(of_row).collect();
        for name in row.modules.names().into_iter().chain(row.outside.names()) {
            let mut without = table(&document);
            without[index].modules.forget(&name);
            without[index].outside.forget(&name);
            let used = files.iter().any(|(file, source)| !violations(&without, file, source, &crates).is_empty());
            assert!(used, "{:?} may use `{name}`, and does not", row.places);
        }
    }
}

#[test]
fn a_file_holds_one_idea() {
    let long = sources().into_iter().filter(|(_, source)| source.lines().count() > LONGEST_FILE);
    let long: Vec<String> = long.map(|(file, _)| file).collect();
    assert!(long.is_empty(), "longer than {LONGEST_FILE} lines: {long:?}");
}

#[test]
fn a_folder_opens_with_its_purpose() {
    let silent =
        sources().into_iter().filter(|(file, source)| file.ends_with("/mod.rs") && !source.starts_with("//! "));
    let silent: Vec<String> = silent.map(|(file, _)| file).collect();
    assert!(silent.is_empty(), "without `//!` in the first line: {silent:?}");
}

/// A table for the tests of the test.
const TABLE: &str = "
| under `src/` | holds | uses of ours | uses from outside |
|---|---|---|---|
| `app.rs` | composition | everything | everything |
| `gate/` | gates | `cluster` | `jiff`, `k8s-openapi` |
| `tui/` | screens | `gate` | `ratatui`, `now` |
| `tui/view/` | what is drawn | `gate` | `ratatui` |

| another | table |
|---|---|
| `run/` | of two columns |
";

fn told(file: &str, source: &str) -> Vec<String> {
    let crates = ["jiff", "kube", "ratatui", "tokio", "k8s_openapi"].map(str::to_owned);
    violations(&table(TABLE), file, source, &BTreeSet::from(crates))
}

#[test]
fn a_forbidden_module_is_found() {
    let expected = ["src/gate/state.rs:2: uses `run`, which `gate/` may not"];
    assert_eq!(told("gate/state.rs", "use crate::cluster::Job;\nuse crate::run::Run;\n"), expected);
    assert_eq!(told("gate/state.rs", "\nfn f() -> crate::run::Run {}"), expected);
    assert_eq!(told("gate/state.rs", "\nuse super::super::run::Run;"), expected);
    assert_eq!(told("gate/state.rs", "\nuse crate::{\n    cluster::{run, Job},\n    run::{Run, Step},\n};"), expected);
    assert_eq!(told("gate/mod.rs", "use super::run;"), ["src/gate/mod.rs:1: uses `run`, which `gate/` may not"]);
}

#[test]
fn a_forbidden_crate_is_found() {
    assert_eq!(
        told("gate/state.rs", "use jiff::Timestamp;\nuse tokio::sync::mpsc;\nuse k8s_openapi::api;\n"),
        ["src/gate/state.rs:2: uses `tokio`, which `gate/` may not"]
    );
    assert_eq!(
        told("gate/state.rs", "use kube::{Api, Client};"),
        ["src/gate/state.rs:1: uses `kube`, which `gate/` may not"]
    );
    assert_eq!(told("gate/state.rs", "fn f() { tokio::select! {} }").len(), 1);
    assert_eq!(
        told("tui/view/gate.rs", "use ratatui::text::Line;\nuse ratatui::crossterm::event;\n"),
        ["src/tui/view/gate.rs:2: uses `crossterm`, which `tui/view/` may not"]
    );
    assert_eq!(told("gate/state.rs", "let (page, client) = (\"https://kube.rs\", kube::Client);").len(), 1);
}

#[test]
fn a_look_at_the_clock_is_found() {
    for call in ["Timestamp::now()", "jiff::Timestamp::now()", "jiff::Zoned::now()", "std::time::Instant::now()"] {
        assert_eq!(
            told("gate/state.rs", &format!("\n\nlet time = {call};")),
            ["src/gate/state.rs:3: uses `now`, which `gate/` may not"]
        );
    }
    assert!(told("gate/state.rs", "let time = clock.now();").is_empty());
}

#[test]
fn a_folder_inside_another_has_its_own_rules() {
    assert!(told("tui/driver.rs", "let time = Instant::now();").is_empty());
    assert_eq!(told("tui/view/gate.rs", "let time = Instant::now();").len(), 1);
}

#[test]
fn a_file_that_no_row_has_is_found() {
    assert_eq!(told("run/mod.rs", ""), ["src/run/mod.rs: no row of the table has it"]);
}

#[test]
fn what_is_allowed_is_not_reported() {
    assert!(told("app.rs", "use crate::run::derive;\nuse tokio::sync;\nlet now = Instant::now();").is_empty());
    assert!(told("gate/state.rs", "use crate::gate::Gate;\nuse super::Attempts;\nuse self::inner::X;").is_empty());
    assert!(told("gate/state.rs", "//! [`Run`](crate::run::Run), kube::Client\n// tokio::spawn\n").is_empty());
    assert!(told("gate/state.rs", "#[cfg(test)]\nmod tests {\n    use crate::run::Run;\n}\n").is_empty());
    assert!(told("gate/state.rs", "let x = mykube::Client;").is_empty());
}

#[test]
fn a_module_for_tests_is_known_by_its_declaration() {
    let sources = [
        ("gate/mod.rs".to_owned(), "mod state;\n\n#[cfg(test)]\nmod fixture;\n".to_owned()),
        ("gate/state.rs".to_owned(), "#[cfg(test)]\nmod tests;\n".to_owned()),
        ("gate/state/tests/rules.rs".to_owned(), String::new()),
    ];
    let tests = test_files(&sources);
    assert!(tests.contains("gate/fixture.rs") && tests.contains("gate/state/tests.rs"));
    assert!(tests.contains("gate/state/tests/rules.rs"), "what a module for tests declares is one too");
    assert!(!tests.contains("gate/state.rs"));
}
