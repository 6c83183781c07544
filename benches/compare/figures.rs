//! The figures, as a table of ratios, and what is demanded of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::programs::Each;

/// How much later than `kubectl get -w` the median may come.
const LATEST: f64 = 1.2;
/// By how much a figure may grow from the fewest unrelated pods to the most; a time, that of the processor too, beside what
/// kubectl's grows by: that is the API server, which looks through all pods for those of a selector, and the machine.
const FLAT: f64 = 1.15;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Row {
    Median,
    NinetyFifth,
    Start,
    Memory,
    PeakMemory,
    IdleProcessor,
    GateProcessor,
    UnrelatedProcessor,
    QuietRequests,
    AllRequests,
    QuietBytes,
    GateBytes,
    UnrelatedBytes,
}

impl Row {
    /// What it is, in words, and its unit.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Median => ("event to screen, median", "ms"),
            Self::NinetyFifth => ("event to screen, 95th percentile", "ms"),
            Self::Start => ("start-up", "ms"),
            Self::Memory => ("memory after a quiet minute", "MiB"),
            Self::PeakMemory => ("memory, peak of all", "MiB"),
            Self::IdleProcessor => ("CPU, idle", "%"),
            Self::GateProcessor => ("CPU, 100 events a second of the gate", "%"),
            Self::UnrelatedProcessor => ("CPU, 100 events a second of other pods", "%"),
            Self::QuietRequests => ("requests, start and a quiet minute", ""),
            Self::AllRequests => ("requests, with all the events after it", ""),
            Self::QuietBytes => ("traffic, start and a quiet minute", "KiB"),
            Self::GateBytes => ("traffic a second, under events of the gate", "KiB"),
            Self::UnrelatedBytes => ("traffic a second, under events of other pods", "KiB"),
        }
    }

    /// What is too little to tell of, in its unit: what a page or the head of a request more make, or the ticks of the clock by
    /// which two looks at a process over a quarter of a minute may differ.
    fn grain(self) -> f64 {
        match self.words().1 {
            "%" => 0.2,
            "KiB" => 2.0,
            _ => 1.0,
        }
    }
}

/// What was measured, by what and at how many unrelated pods.
#[derive(Default)]
pub struct Figures {
    values: BTreeMap<(Row, usize), Each<f64>>,
    complaints: Vec<String>,
}

impl Figures {
    /// Notes it.
    pub fn put(&mut self, row: Row, pods: usize, values: Each<f64>) {
        self.values.insert((row, pods), values);
    }

    /// Notes why they are not to be trusted.
    pub fn complain(&mut self, complaint: String) {
        self.complaints.push(complaint);
    }

    /// A table of all of it in Markdown: the ratios are gatewatch's, to each of the others.
    pub fn table(&self) -> String {
        let mut table = "| | other pods | gatewatch | kubectl | k9s | to kubectl | to k9s |\n".to_owned();
        table += "|---|--:|--:|--:|--:|--:|--:|\n";
        let mut last = None;
        for ((row, pods), each) in &self.values {
            let (name, unit) = row.words();
            let named = if last == Some(row) { "" } else { name };
            last = Some(row);
            let values = [each.gatewatch, each.kubectl, each.k9s].map(|value| valued(value, unit)).join(" | ");
            let ratios = [each.kubectl, each.k9s].map(|other| ratio(each.gatewatch, other)).join(" | ");
            let _ = writeln!(table, "| {named} | {} | {values} | {ratios} |", grouped(*pods));
        }
        table
    }

    /// How each grows from the fewest unrelated pods to the most.
    pub fn growth(&self) -> String {
        let mut table = "| most to fewest other pods | gatewatch | kubectl | k9s |\n|---|--:|--:|--:|\n".to_owned();
        for (row, fewest, most) in self.ends() {
            let pairs = [(most.gatewatch, fewest.gatewatch), (most.kubectl, fewest.kubectl), (most.k9s, fewest.k9s)];
            let ratios = pairs.map(|(most, fewest)| ratio(most, fewest)).join(" | ");
            let _ = writeln!(table, "| {} | {ratios} |", row.words().0);
        }
        table
    }

    /// What is demanded and is not so, in words.
    pub fn failures(&self) -> Vec<String> {
        let mut failures = self.complaints.clone();
        for ((row, pods), each) in &self.values {
            let (name, pods) = (row.words().0, grouped(*pods));
            if *row == Row::Median && each.gatewatch > LATEST * each.kubectl {
                failures.push(format!("{name}, {pods} other pods: more than {LATEST} times kubectl's"));
            }
            if each.gatewatch > each.k9s + row.grain() {
                failures.push(format!("{name}, {pods} other pods: more than that of k9s"));
            }
        }
        for (row, fewest, most) in self.ends() {
            let of_server = if ["ms", "%"].contains(&row.words().1) && fewest.kubectl > row.grain() {
                (most.kubectl / fewest.kubectl).max(1.0)
            } else {
                1.0
            };
            if most.gatewatch > FLAT * of_server * fewest.gatewatch + row.grain() {
                failures.push(format!("{}: grows with other pods", row.words().0));
            }
        }
        failures
    }

    /// Each row with its values at the fewest and at the most unrelated pods.
    fn ends(&self) -> impl Iterator<Item = (Row, &Each<f64>, &Each<f64>)> {
        let mut rows: Vec<Row> = self.values.keys().map(|(row, _)| *row).collect();
        rows.dedup();
        rows.into_iter().filter_map(|row| {
            let mut of_row = self.values.range((row, 0)..=(row, usize::MAX));
            let ((_, fewest), (_, most)) = (of_row.next()?, of_row.next_back()?);
            Some((row, fewest, most))
        })
    }
}

fn valued(value: f64, unit: &str) -> String {
    let digits = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}").trim_end().to_owned()
}

fn ratio(value: f64, other: f64) -> String {
    if other > 0.0 { format!("{:.2}", value / other) } else { "–".to_owned() }
}

fn grouped(count: usize) -> String {
    if count < 1000 { count.to_string() } else { format!("{},{:03}", count / 1000, count % 1000) }
}
