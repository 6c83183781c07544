//! gatewatch beside `kubectl get -w` and k9s, on a real API server and in one run: `cargo bench --bench compare`.
//!
//! Each watches the same gate in a terminal, with any number of unrelated pods in its namespace. What comes out is a table
//! in Markdown, for `docs/performance.md`; the exit code tells whether what is demanded holds.
//!
//! | file | holds |
//! |---|---|
//! | `cluster` | the upgrade that is watched, and the pods beside it |
//! | `programs` | what is compared, and how each is run |
//! | `terminal` | a program in a terminal, and when it showed what |
//! | `process` | what a process costs |
//! | `counter` | a way to the API server that counts |
//! | `measure` | what is measured, and how |
//! | `figures` | the table, and what is demanded |

mod cluster;
mod counter;
mod figures;
#[path = "../../tests/cluster/harness/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
mod harness;
mod measure;
#[path = "../../tests/common/names.rs"]
mod names;
mod process;
mod programs;
mod terminal;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, ValueEnum};

use cluster::Cluster;
use figures::Figures;
use measure::{Comparison, Extent};
use programs::Programs;

/// Compares gatewatch with `kubectl get -w` and k9s.
#[derive(Parser)]
struct Options {
    /// Measure less, to try something out
    #[arg(long)]
    quick: bool,
    /// Numbers of unrelated pods, rising
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1_000, 10_000])]
    pods: Vec<usize>,
    /// Measure that alone
    #[arg(long)]
    only: Option<Part>,
    /// What cargo says to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Start-up, and the time from an event to the screen
    Latency,
    /// Memory, processor time, and traffic at the API server
    Load,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    if let Some(missing) = harness::missing() {
        eprintln!("the comparison is skipped: {missing}");
        return Ok(ExitCode::SUCCESS);
    }
    let programs = Programs::compile()?;
    let raised = harness::Cluster::raise()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(compare(&options, &raised.kubeconfig(), &programs))
}

async fn compare(options: &Options, kubeconfig: &Path, programs: &Programs) -> Result<ExitCode> {
    let cluster = Cluster::at(kubeconfig.to_owned()).await?;
    let extent = if options.quick { Extent::QUICK } else { Extent::WHOLE };
    let mut figures = Figures::default();
    let mut comparison = Comparison::begin(&cluster, programs, extent).await?;
    let mut there = 0;
    for pods in options.pods.iter().copied() {
        eprintln!("compare: {pods} unrelated pods");
        cluster.make_unrelated(there..pods).await?;
        there = pods;
        comparison.begin_anew().await?;
        if options.only != Some(Part::Load) {
            comparison.latency(pods, &mut figures).await?;
        }
        if options.only != Some(Part::Latency) {
            comparison.load(pods, &mut figures).await?;
        }
    }
    println!("{}; Kubernetes {}\n", programs.versions(), cluster.version().await?);
    println!("{}\n{}", figures.table(), figures.growth());
    let failures = figures.failures();
    failures.iter().for_each(|failure| println!("compare: {failure}"));
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
