//! The module table: who may use what.

/// A row of the module table.
#[derive(Debug)]
pub struct Row {
    /// Files and folders under `src/`, the folders with a slash at their end.
    pub places: Vec<String>,
    /// Our modules that they may use, besides their own.
    pub modules: Allowed,
    /// Outside crates that they may use, and `now` for the machine's clock.
    pub outside: Allowed,
}

#[derive(Debug)]
pub enum Allowed {
    Everything,
    These(Vec<String>),
}

impl Allowed {
    fn read(cell: &str) -> Self {
        if cell.trim() == "everything" { Self::Everything } else { Self::These(backquoted(cell)) }
    }

    pub fn names(&self) -> Vec<String> {
        if let Self::These(names) = self { names.clone() } else { Vec::new() }
    }

    pub fn forget(&mut self, name: &str) {
        if let Self::These(names) = self {
            names.retain(|known| known != name);
        }
    }

    pub fn allows(&self, name: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::These(names) => names.iter().any(|allowed| allowed == name),
        }
    }
}

/// The words of a table cell that stand in backquotes; a folder without its slash, a crate as code writes it.
fn backquoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(|name| name.replace('-', "_")).collect()
}

/// The module table: the first table of the document with four columns.
pub fn table(document: &str) -> Vec<Row> {
    let rows = document.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix('|')?.trim_end().strip_suffix('|')?.split('|').collect();
        let [places, _, modules, outside] = cells.as_slice() else { return None };
        let places = backquoted(places);
        let row = Row { places, modules: Allowed::read(modules), outside: Allowed::read(outside) };
        (!row.places.iter().any(|place| place == "src/") && !row.places.is_empty()).then_some(row)
    });
    rows.collect()
}

/// The row that a file belongs to: that of the longest place it lies in.
pub fn row_of<'a>(rows: &'a [Row], file: &str) -> Option<(&'a Row, &'a str)> {
    let places = rows.iter().flat_map(|row| row.places.iter().map(move |place| (row, place.as_str())));
    places
        .filter(|(_, place)| file == *place || (place.ends_with('/') && file.starts_with(place)))
        .max_by_key(|(_, place)| place.len())
}
