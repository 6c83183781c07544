//! What a pod failure policy says of a failed pod: the first rule that matches decides, and what is not known is passed over
//! (KEP 3329: a rule whose action is not known is skipped, an operator that is not known is not satisfied).

use std::fmt;

use super::disruption::{DISRUPTION_TARGET, Disruption};
use crate::cluster::{
    Container, ContainerRole, ContainerState, FailureAction, FailureRule, Job, Pod, PodPhase, RuleMatch, condition,
};

/// How a failed attempt counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Towards the limit: by that rule, or as no rule matches.
    Counted(Option<Matched>),
    /// Not at all.
    Ignored(Matched),
    /// It fails the Job at once.
    FailedJob(Matched),
    /// It fails its index at once.
    FailedIndex(Matched),
}

/// A rule of a pod failure policy, and what of a pod it matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// The number of the rule, from 1.
    pub rule: usize,
    /// What it matched.
    pub by: Box<By>,
}

/// What of a pod a rule matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// How one of its containers exited.
    ExitCode {
        /// The container.
        container: String,
        /// The code.
        code: i64,
    },
    /// A condition of the pod.
    Condition {
        /// Its type.
        kind: String,
        /// Who disrupted the pod, where it is `DisruptionTarget`.
        disruption: Option<Disruption>,
    },
}

impl Default for Counting {
    fn default() -> Self {
        Self::Counted(None)
    }
}

impl Counting {
    /// Whether it brings the Job nearer a limit, or ends it.
    pub fn counts(&self) -> bool {
        !matches!(self, Self::Ignored(_))
    }

    /// The rule that decided, where one did.
    pub fn matched(&self) -> Option<&Matched> {
        match self {
            Self::Counted(matched) => matched.as_ref(),
            Self::Ignored(matched) | Self::FailedJob(matched) | Self::FailedIndex(matched) => Some(matched),
        }
    }

    /// How it counts in one word, as the report names it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Counted(_) => "counted",
            Self::Ignored(_) => "ignored",
            Self::FailedJob(_) => "failed-job",
            Self::FailedIndex(_) => "failed-index",
        }
    }
}

impl fmt::Display for Counting {
    /// In words: `ignored by rule 2: DisruptionTarget (eviction API)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Counted(_) => "counted",
            Self::Ignored(_) => "ignored",
            Self::FailedJob(_) => "failed the Job",
            Self::FailedIndex(_) => "failed its index",
        };
        match self.matched() {
            Some(Matched { rule, by }) => write!(out, "{what} by rule {rule}: {by}"),
            None => out.write_str(what),
        }
    }
}

impl fmt::Display for By {
    /// In words: `exit code 42 of main`, `DisruptionTarget (eviction API)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExitCode { container, code } => write!(out, "exit code {code} of {container}"),
            Self::Condition { kind, disruption: None } => out.write_str(kind),
            Self::Condition { kind, disruption: Some(disruption) } => write!(out, "{kind} ({disruption})"),
        }
    }
}

/// What the policy says of a pod that failed. Before all of its containers have ended, nobody can tell what they match.
pub(super) fn counting(job: &Job, pod: &Pod) -> Counting {
    let ended = |container: &Container| matches!(container.state, ContainerState::Terminated(_));
    let over = pod.phase == PodPhase::Failed || pod.terminating() || pod.containers.iter().all(ended);
    if over { decided(job, pod, |_| true) } else { Counting::Counted(None) }
}

/// Whether the policy says that this failed pod does not count.
pub(super) fn ignores(job: &Job, pod: &Pod) -> bool {
    ignored(job, pod, |_| true)
}

/// Whether it said so when only those of the pod's containers had ended that now have and are `over`.
pub(super) fn ignored(job: &Job, pod: &Pod, over: impl Fn(&Container) -> bool) -> bool {
    !decided(job, pod, over).counts()
}

fn decided(job: &Job, pod: &Pod, over: impl Fn(&Container) -> bool) -> Counting {
    for (place, rule) in job.failure_rules.iter().enumerate() {
        if matches!(rule.action, FailureAction::Unknown(_)) {
            continue;
        }
        let Some(by) = matched(&rule.matches, pod, &over) else { continue };
        let matched = Matched { rule: place + 1, by: Box::new(by) };
        let per_index = || job.limit_per_index().is_some();
        return match rule.action {
            FailureAction::Ignore => Counting::Ignored(matched),
            FailureAction::FailJob => Counting::FailedJob(matched),
            FailureAction::FailIndex if per_index() => Counting::FailedIndex(matched),
            FailureAction::Count | FailureAction::FailIndex | FailureAction::Unknown(_) => {
                Counting::Counted(Some(matched))
            }
        };
    }
    Counting::Counted(None)
}

fn matched(rule: &RuleMatch, pod: &Pod, over: impl Fn(&Container) -> bool) -> Option<By> {
    match rule {
        RuleMatch::ExitCodes { container: only, inside, codes } => {
            let exit = |container: &Container| match &container.state {
                // `NotIn` never matches a run that ended well.
                ContainerState::Terminated(end) if end.failed() => Some(end.exit_code),
                _ => None,
            };
            // The controller looks at the main containers first.
            let mains = |main: bool| pod.containers.iter().filter(move |one| (one.role == ContainerRole::Main) == main);
            mains(true).chain(mains(false)).find_map(|container| {
                let named = only.as_ref().is_none_or(|only| *only == container.name);
                let code =
                    exit(container).filter(|code| named && codes.contains(code) == *inside && over(container))?;
                Some(By::ExitCode { container: container.name.clone(), code })
            })
        }
        RuleMatch::Conditions(wanted) => wanted.iter().find_map(|(kind, holds)| {
            let condition = condition(&pod.conditions, kind).filter(|condition| condition.holds == *holds)?;
            let disruption =
                (kind == DISRUPTION_TARGET && *holds == Some(true)).then(|| Disruption::of(condition, pod));
            Some(By::Condition { kind: kind.clone(), disruption })
        }),
        RuleMatch::Unknown(_) => None,
    }
}

/// A policy in words, a line for each rule: `1. exit code 42 of main: fail the Job`, …, `otherwise: count`. Empty without rules.
pub(super) fn policy_words(rules: &[FailureRule]) -> Vec<String> {
    let mut lines: Vec<String> =
        rules.iter().enumerate().map(|(place, rule)| format!("{}. {}", place + 1, rule_words(rule))).collect();
    if !lines.is_empty() {
        lines.push("otherwise: count".to_owned());
    }
    lines
}

/// What fails a Job at once, in words: `exit code 42 of main`; `None` where nothing does.
pub(super) fn fails_at_once(rules: &[FailureRule]) -> Option<String> {
    let known =
        |rule: &&FailureRule| rule.action == FailureAction::FailJob && !matches!(rule.matches, RuleMatch::Unknown(_));
    let words: Vec<String> = rules.iter().filter(known).map(|rule| match_words(&rule.matches)).collect();
    (!words.is_empty()).then(|| listed(&words))
}

fn rule_words(rule: &FailureRule) -> String {
    let action = match &rule.action {
        FailureAction::Ignore => "ignore",
        FailureAction::Count => "count",
        FailureAction::FailJob => "fail the Job",
        FailureAction::FailIndex => "fail the index",
        FailureAction::Unknown(word) => {
            return format!("{}: `{word}` is not known, skipped", match_words(&rule.matches));
        }
    };
    format!("{}: {action}", match_words(&rule.matches))
}

fn match_words(rule: &RuleMatch) -> String {
    match rule {
        RuleMatch::ExitCodes { container, inside, codes } => {
            let of = container.as_deref().unwrap_or("any container");
            let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
            match inside {
                true => format!("exit code {} of {of}", listed(&codes)),
                false => format!("exit code other than {} of {of}", listed(&codes)),
            }
        }
        RuleMatch::Conditions(wanted) if wanted.is_empty() => "nothing".to_owned(),
        RuleMatch::Conditions(wanted) => {
            let words = |(kind, holds): &(String, Option<bool>)| match holds {
                Some(true) => kind.clone(),
                Some(false) => format!("{kind} is false"),
                None => format!("{kind} is unknown"),
            };
            listed(&wanted.iter().map(words).collect::<Vec<_>>())
        }
        RuleMatch::Unknown(operator) => format!("nothing, as operator `{operator}` is not known"),
    }
}

/// `1`, `1 or 2`, `1, 2 or 3`.
fn listed(words: &[String]) -> String {
    match words {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
