//! What stands in a report, in its order.

use jiff::Timestamp;

use super::course::Said;
use super::document::{Block, Document, Piece, Text, TimeLine, Times};
use super::hops::{Hop, Lane, known_word};
use super::jobs::{Evidence, How, Job, Told};
use super::report::{Instance, Line, Origin, Report};
use crate::cluster::ExcerptKind;
use crate::journal::How as Heard;
use crate::run::{Source, StepId};
use Piece::{Count, Date, State, Time, Took, Word};

/// The document that a report is.
pub(super) fn document(report: &Report) -> Document<'_> {
    let upgrades = report.instances.iter().all(|instance| instance.source == Source::GitLabCore);
    let title = vec![Word(if upgrades { "Upgrade report: " } else { "Report: " }), Piece::theirs(&report.source)];
    let mut blocks = vec![Block::Heading(1, title.clone()), Block::Facts(facts(report))];
    blocks.extend(report.notes.iter().map(|note| Block::Paragraph(vec![Word("Note: "), Piece::theirs(note)])));
    for instance in &report.instances {
        instance.write(&mut blocks);
    }
    Document { title, blocks, times: Times::of(times(report)) }
}

/// Every time that is told with its clock alone.
fn times(report: &Report) -> impl Iterator<Item = Timestamp> {
    let axes = report.instances.iter().filter_map(|instance| instance.axis).flat_map(|axis| [axis.from(), axis.to()]);
    let entries = report.instances.iter().flat_map(|instance| &instance.journal).map(|line| line.time);
    axes.chain(entries)
}

fn facts(report: &Report) -> Vec<(&'static str, Text<'_>)> {
    let watched = match report.origin {
        Origin::Recording { first, last } => vec![
            Word("a recording, from "),
            Date(first),
            Word(" to "),
            Date(last),
            Word(" UTC ("),
            Took(last.duration_since(first)),
            Word(")"),
        ],
        Origin::Dump => vec![
            Word("a dump: it shows one moment, and does not tell which; what it tells last is of "),
            Date(report.time),
            Word(" UTC"),
        ],
        Origin::Cluster => {
            let mut words = vec![Word("one look at the cluster, at "), Date(report.time), Word(" UTC")];
            let entries = report.instances.iter().flat_map(|instance| &instance.journal);
            match entries.map(|line| line.time).min().filter(|time| *time < report.time) {
                Some(since) => {
                    words.extend([
                        Word(", and the journal that gatewatch kept here since "),
                        Date(since),
                        Word(" UTC"),
                    ]);
                }
                None => words.push(Word("; nothing of it was kept here before")),
            }
            words
        }
    };
    let mut facts = vec![("Seen in", watched), ("Times", vec![Word("UTC")])];
    if report.redacted {
        facts.push(("Left out", vec![Word("messages, commands and logs (--redact)")]));
    }
    facts.push(("Made by", vec![Word("gatewatch "), Word(env!("CARGO_PKG_VERSION"))]));
    facts
}

impl Instance {
    fn write<'a>(&'a self, blocks: &mut Vec<Block<'a>>) {
        blocks.push(Block::Heading(2, vec![Piece::theirs(&self.name), Word(": "), State(self.verdict)]));
        blocks.push(Block::Paragraph(vec![Piece::theirs(&self.words)]));
        blocks.push(Block::Facts(self.facts()));
        if let Some(axis) = self.axis {
            blocks.push(Block::Heading(3, vec![Word("Time line")]));
            blocks.push(Block::TimeLine(TimeLine { name: &self.name, axis, hops: &self.hops, outages: &self.outages }));
        }
        if !self.hops.is_empty() {
            blocks.push(Block::Heading(3, vec![Word("Steps")]));
            blocks.push(self.steps());
        }
        for lane in self.hops.iter().flat_map(|hop| &hop.lanes) {
            lane.jobs.iter().filter(|job| job.is_worth_a_section()).for_each(|job| job.write(blocks));
        }
        if let Some(attempts) = self.other_attempts() {
            blocks.push(Block::Heading(3, vec![Word("Other attempts")]));
            blocks.push(attempts);
        }
        if !self.said.is_empty() {
            blocks.push(Block::Heading(3, vec![Word("What the operator said")]));
            blocks.push(self.operator());
        }
        blocks.push(Block::Heading(3, vec![Word("Journal")]));
        blocks.push(match self.journal.as_slice() {
            [] => Block::Paragraph(vec![Word("Nothing was told of it.")]),
            lines => Block::table(&["Time", "What", "State", "Told"], lines.iter().map(Line::row).collect()),
        });
    }

    fn facts(&self) -> Vec<(&'static str, Text<'_>)> {
        let mut facts = Vec::new();
        let mut version = |name, version: &'_ Option<String>| {
            if let Some(version) = version {
                facts.push((name, vec![Piece::Theirs(version.clone().into())]));
            }
        };
        version("Made by", &self.made_by);
        version("From", &self.from);
        version("To", &self.target);
        if self.path.len() > 1 {
            let mut path: Text<'_> = Vec::new();
            for version in &self.path {
                if !path.is_empty() {
                    path.push(Word(", "));
                }
                path.push(Piece::theirs(version));
            }
            facts.push(("Hops", path));
        }
        facts.push(("Began", moment(self.started)));
        facts.push(("Ended", moment(self.ended)));
        if let (Some(started), Some(ended)) = (self.started, self.ended) {
            facts.push(("Took", vec![Took(ended.duration_since(started))]));
        }
        facts
    }

    fn steps(&self) -> Block<'_> {
        let columns = ["Hop", "Step", "State", "Started", "Ended", "Took", "Failed attempts", "Deadline", "Replicas"];
        let rows = self.hops.iter().flat_map(|hop| hop.lanes.iter().map(|lane| lane.row(self.name_of(hop))));
        Block::table(&columns, rows.collect())
    }

    /// The attempts of the Jobs of which there is nothing more to tell.
    fn other_attempts(&self) -> Option<Block<'_>> {
        let mut rows = Vec::new();
        for (hop, lane) in self.hops.iter().flat_map(|hop| hop.lanes.iter().map(move |lane| (hop, lane))) {
            for attempt in lane.jobs.iter().filter(|job| !job.is_worth_a_section()).flat_map(|job| &job.attempts) {
                rows.push([vec![self.name_of(hop), vec![Word(lane.step.title())]], attempt.row()].concat());
            }
        }
        let columns = ["Hop", "Step", "Attempt", "Started", "Ended", "Took", "Outcome", "Cause", "Pod", "Node"];
        (!rows.is_empty()).then(|| Block::table(&columns, rows))
    }

    /// The version of a hop, where there are several.
    fn name_of<'a>(&self, hop: &'a Hop) -> Text<'a> {
        let version = hop.version.as_deref().filter(|_| self.hops.len() > 1);
        version.map(Piece::theirs).into_iter().collect()
    }

    fn operator(&self) -> Block<'_> {
        let row = |said: &'_ Said| {
            let mut differed = clock(said.differed);
            if let (Some(since), Some(until)) = (said.differed, said.until) {
                differed.extend([Word(", for "), Took(until.duration_since(since))]);
            }
            vec![
                vec![Time(said.time)],
                vec![Piece::theirs(said.reason.clone())],
                theirs(said.message.clone()),
                differed,
            ]
        };
        let columns = ["Heard", "Reason", "Message", "The cluster had moved on"];
        Block::table(&columns, self.said.iter().map(row).collect())
    }
}

fn theirs<'a>(text: String) -> Text<'a> {
    if text.is_empty() { Vec::new() } else { vec![Piece::theirs(text)] }
}

fn clock<'a>(time: Option<Timestamp>) -> Text<'a> {
    time.map(Time).into_iter().collect()
}

fn moment<'a>(time: Option<Timestamp>) -> Text<'a> {
    time.map_or_else(|| vec![Word("not told")], |time| vec![Date(time), Word(" UTC")])
}

fn took<'a>(started: Option<Timestamp>, ended: Option<Timestamp>) -> Text<'a> {
    started.zip(ended).map(|(started, ended)| Took(ended.duration_since(started))).into_iter().collect()
}

impl Lane {
    fn row<'a>(&'a self, hop: Text<'a>) -> Vec<Text<'a>> {
        let job = self.jobs.last();
        let failed = job.and_then(|job| job.tally).map(|(failed, limit)| {
            vec![
                Count(usize::try_from(failed).unwrap_or_default()),
                Word(" of "),
                Count(usize::try_from(limit).unwrap_or_default()),
            ]
        });
        let mut replicas: Text<'a> = Vec::new();
        for (name, ready, desired) in &self.workloads {
            if !replicas.is_empty() {
                replicas.push(Word(", "));
            }
            replicas.extend([
                Piece::theirs(name),
                Word(" "),
                Count(usize::try_from(*ready).unwrap_or_default()),
                Word("/"),
                Count(usize::try_from(*desired).unwrap_or_default()),
            ]);
        }
        vec![
            hop,
            vec![Word(self.step.title())],
            vec![State(self.state)],
            clock(self.started),
            clock(self.ended),
            took(self.started, self.ended),
            failed.unwrap_or_default(),
            clock(job.and_then(|job| job.deadline)),
            replicas,
        ]
    }
}

impl Job {
    /// Whether there is more to be told of it than its row tells.
    fn is_worth_a_section(&self) -> bool {
        self.cause.is_some() || self.tally.is_some() || self.why.is_some() || self.command.is_some() || self.lost
    }

    fn write<'a>(&'a self, blocks: &mut Vec<Block<'a>>) {
        let mut title = vec![Word(self.step.title())];
        if let Some(version) = &self.version {
            title.extend([Word(" of "), Piece::theirs(version)]);
        }
        title.extend([Word(": "), State(self.state)]);
        blocks.push(Block::Heading(3, title));
        blocks.push(Block::Facts(self.facts()));
        if !self.attempts.is_empty() {
            let columns = ["Attempt", "Started", "Ended", "Took", "Outcome", "Cause", "Pod", "Node"];
            blocks.push(Block::table(&columns, self.attempts.iter().map(Told::row).collect()));
        }
        let mut before: Option<&[String]> = None;
        for attempt in &self.attempts {
            if let How::Failed(evidence) = &attempt.outcome {
                evidence.write(attempt.number, &mut before, blocks);
            }
        }
        if let Some(command) = &self.command {
            blocks.push(Block::Paragraph(vec![Word("Command to run next:")]));
            blocks.push(Block::Command(command));
        }
    }

    fn facts(&self) -> Vec<(&'static str, Text<'_>)> {
        let mut facts = vec![("Job", vec![Piece::theirs(&self.name)])];
        let mut ran = clock(self.started);
        if let (Some(started), Some(ended)) = (self.started, self.ended) {
            ran.extend([Word(" to "), Time(ended), Word(" ("), Took(ended.duration_since(started)), Word(")")]);
        }
        facts.push(("Ran", if self.started.is_some() { [vec![Word("from ")], ran].concat() } else { ran }));
        if let Some(why) = self.why {
            let name = if self.step == StepId::Job { "Since then" } else { "Not a gate now" };
            facts.push((name, vec![Word(why)]));
        }
        if let Some((reason, message)) = &self.cause {
            let mut words = vec![Piece::theirs(reason)];
            if !message.is_empty() {
                words.extend([Word(": "), Piece::theirs(message)]);
            }
            facts.push(("Cause", words));
        }
        if let Some(deadline) = self.deadline {
            facts.push(("Deadline", vec![Date(deadline), Word(" UTC")]));
        }
        if self.unseen > 0 {
            facts.push(("Not seen", vec![Count(self.unseen), Word(" failed attempts before gatewatch looked")]));
        }
        if self.left_out > 0 {
            facts.push(("Left out", vec![Count(self.left_out), Word(" attempts before those below")]));
        }
        if self.lost {
            facts.push((
                "Last failure",
                vec![Word("the detail is no longer available: it failed before gatewatch looked")],
            ));
        }
        if let Some(advice) = &self.advice {
            facts.push(("To do", vec![Piece::theirs(advice)]));
        }
        facts
    }
}

impl Told {
    fn row(&self) -> Vec<Text<'_>> {
        let (outcome, cause) = match &self.outcome {
            How::Running => (vec![State("running")], Vec::new()),
            How::Succeeded => (vec![Word("succeeded")], Vec::new()),
            How::Stopped => (vec![Word("stopped")], Vec::new()),
            How::Failed(evidence) => {
                let telling = evidence.telling.as_deref().map(Piece::theirs).into_iter().collect();
                (vec![State("failed"), Word(": "), Piece::theirs(&evidence.ending)], telling)
            }
        };
        vec![
            vec![Count(self.number)],
            clock(self.started),
            clock(self.ended),
            took(self.started, self.ended),
            outcome,
            cause,
            theirs(self.pod.clone()),
            self.node.as_deref().map(Piece::theirs).into_iter().collect(),
        ]
    }
}

impl Evidence {
    /// The lines of its log, but those that the attempt before it had just so.
    fn write<'a>(&'a self, number: usize, before: &mut Option<&'a [String]>, blocks: &mut Vec<Block<'a>>) {
        let mut title = vec![Word("Attempt "), Count(number)];
        if let Some(migration) = &self.migration {
            title.extend([Word(", in migration "), Piece::theirs(migration)]);
        }
        match &self.excerpt {
            Some((_, lines)) if *before == Some(lines.as_slice()) => {
                title.push(Word(": the same lines as the attempt before"));
                blocks.push(Block::Paragraph(title));
            }
            Some((kind, lines)) => {
                title.push(Word(match kind {
                    ExcerptKind::Error => ", the lines that tell why:",
                    ExcerptKind::Tail => ", the last lines of its log:",
                }));
                blocks.push(Block::Paragraph(title));
                blocks.push(Block::Log(lines));
                *before = Some(lines);
            }
            None if self.source.is_some() && self.tail.is_empty() => {
                let source = self.source.as_deref().unwrap_or_default();
                title.extend([Word(": "), Piece::theirs(source)]);
                blocks.push(Block::Paragraph(title));
            }
            None => {}
        }
        if !self.tail.is_empty() {
            let mut summary = vec![Word("Attempt "), Count(number), Word(": the log")];
            if self.more_lines {
                summary.push(Word(", its last lines"));
            }
            if let Some(source) = &self.source {
                summary.extend([Word(" ("), Piece::theirs(source), Word(")")]);
            }
            blocks.push(Block::Tail(summary, &self.tail));
        }
    }
}

impl Line {
    fn row(&self) -> Vec<Text<'_>> {
        let state = |word: &'_ str| known_word(word).map_or_else(|| Piece::theirs(word.to_owned()), State);
        let mut change = Vec::new();
        if self.how == Heard::Found {
            change.push(Word("found "));
        } else if let Some(from) = &self.from {
            change.extend([state(from), Word(" → ")]);
        }
        change.push(state(&self.to));
        let mut told = Vec::new();
        if self.how == Heard::Meanwhile {
            told.push(Word("while nobody watched"));
        }
        if !self.text.is_empty() {
            if !told.is_empty() {
                told.push(Word(": "));
            }
            told.push(Piece::theirs(&self.text));
        }
        vec![vec![Time(self.time)], vec![Word(self.title)], change, told]
    }
}
