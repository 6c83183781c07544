//! What is measured, and how.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use rand::RngExt as _;
use tempfile::TempDir;
use tokio::time::{interval, sleep, sleep_until};

use crate::cluster::{Cluster, Gate};
use crate::counter::Counter;
use crate::figures::{Figures, Row};
use crate::programs::{Each, Program, Programs};
use crate::terminal::Terminal;

/// Counts of restarts begin here: see `terminal::highest`.
const FIRST_RESTART: u32 = 100_000;
/// What comes between two events whose way to the screen is measured: each time another, so that they fall into a program's
/// own rhythm anywhere.
const PAUSE: std::ops::Range<u64> = 80..320;
/// How long a program is left alone once it shows the gate.
const SETTLING: Duration = Duration::from_secs(1);
/// A hundred events a second.
const PACE: Duration = Duration::from_millis(10);
/// The events that are on their way to the API server at once, at most: of one object, which the server changes one after the
/// other anyway, and of many.
const AT_ONCE: [usize; 2] = [2, 16];

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Each program is started so often for its start alone.
    pub starts: usize,
    /// It is started so often to see events,
    pub rounds: usize,
    /// so many each time.
    pub events: u32,
    /// How long nothing happens.
    pub quiet: Duration,
    /// How much of that counts as the start, and not as idle.
    pub start: Duration,
    /// How long a hundred events a second come.
    pub busy: Duration,
}

impl Extent {
    /// For figures to publish.
    pub const WHOLE: Self = Self {
        starts: 5,
        rounds: 4,
        events: 15,
        quiet: Duration::from_secs(60),
        start: Duration::from_secs(10),
        busy: Duration::from_secs(15),
    };
    /// To try something out.
    pub const QUICK: Self = Self {
        starts: 2,
        rounds: 1,
        events: 10,
        quiet: Duration::from_secs(12),
        start: Duration::from_secs(4),
        busy: Duration::from_secs(5),
    };
}

/// The comparison, at one number of unrelated pods after the other.
pub struct Comparison<'a> {
    cluster: &'a Cluster,
    programs: &'a Programs,
    gate: Gate,
    restarts: u32,
    extent: Extent,
}

impl<'a> Comparison<'a> {
    /// Makes the upgrade that is watched.
    ///
    /// # Errors
    /// If the cluster refuses it.
    pub async fn begin(cluster: &'a Cluster, programs: &'a Programs, extent: Extent) -> Result<Self> {
        let gate = cluster.upgrade().await?;
        cluster.restart(&gate, FIRST_RESTART, FIRST_RESTART).await?;
        Ok(Self { cluster, programs, gate, restarts: FIRST_RESTART, extent })
    }

    /// Has each program begin anew: it keeps on disk what it keeps there after one start, and nothing of what was measured
    /// before.
    ///
    /// # Errors
    /// If a program does not show the gate.
    pub async fn begin_anew(&self) -> Result<()> {
        self.programs.forget()?;
        for program in Program::ALL {
            self.started(program, &self.cluster.kubeconfig).await?;
        }
        Ok(())
    }

    /// Starts a program, and waits until it shows the gate; returns how long that took.
    async fn started(&self, program: Program, kubeconfig: &Path) -> Result<(Terminal, Duration)> {
        let mut terminal = Terminal::start(self.programs.command(program, kubeconfig))?;
        let shown = terminal.until_shown(self.restarts).await.with_context(|| format!("{program:?}"))?;
        let (_, moment) = shown.last().context("nothing was shown")?;
        let took = terminal.since_start(*moment);
        Ok((terminal, took))
    }

    /// Start-up, and the time from an event to the screen. One program runs at a time, so that none is in another's way, and
    /// they take turns, so that what else happens on the machine falls on all alike.
    ///
    /// # Errors
    /// If a program does not show what it has to.
    pub async fn latency(&mut self, pods: usize, figures: &mut Figures) -> Result<()> {
        let mut starts: Each<Vec<Duration>> = Each::default();
        let mut latencies: Each<Vec<Duration>> = Each::default();
        for _ in 0..self.extent.starts {
            for program in Program::ALL {
                let (_, took) = self.started(program, &self.cluster.kubeconfig).await?;
                starts.get_mut(program).push(took);
            }
        }
        for _ in 0..self.extent.rounds {
            for program in Program::ALL {
                let (mut terminal, took) = self.started(program, &self.cluster.kubeconfig).await?;
                starts.get_mut(program).push(took);
                sleep(SETTLING).await;
                let mut sent = Vec::new();
                for _ in 0..self.extent.events {
                    sleep(Duration::from_millis(rand::rng().random_range(PAUSE))).await;
                    self.restarts += 1;
                    sent.push((self.restarts, Instant::now()));
                    self.cluster.restart(&self.gate, self.restarts, self.restarts).await?;
                }
                let shown = terminal.until_shown(self.restarts).await.with_context(|| format!("{program:?}"))?;
                for (restarts, sent) in sent {
                    // A later count tells as much.
                    let first = shown.iter().find(|(shown, _)| *shown >= restarts).context("never shown")?;
                    latencies.get_mut(program).push(first.1 - sent);
                }
            }
        }
        for (row, durations, share) in
            [(Row::Median, &latencies, 0.5), (Row::NinetyFifth, &latencies, 0.95), (Row::Start, &starts, 0.5)]
        {
            let value = |program| Ok(quantile(durations.get(program), share).as_secs_f64() * 1000.0);
            figures.put(row, pods, Each::of(value)?);
        }
        Ok(())
    }

    /// Memory, processor time and what passes at the API server: first in a quiet minute from the start on, then under
    /// events. All programs run at once, each on a way of its own to the API server, and are counted each for itself.
    ///
    /// # Errors
    /// If a program ends, or the cluster is too slow.
    pub async fn load(&mut self, pods: usize, figures: &mut Figures) -> Result<()> {
        let folder = TempDir::new()?;
        let counters =
            Each::of(|program| Counter::open(&self.cluster.kubeconfig, folder.path(), &format!("{program:?}")))?;
        let begun = tokio::time::Instant::now();
        let (gatewatch, _) = self.started(Program::Gatewatch, &counters.gatewatch.kubeconfig).await?;
        let (kubectl, _) = self.started(Program::Kubectl, &counters.kubectl.kubeconfig).await?;
        let (k9s, _) = self.started(Program::K9s, &counters.k9s.kubeconfig).await?;
        let processes = Each { gatewatch: gatewatch.process()?, kubectl: kubectl.process()?, k9s: k9s.process()? };
        let running = Running { counters: &counters, processes: &processes };

        sleep_until(begun + self.extent.start).await;
        let start = running.look()?;
        sleep_until(begun + self.extent.quiet).await;
        let quiet = running.look()?;
        figures.put(Row::IdleProcessor, pods, start.processor_until(&quiet)?);
        figures.put(Row::QuietRequests, pods, Each::of(|program| Ok(quiet.each.get(program).requests))?);
        figures.put(Row::QuietBytes, pods, Each::of(|program| Ok(quiet.each.get(program).bytes))?);
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        figures.put(Row::Memory, pods, Each::of(|program| Ok(mebibytes(processes.get(program).memory()?)))?);

        let before = running.look()?;
        // No container runs a hundred times a second: there is no new log to read each time.
        let now = self.restarts;
        let changed =
            self.events(figures, AT_ONCE[0], |number| self.cluster.restart(&self.gate, now + 1 + number, now)).await?;
        let after = running.look()?;
        // Two that were on their way at once may have come in either order.
        self.restarts += changed + 1;
        self.cluster.restart(&self.gate, self.restarts, now).await?;
        figures.put(Row::GateProcessor, pods, before.processor_until(&after)?);
        figures.put(Row::GateBytes, pods, before.bytes_until(&after)?);

        if pods > 0 {
            sleep(SETTLING * 3).await;
            let before = running.look()?;
            self.events(figures, AT_ONCE[1], |number| self.cluster.change_unrelated(number as usize % pods, number))
                .await?;
            let after = running.look()?;
            figures.put(Row::UnrelatedProcessor, pods, before.processor_until(&after)?);
            figures.put(Row::UnrelatedBytes, pods, before.bytes_until(&after)?);
        } else {
            // A watch is opened anew every few minutes: what is asked in all is asked in the same time.
            sleep(SETTLING * 3 + self.extent.busy).await;
        }
        let end = running.look()?;
        figures.put(Row::AllRequests, pods, Each::of(|program| Ok(end.each.get(program).requests))?);
        figures.put(Row::PeakMemory, pods, Each::of(|program| Ok(mebibytes(processes.get(program).peak_memory()?)))?);
        Ok(())
    }

    /// Has a hundred events happen each second, and returns how many did.
    async fn events<F: Future<Output = Result<()>>>(
        &self,
        figures: &mut Figures,
        at_once: usize,
        event: impl Fn(u32) -> F,
    ) -> Result<u32> {
        let count = u32::try_from(self.extent.busy.as_millis() / PACE.as_millis())?;
        let begun = Instant::now();
        let ticks = stream::unfold(interval(PACE), async |mut tick| {
            tick.tick().await;
            Some(((), tick))
        });
        let numbers = stream::iter(0..count).zip(ticks).map(|(number, ())| Ok(number));
        numbers.try_for_each_concurrent(at_once, event).await?;
        let took = begun.elapsed();
        if took > self.extent.busy.mul_f64(1.1) {
            figures.complain(format!("the cluster is too slow here: {count} events took {} s", took.as_secs()));
        }
        Ok(count)
    }
}

/// The programs, as they run.
struct Running<'a> {
    counters: &'a Each<Counter>,
    processes: &'a Each<crate::process::Process>,
}

/// What each had cost up to a moment.
struct Look {
    moment: Instant,
    each: Each<Cost>,
}

struct Cost {
    processor: Duration,
    requests: f64,
    /// KiB.
    bytes: f64,
}

impl Running<'_> {
    fn look(&self) -> Result<Look> {
        let each = Each::of(|program| {
            let traffic = self.counters.get(program).traffic();
            let processor = self.processes.get(program).processor_time()?;
            Ok(Cost { processor, requests: traffic.requests as f64, bytes: traffic.bytes as f64 / 1024.0 })
        })?;
        Ok(Look { moment: Instant::now(), each })
    }
}

impl Look {
    /// The processor time from then to `later`, in percent of one core.
    fn processor_until(&self, later: &Self) -> Result<Each<f64>> {
        self.per_second(later, |cost| cost.processor.as_secs_f64() * 100.0)
    }

    fn bytes_until(&self, later: &Self) -> Result<Each<f64>> {
        self.per_second(later, |cost| cost.bytes)
    }

    fn per_second(&self, later: &Self, of: impl Fn(&Cost) -> f64) -> Result<Each<f64>> {
        let seconds = (later.moment - self.moment).as_secs_f64();
        Each::of(|program| Ok((of(later.each.get(program)) - of(self.each.get(program))) / seconds))
    }
}

/// The value below which that share of them lies.
fn quantile(durations: &[Duration], share: f64) -> Duration {
    let mut sorted = durations.to_vec();
    sorted.sort();
    let place = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied().unwrap_or_default()
}
