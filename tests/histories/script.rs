//! What a history is made of: the shape of the Jobs, how each run and each start fares, and what people and nodes do to them.
//! Everything that is left out goes well, so that a failing history shrinks to what matters.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Seconds.
pub type Seconds = i64;

/// The input of a history.
#[derive(Clone, Debug)]
pub struct Script {
    pub shape: Shape,
    pub operator: OperatorShape,
    /// How the next run of a main container fares, of an init container, of a sidecar. Later ones go well.
    pub mains: Vec<Fate>,
    pub inits: Vec<Fate>,
    pub sidecars: Vec<Fate>,
    /// What the next start of a container meets.
    pub starts: Vec<Option<Trouble>>,
    /// What the next pod meets before its first container.
    pub pods: Vec<Option<PodTrouble>>,
    /// How the next container that is stopped answers.
    pub stops: Vec<Stop>,
    /// What is done to the gate under way, each so long after the one before.
    pub acts: Vec<(Seconds, Act)>,
    /// How much later than it could each thing happens: taken in turn, of 256.
    pub pace: Vec<u8>,
}

/// What the Jobs of a history look like.
#[derive(Clone, Debug)]
pub struct Shape {
    pub in_place: bool,
    pub backoff_limit: u32,
    pub deadline: Option<Seconds>,
    pub ttl: Option<Seconds>,
    /// `podReplacementPolicy: Failed`; a pod failure policy defaults it.
    pub replace_failed_only: bool,
    pub rules: Vec<Rule>,
    pub sidecar: bool,
    pub second_main: bool,
    pub inits: usize,
    pub grace: Seconds,
    /// A cluster older than 1.31, where a Job that gives up says `Failed` at once.
    pub older: bool,
}

/// What the operator does.
#[derive(Clone, Debug)]
pub struct OperatorShape {
    pub hops: usize,
    pub skips_wait: bool,
    /// A build from before the retry reporting.
    pub premature: bool,
}

/// A rule of a pod failure policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The action on an exit code.
    Exit(Action, i64),
    /// The action on a pod that was disrupted.
    Disrupted(Action),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Ignore,
    Count,
    FailJob,
}

/// How a run of a container fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It ends by itself.
    Exit { code: i64, after: Seconds },
    /// The kernel kills it.
    OutOfMemory { after: Seconds },
    /// Its container is made, and its command can't be started.
    StartError,
}

/// What keeps a container from starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub cause: Cause,
    /// When it clears; never where `None`.
    pub clears: Option<Seconds>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    ImageNotFound,
    ImageTimeout,
    ImageName,
    SecretMissing,
}

/// What a pod meets before its first container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodTrouble {
    Unschedulable(Option<Seconds>),
    VolumeSecret(Option<Seconds>),
    Volume(Option<Seconds>),
    Sandbox(Option<Seconds>),
    /// Its node does not admit it.
    Rejected,
}

/// How a container answers when it is told to stop: its exit code and how long it takes. One that takes longer than the grace
/// period is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    pub code: i64,
    pub after: Seconds,
}

/// What somebody or something does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    EvictedForStorage,
    EvictedForMemory,
    PreemptedByKubelet,
    NodeShutdown,
    PodDeadline,
    Drained,
    PreemptedByScheduler,
    Tainted,
    Deleted,
    /// Without a grace period.
    ForceDeleted,
    NodeGone,
    Suspend,
    Resume,
    DeleteJob {
        orphans: bool,
    },
    /// The spec changes, to another version or not.
    Respec {
        another_version: bool,
    },
}

impl Action {
    pub fn word(self) -> &'static str {
        match self {
            Self::Ignore => "Ignore",
            Self::Count => "Count",
            Self::FailJob => "FailJob",
        }
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    let action = || prop_oneof![Just(Action::Ignore), Just(Action::Count), Just(Action::FailJob)];
    let rule = prop_oneof![
        (action(), prop_oneof![Just(1), Just(42), Just(137)]).prop_map(|(action, code)| Rule::Exit(action, code)),
        action().prop_map(Rule::Disrupted),
    ];
    let limits = (
        prop::bool::weighted(0.7),
        prop_oneof![2 => 0..3_u32, 2 => 3..9_u32, 1 => Just(6)],
        option::weighted(0.6, prop_oneof![Just(30), Just(120), Just(600), Just(3600)]),
        option::weighted(0.3, 60..400_i64),
    );
    let pods = (
        prop::bool::weighted(0.25),
        vec(rule, 0..3),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.2),
        1..3_usize,
        prop_oneof![Just(5), Just(30)],
        prop::bool::weighted(0.15),
    );
    (limits, pods).prop_map(|((in_place, backoff_limit, deadline, ttl), pods)| {
        let (replace_failed_only, rules, sidecar, second_main, inits, grace, older) = pods;
        // A pod failure policy goes with `restartPolicy: Never` alone.
        let rules = if in_place { Vec::new() } else { rules };
        let replace_failed_only = replace_failed_only || !rules.is_empty();
        Shape {
            in_place,
            backoff_limit,
            deadline,
            ttl,
            replace_failed_only,
            rules,
            sidecar,
            second_main,
            inits,
            grace,
            older,
        }
    })
}

fn fate(failing: f64) -> impl Strategy<Value = Fate> {
    let after = || prop_oneof![3 => 0..8_i64, 2 => 8..90_i64, 1 => Just(700)];
    let fails = prop_oneof![
        5 => (prop_oneof![4 => Just(1_i64), 2 => Just(42), 1 => Just(137), 1 => Just(143)], after())
            .prop_map(|(code, after)| Fate::Exit { code, after }),
        1 => after().prop_map(|after| Fate::OutOfMemory { after }),
        1 => Just(Fate::StartError),
    ];
    let passes = after().prop_map(|after| Fate::Exit { code: 0, after });
    (prop::bool::weighted(failing), fails, passes)
        .prop_map(|(failing, fails, passes)| if failing { fails } else { passes })
}

fn troubles() -> impl Strategy<Value = (Vec<Option<Trouble>>, Vec<Option<PodTrouble>>)> {
    let clears = || option::weighted(0.8, 3..200_i64);
    let cause = prop_oneof![
        Just(Cause::ImageTimeout),
        Just(Cause::ImageNotFound),
        Just(Cause::SecretMissing),
        Just(Cause::ImageName),
    ];
    let start = (cause, clears()).prop_map(|(cause, clears)| Trouble { cause, clears });
    let pod = prop_oneof![
        clears().prop_map(PodTrouble::Unschedulable),
        clears().prop_map(PodTrouble::VolumeSecret),
        clears().prop_map(PodTrouble::Volume),
        clears().prop_map(PodTrouble::Sandbox),
        Just(PodTrouble::Rejected),
    ];
    (vec(option::weighted(0.12, start), 0..12), vec(option::weighted(0.15, pod), 0..6))
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => Just(Act::EvictedForStorage),
        1 => Just(Act::EvictedForMemory),
        1 => Just(Act::PreemptedByKubelet),
        1 => Just(Act::NodeShutdown),
        1 => Just(Act::PodDeadline),
        1 => Just(Act::Drained),
        1 => Just(Act::PreemptedByScheduler),
        1 => Just(Act::Tainted),
        2 => Just(Act::Deleted),
        1 => Just(Act::ForceDeleted),
        1 => Just(Act::NodeGone),
        1 => Just(Act::Suspend),
        2 => Just(Act::Resume),
        1 => any::<bool>().prop_map(|orphans| Act::DeleteJob { orphans }),
        1 => any::<bool>().prop_map(|another_version| Act::Respec { another_version }),
    ]
}

/// Every history.
pub fn script() -> impl Strategy<Value = Script> {
    let operator = (1..3_usize, prop::bool::weighted(0.2), prop::bool::weighted(0.3))
        .prop_map(|(hops, skips_wait, premature)| OperatorShape { hops, skips_wait, premature });
    let runs = (vec(fate(0.75), 0..14), vec(fate(0.25), 0..6), vec(fate(0.6), 0..5));
    let code = prop_oneof![3 => Just(137_i64), 2 => Just(143), 1 => Just(1), 1 => Just(0)];
    let stop = (code, 0..40_i64).prop_map(|(code, after)| Stop { code, after });
    let apart = prop_oneof![2 => 0..20_i64, 2 => 20..120_i64, 1 => 120..900_i64];
    let acts = prop_oneof![2 => vec((apart.clone(), act()), 0..2), 1 => vec((apart, act()), 0..6)];
    let rest = (vec(stop, 0..4), acts, vec(any::<u8>(), 1..12));
    (shape(), operator, runs, troubles(), rest).prop_map(
        |(shape, operator, runs, (starts, pods), (stops, acts, pace))| {
            let (mains, inits, sidecars) = runs;
            Script { shape, operator, mains, inits, sidecars, starts, pods, stops, acts, pace }
        },
    )
}
