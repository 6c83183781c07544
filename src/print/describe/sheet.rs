//! Labels and values in columns, as kubectl sets them.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::cluster::{LogLine, clean_line, read};
use crate::print::{LABEL, TITLE, painted};

/// A label and its values, one a line.
pub type Field = (String, Vec<String>);

/// What stands where there is nothing.
pub const NONE: &str = "<none>";

/// Lines that are added one after the other.
pub struct Sheet<'a> {
    pub lines: Vec<LogLine>,
    zone: &'a TimeZone,
}

impl<'a> Sheet<'a> {
    pub fn new(zone: &'a TimeZone) -> Self {
        Self { lines: Vec::new(), zone }
    }

    pub fn blank(&mut self) {
        self.lines.push(LogLine::default());
    }

    pub fn title(&mut self, text: &str) {
        let text = clean_line(text);
        let end = text.len();
        self.lines.push(painted(text, 0, end, TITLE));
    }

    /// A label of a section that follows.
    pub fn head(&mut self, indent: usize, label: &str) {
        let text = format!("{:indent$}{}:", "", clean_line(label));
        let end = text.len();
        self.lines.push(painted(text, indent, end, LABEL));
    }

    pub fn line(&mut self, indent: usize, text: &str) {
        self.lines.push(LogLine { text: format!("{:indent$}{}", "", clean_line(text)), ..LogLine::default() });
    }

    /// Labels and values below each other, the values in one column. Labels without values are left out.
    pub fn fields(&mut self, indent: usize, fields: Vec<Field>) {
        let fields: Vec<Field> = fields.into_iter().filter(|(_, values)| !values.is_empty()).collect();
        let wide = fields.iter().map(|(label, _)| label.chars().count() + 3).max().unwrap_or(0);
        for (label, values) in fields {
            let label = clean_line(&label);
            for (index, value) in values.iter().flat_map(|value| value.split('\n')).enumerate() {
                let value = clean_line(value);
                let shown = if index == 0 { format!("{label}:") } else { String::new() };
                let text = format!("{:indent$}{shown:wide$}{value}", "").trim_end().to_owned();
                let end = (indent + shown.len()).min(text.len());
                self.lines.push(painted(text, indent.min(end), end, LABEL));
            }
        }
    }

    /// Rows in columns below their names; the last column ends where its text does.
    pub fn table(&mut self, indent: usize, names: &[&str], rows: Vec<Vec<String>>) {
        let mut all = vec![names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()];
        all.push(names.iter().map(|name| "-".repeat(name.len())).collect());
        all.extend(rows.into_iter().map(|row| row.iter().map(|cell| clean_line(&cell.replace('\n', " "))).collect()));
        let wide = |column: usize| {
            all.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0) + 2
        };
        let widths: Vec<usize> = (0..names.len()).map(wide).collect();
        for row in &all {
            let cells = row.iter().zip(&widths).map(|(cell, wide)| format!("{cell:wide$}"));
            let text = format!("{:indent$}{}", "", cells.collect::<String>());
            self.lines.push(LogLine { text: text.trim_end().to_owned(), ..LogLine::default() });
        }
    }

    /// A moment, in the user's zone.
    pub fn time(&self, time: Timestamp) -> String {
        time.to_zoned_datetime(self.zone.clone()).strftime("%a, %d %b %Y %H:%M:%S %z").to_string()
    }

    /// A moment of an object, as one value or none.
    pub fn time_at(&self, object: &Value, path: &[&str]) -> Vec<String> {
        read::time(object, path).map(|time| self.time(time)).into_iter().collect()
    }
}

/// A field with the text at `path`, where there is one.
pub fn text(label: &str, object: &Value, path: &[&str]) -> Field {
    field(label, read::message(object, path))
}

/// A field with that value, where there is one.
pub fn field(label: &str, value: Option<String>) -> Field {
    (label.to_owned(), value.into_iter().collect())
}

/// A field with the values, or that says that there is none.
pub fn or_none(label: &str, values: Vec<String>) -> Field {
    let values = if values.is_empty() { vec![NONE.to_owned()] } else { values };
    (label.to_owned(), values)
}

/// The entries of a map as `key=value` or with another sign between.
pub fn pairs(object: &Value, path: &[&str], sign: &str) -> Vec<String> {
    let Some(map) = read::at(object, path).and_then(Value::as_object) else { return Vec::new() };
    map.iter().map(|(key, value)| format!("{key}{sign}{}", word(value))).collect()
}

/// A value as one word: text as it is, everything else as JSON.
pub fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
