//! Reading the file, and what is wrong in it: each time with the line.

use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::settings::{About, Section, Visitor};
use super::value::Value;
use super::{Chosen, Config, Origin, Place};

/// Takes from the file what neither a flag nor the environment chose.
pub(super) fn read(config: &mut Config) -> Result<(), String> {
    let place = config.place.clone();
    let Some(path) = place.path() else { return Ok(()) };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound && matches!(place, Place::OfUser(_)) => return Ok(()),
        Err(error) => {
            let advice = "mend it, or name another with --config";
            return Err(format!("cannot read the configuration `{}`: {error}; {advice}", path.display()));
        }
    };
    take(config, path, &text)
}

/// Takes what the text of a file sets.
fn take(config: &mut Config, path: &Path, text: &str) -> Result<(), String> {
    let text = Text { path, text };
    let table = DeTable::parse(text.text).map_err(|error| {
        // What the parser tells can be of several lines.
        let words = error.message().replace('\n', ", ");
        text.fault(error.span().unwrap_or_default(), &format!("this is not TOML: {words}"))
    })?;
    let mut entries = Entries { text, entries: flat(table.into_inner(), text)?, section: None, known: Vec::new() };
    config.each(&mut entries)?;
    entries.unknown()
}

/// The text of the file, and which that is.
#[derive(Clone, Copy)]
struct Text<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Text<'_> {
    fn line(self, at: &Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..at.start).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    fn fault(self, at: Range<usize>, words: &str) -> String {
        format!("{}:{}: {words}", self.path.display(), self.line(&at))
    }
}

/// One line of the file that sets something.
struct Entry<'a> {
    section: Option<String>,
    name: Spanned<String>,
    value: Spanned<DeValue<'a>>,
}

/// The names of the tables.
const TABLES: [&str; 2] = ["colours", "keys"];

/// All entries, those of tables too.
fn flat<'a>(table: DeTable<'a>, text: Text<'_>) -> Result<Vec<Entry<'a>>, String> {
    let mut entries = Vec::new();
    for (name, value) in table {
        let name = Spanned::new(name.span(), name.into_inner().into_owned());
        if !TABLES.contains(&name.get_ref().as_str()) {
            entries.push(Entry { section: None, name, value });
            continue;
        }
        let section = name.get_ref().clone();
        let DeValue::Table(table) = value.into_inner() else {
            return Err(
                text.fault(name.span(), &format!("`{section}` is a table: write [{section}] on a line of its own"))
            );
        };
        entries.extend(table.into_iter().map(|(name, value)| Entry {
            section: Some(section.clone()),
            name: Spanned::new(name.span(), name.into_inner().into_owned()),
            value,
        }));
    }
    Ok(entries)
}

struct Entries<'a> {
    text: Text<'a>,
    /// Those that no setting took yet.
    entries: Vec<Entry<'a>>,
    section: Option<&'static str>,
    /// The settings there are, each with its section.
    known: Vec<(Option<&'static str>, &'static str)>,
}

impl Visitor for Entries<'_> {
    fn section(&mut self, section: Section) {
        self.section = section.name;
    }

    fn setting<T: Value>(&mut self, about: About<T>, chosen: &mut Option<Chosen<T>>) -> Result<(), String> {
        self.known.push((self.section, about.name));
        let is = |entry: &Entry<'_>| entry.section.as_deref() == self.section && entry.name.get_ref() == about.name;
        let Some(index) = self.entries.iter().position(is) else { return Ok(()) };
        let entry = self.entries.swap_remove(index);
        let Some(value) = T::of_toml(entry.value.get_ref()) else {
            let written = self.text.text.get(entry.value.span()).unwrap_or_default();
            let words = format!("`{}` takes {}, not {written}", about.name, T::takes());
            return Err(self.text.fault(entry.value.span(), &words));
        };
        chosen.get_or_insert(Chosen { value, origin: Origin::File { line: self.text.line(&entry.name.span()) } });
        Ok(())
    }
}

impl Entries<'_> {
    /// That nothing is left which is no setting: what is written in vain is written by mistake.
    fn unknown(self) -> Result<(), String> {
        let first = self.entries.iter().min_by_key(|entry| entry.name.span().start);
        let Some(Entry { section, name, .. }) = first else { return Ok(()) };
        let (section, at, name) = (section.as_deref(), name.span(), name.get_ref().as_str());
        let place = section.map(|section| format!(" of [{section}]")).unwrap_or_default();
        let advice = match self.meant(section, name) {
            Some(meant) => format!("did you mean {meant}?"),
            None => "`gatewatch config` lists them all".to_owned(),
        };
        Err(self.text.fault(at, &format!("`{name}` is no setting{place}; {advice}")))
    }

    /// What was probably meant: what is called like it elsewhere, else what is called nearly like it.
    fn meant(&self, section: Option<&str>, name: &str) -> Option<String> {
        let word = |section: Option<&str>, name: &str| match section {
            Some(section) => format!("`{name}` in [{section}]"),
            None => format!("`{name}`"),
        };
        if let Some((elsewhere, _)) = self.known.iter().find(|(_, known)| *known == name) {
            return Some(match elsewhere {
                Some(_) => word(*elsewhere, name),
                None => format!("`{name}` before the first table"),
            });
        }
        let tables = TABLES.iter().map(|table| (*table, format!("[{table}]"))).filter(|_| section.is_none());
        let here = self.known.iter().filter(|(of, _)| *of == section).map(|(_, known)| (*known, word(None, known)));
        let near = tables.chain(here).map(|(known, word)| (strsim::jaro(known, name), word));
        let near = near.filter(|(near, _)| *near > 0.7).max_by(|(one, _), (other, _)| one.total_cmp(other));
        near.map(|(_, word)| word)
    }
}

#[cfg(test)]
mod tests;
