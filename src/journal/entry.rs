//! One entry of a journal, and what stands: the two halves of "was this told already".

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::gate::{Attempts, Count, Outlook, Tally};
use crate::run::{Run, RunChange, Source, Step, StepId, Subject, Verdict};

/// One thing that became of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When it was heard.
    pub time: Timestamp,
    /// What kind of run it is about. Journals of upgrades of GitLab alone are kept.
    #[serde(skip)]
    pub source: Source,
    /// How it came to be known.
    pub how: How,
    /// What changed.
    #[serde(with = "words")]
    pub subject: Subject,
    /// Which of that name it was: the uid of the Job of a gate, the version of the hop of anything else. Empty where
    /// neither is known, and for the feed.
    pub of: String,
    /// The state before, in one word; absent where it was not known.
    pub from: Option<String>,
    /// The state since, in one word.
    pub to: String,
    /// The failed attempts, where it is a gate that has a Job.
    pub tried: Option<Tried>,
    /// All of it in one line.
    pub text: String,
}

/// How an entry came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// It was seen to happen.
    Seen,
    /// It stood so when it was first seen.
    Found,
    /// It happened while the program did not run.
    Meanwhile,
}

/// The failed attempts of a Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// Failed attempts in the count that is nearer its limit.
    pub failed: u32,
    /// The limit of that count, where there is one.
    pub limit: Option<u32>,
    /// What that count is of.
    #[serde(default)]
    pub counted: Counted,
    /// Failed runs of containers.
    pub restarts: u32,
    /// Failed pods.
    pub pods: u32,
    /// Indexes of an Indexed Job that failed.
    #[serde(default)]
    pub indexes: u32,
    /// Failures that a pod failure policy ignores.
    #[serde(default)]
    pub ignored: usize,
}

/// What a count of failed attempts is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counted {
    /// All of a Job.
    #[default]
    Job,
    /// One index of it.
    Index(u32),
    /// Its indexes.
    Indexes,
}

/// How much of a stir an entry is worth beyond the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum News {
    /// None.
    Quiet,
    /// What waits for somebody, or is over: a gate that is blocked by what cannot clear, a settled upgrade, the feed.
    Notable,
    /// A failed attempt, or a Job that failed.
    Failure,
}

/// How one part of a run stands: what a later entry is held against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Standing {
    #[serde(with = "words")]
    pub(super) subject: Subject,
    pub(super) of: String,
    pub(super) word: String,
    pub(super) tried: Option<Tried>,
    /// Whether a wait is to miss its deadline; absent where that cannot be told (yet).
    #[serde(default)]
    pub(super) late: Option<bool>,
}

impl Entry {
    /// An entry of what changed; `run` is the one that it is about, as it is since.
    pub(super) fn new(change: RunChange, run: Option<&Run>, how: How) -> Self {
        Self {
            time: change.time,
            source: change.run.as_ref().map(|run| run.source).unwrap_or_default(),
            how,
            subject: change.subject,
            of: run.map(|run| of(run, change.subject)).unwrap_or_default(),
            from: change.from.map(str::to_owned),
            to: change.to.to_owned(),
            tried: change.attempts.as_ref().map(|attempts| Tried::new(attempts, run, change.subject)),
            text: change.text,
        }
    }

    /// How much of a stir it is worth, where that stood before and it was seen to change.
    pub(super) fn news(&self, before: Option<&Standing>) -> News {
        let tried = before.filter(|before| before.of == self.of).and_then(|before| before.tried);
        let failed = self.to == "failed";
        let settled_or_stuck = matches!(self.to.as_str(), "settled" | "stuck") && self.from.as_ref() != Some(&self.to);
        match self.subject {
            Subject::Step(_) if failed || self.tried.is_some_and(|now| now.rose(tried)) => News::Failure,
            Subject::Upgrade if settled_or_stuck => News::Notable,
            Subject::Feed => News::Notable,
            Subject::Step(_) | Subject::Upgrade => News::Quiet,
        }
    }

    /// What it is about, as a title.
    pub fn title(&self) -> &'static str {
        match self.subject {
            Subject::Step(step) => step.title(),
            Subject::Upgrade => self.source.noun(),
            Subject::Feed => "Feed",
        }
    }

    /// The text without what the title and the word say already; empty where nothing is left.
    pub fn detail(&self) -> &str {
        let rest = self.text.strip_prefix(self.title()).and_then(|rest| rest.strip_prefix(": "));
        rest.map_or(&self.text, |rest| {
            rest.strip_prefix(self.to.as_str()).unwrap_or(rest).trim_start_matches([',', ':', ' '])
        })
    }

    /// A state before or since, `from` or `to`, in a word for people: a verdict as it is said of such a run.
    pub fn said<'a>(&self, word: &'a str) -> &'a str {
        let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.word() == word);
        verdict.filter(|_| self.subject == Subject::Upgrade).map_or(word, |verdict| self.source.verdict_word(verdict))
    }

    /// The attempts in words, without any message: `3 of 6 failed`; empty where none failed.
    pub fn tally(&self) -> String {
        match self.tried {
            Some(tried) if tried.failed > 0 => tried.words(),
            _ => String::new(),
        }
    }
}

impl Tried {
    /// Whether more failed than before, in one of the two counts.
    pub(super) fn rose(self, before: Option<Self>) -> bool {
        let of = |tried: &Self| (tried.restarts, tried.pods, tried.indexes);
        let (restarts, pods, indexes) = before.as_ref().map_or((0, 0, 0), of);
        self.restarts > restarts || self.pods > pods || self.indexes > indexes
    }

    /// Whether more failed than before that is ignored.
    pub(super) fn ignores_more(self, before: Option<Self>) -> bool {
        self.ignored > before.map_or(0, |before| before.ignored)
    }

    /// Those of a Job, with what a policy of it ignores.
    fn new(attempts: &Attempts, run: Option<&Run>, subject: Subject) -> Self {
        let step = run.iter().flat_map(|run| &run.steps).find(|step| Subject::Step(step.id) == subject);
        Self { ignored: step.map_or(0, ignored), ..Self::from(attempts) }
    }

    fn words(self) -> String {
        let tally = Tally { failed: self.failed, limit: self.limit };
        match self.counted {
            Counted::Job => tally.counted(),
            Counted::Index(index) => format!("index {index}: {}", tally.counted()),
            Counted::Indexes => tally.counted_as(" index", " indexes"),
        }
    }
}

fn ignored(step: &Step) -> usize {
    step.gate().and_then(|gate| gate.job.as_ref()).map_or(0, |job| job.ignored().count())
}

impl From<&Attempts> for Tried {
    fn from(attempts: &Attempts) -> Self {
        let tally = attempts.tally();
        Self {
            failed: tally.failed,
            limit: tally.limit,
            counted: match attempts.nearer {
                Count::Restarts | Count::Pods => Counted::Job,
                Count::Index { index, .. } => Counted::Index(index),
                Count::Indexes(_) => Counted::Indexes,
            },
            restarts: attempts.restarts.failed,
            pods: attempts.pods.failed,
            indexes: attempts.indexes.map_or(0, |indexes| indexes.failed),
            ignored: 0,
        }
    }
}

impl Standing {
    /// How every part of a run stands.
    pub(super) fn of(run: &Run) -> Vec<Self> {
        let steps = run.steps.iter().map(|step| Self {
            subject: Subject::Step(step.id),
            of: of(run, Subject::Step(step.id)),
            word: step.word().to_owned(),
            tried: step
                .gate()
                .and_then(|gate| gate.job.as_ref())
                .map(|job| Tried { ignored: ignored(step), ..Tried::from(&job.attempts) }),
            late: late(step),
        });
        let upgrade = Self {
            subject: Subject::Upgrade,
            of: of(run, Subject::Upgrade),
            word: run.verdict.word().to_owned(),
            tried: None,
            late: None,
        };
        steps.chain([upgrade]).collect()
    }
}

/// Whether the wait that a step is will miss its deadline, where that can be told.
fn late(step: &Step) -> Option<bool> {
    match step.gate()?.job.as_ref()?.backlog.as_ref()?.outlook {
        Outlook::Unknown => None,
        outlook => Some(outlook == Outlook::TooLate),
    }
}

/// Which of its name it is: what a successor of the same name does not share.
fn of(run: &Run, subject: Subject) -> String {
    let step = match subject {
        Subject::Step(id) => run.steps.iter().find(|step| step.id == id),
        Subject::Upgrade | Subject::Feed => None,
    };
    let job = step.and_then(|step| step.gate()).and_then(|gate| gate.job.as_ref());
    let hop = || run.course.hop.as_ref().map(|hop| hop.version.clone());
    job.map(|job| job.uid.0.clone()).or_else(hop).unwrap_or_default()
}

/// A subject in a file: the word that the report has for it.
mod words {
    use super::*;

    pub(super) fn serialize<S: Serializer>(subject: &Subject, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(subject.word())
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(input: D) -> Result<Subject, D::Error> {
        let word = String::deserialize(input)?;
        let mut all = StepId::all().map(Subject::Step).chain([Subject::Upgrade, Subject::Feed]);
        all.find(|subject| subject.word() == word)
            .ok_or_else(|| serde::de::Error::custom(format!("`{word}` is nothing that a journal tells of")))
    }
}
