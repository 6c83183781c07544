//! What of the model is seen: the moment that is shown, be it now or past, and what is selected in it. Views ask here, and do
//! not care which moment it is.

use jiff::Timestamp;

use super::model::{BEATS_A_PAGE, Focus, Mode, Model, Over, Screen};
use crate::cluster::{Feed, Uid};
use crate::journal::{Entry, Journal};
use crate::run::{GONE, Run, RunName, Source, Step, Verdict};
use crate::tape::{Gauge, Moment, Shown};

impl Model {
    /// The moment that is shown, where it is none of the frontier.
    fn past(&self) -> Option<&Moment> {
        match &self.shown {
            Shown::Past(moment, _) => Some(moment),
            Shown::Now | Shown::Frontier(_) => None,
        }
    }

    /// All runs.
    pub(super) fn runs(&self) -> &[Run] {
        &self.past().unwrap_or(&self.frontier).runs
    }

    /// How the watches fare: of the cluster of the run that is shown, where several are watched.
    pub(super) fn feed(&self) -> &Feed {
        self.feeds().of(self.run().and_then(|run| run.cluster.as_ref()))
    }

    /// How the watches of all clusters fare.
    pub(super) fn feeds(&self) -> &Feed {
        &self.past().unwrap_or(&self.frontier).feed
    }

    /// The time: the machine's, or the recorded one of the moment that is shown.
    pub(super) fn now(&self) -> Timestamp {
        match &self.shown {
            Shown::Now => self.frontier.time,
            Shown::Frontier(gauge) => gauge.time,
            Shown::Past(moment, _) => moment.time,
        }
    }

    /// How the playhead stands: always in a replay, and while somebody looks back at what is live.
    pub(super) fn gauge(&self) -> Option<&Gauge> {
        match &self.shown {
            Shown::Now => None,
            Shown::Frontier(gauge) | Shown::Past(_, gauge) => Some(gauge),
        }
    }

    /// That, while somebody looks back at what is live: what is shown is not what is.
    pub(super) fn looks_back(&self) -> Option<&Gauge> {
        self.gauge().filter(|_| !self.settings.origin.is_recording())
    }

    /// The entries of the journal of that run, or of all of them, up to the moment that is shown, oldest first.
    pub(super) fn entries(&self, run: Option<&Uid>) -> Vec<(&RunName, &Entry)> {
        let mut entries = self.journals.entries(run);
        if let Some(moment) = self.past() {
            entries.retain(|(_, entry)| entry.time <= moment.time);
        }
        entries
    }

    /// The instance that was there last, and until when, where all of them are gone.
    pub(super) fn gone(&self) -> Option<(&RunName, Timestamp)> {
        let entries = self.entries(None).into_iter().filter(|_| self.runs().is_empty());
        entries.rev().find(|(_, entry)| entry.to == GONE).map(|(name, entry)| (name, entry.time))
    }

    /// The run that is shown: the only one, or the one that was opened. In a kiosk, the one whose turn it is.
    pub(super) fn run(&self) -> Option<&Run> {
        if self.settings.mode != Mode::Interactive {
            return self.pages().get(self.page()).copied();
        }
        match self.runs() {
            [only] => Some(only),
            runs => runs.iter().find(|run| Some(&run.uid) == self.opened.as_ref()),
        }
    }

    /// The journal of a run, as it is to be kept.
    pub(super) fn journal(&self, run: &Uid) -> Option<&Journal> {
        self.journals.of(run)
    }

    /// The runs that a kiosk shows in turn. While there is anything else, Jobs that are done are not: there can be hundreds of them,
    /// and what fails would have its turn once an hour.
    pub(super) fn pages(&self) -> Vec<&Run> {
        let done = |run: &Run| run.source == Source::Job && run.verdict == Verdict::Settled;
        let all = self.runs().iter();
        let open: Vec<&Run> = all.clone().filter(|run| !done(run)).collect();
        if open.is_empty() { all.collect() } else { open }
    }

    /// The page of a kiosk whose turn it is, from 0.
    pub(super) fn page(&self) -> usize {
        (self.beat / BEATS_A_PAGE).checked_rem(self.pages().len()).unwrap_or(0)
    }

    /// The number of the selected step in its run.
    pub(super) fn selected(&self) -> Option<usize> {
        let run = self.run()?;
        let chosen = match self.focus {
            Focus::Step(id) => run.steps.iter().position(|step| step.id == id),
            Focus::Current => None,
        };
        chosen.or_else(|| run.current())
    }

    /// The selected step.
    pub(super) fn step(&self) -> Option<&Step> {
        self.run()?.steps.get(self.selected()?)
    }

    /// The command of the selected step, or of the one whose logs are read, as it is typed into a shell.
    pub(super) fn command(&self) -> Option<String> {
        let command = match self.screen() {
            Screen::Logs(_, logs) => logs.job.command.as_ref(),
            _ => self.step()?.command(),
        };
        let command = command.filter(|_| !self.settings.redact)?;
        Some(command.shell(&self.settings.target))
    }

    /// What is searched in the text that is read.
    pub(super) fn searched(&self) -> Option<&str> {
        let Some(Over::Text(reading)) = self.over.last() else { return None };
        reading.pager.search.as_ref().map(|search| search.pattern().text())
    }

    /// The instances that the filter lets through, and the Jobs in a state that it names.
    pub(super) fn listed(&self) -> Vec<&Run> {
        let wanted = self.filter.to_lowercase();
        // The state is asked for by its word: of hundreds of Jobs those are looked for that failed.
        let in_state = |run: &Run| !wanted.is_empty() && run.source == Source::Job && run.word().starts_with(&wanted);
        let matches = |run: &&Run| in_state(run) || run.full_name().to_string().to_lowercase().contains(&wanted);
        self.runs().iter().filter(matches).collect()
    }

    /// The place of the selected instance in the list.
    pub(super) fn row(&self, listed: &[&Run]) -> usize {
        listed.iter().position(|run| Some(&run.uid) == self.cursor.as_ref()).unwrap_or(0)
    }

    /// A message as it is shown: where messages stay hidden, not at all.
    pub(super) fn told<'a>(&self, message: &'a str) -> &'a str {
        if self.settings.redact { "" } else { message }
    }

    /// How far the topmost screen is scrolled.
    pub(super) fn scroll(&self) -> usize {
        match self.over.last() {
            Some(Over::Detail { scroll } | Over::Help { scroll }) => *scroll,
            Some(Over::Journal { scroll }) => scroll.unwrap_or(usize::MAX),
            _ => 0,
        }
    }
}
