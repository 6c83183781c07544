//! Which part of a kind a watch asks for, so that what is watched comes and as little else as a selector can say. What it
//! can't is left out on arrival.

use crate::cluster::{JobPick, Kind, Pick, Selection};

/// The selectors of a watch; both are absent where everything is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selectors {
    pub(super) labels: Option<String>,
    pub(super) fields: Option<String>,
}

/// What one thing that is watched needs of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Objects with that label, and one of the values; with any where there is none.
    Labelled(&'static str, Vec<String>),
    /// Objects that a selector of the user's selects.
    Selected(String),
    /// The object of that name.
    Named(String),
    /// More than a selector can say, or all of it.
    Everything,
}

/// How a kind is asked for. Selectors can't say `or` over different labels: where two things that are watched need
/// different parts, everything comes.
pub(super) fn selectors(kind: Kind, selection: &Selection) -> Selectors {
    let parts = selection.picks().iter().filter_map(|pick| part(kind, pick));
    match parts.reduce(Part::or) {
        Some(Part::Labelled(key, values)) => Selectors { labels: Some(labelled(key, &values)), fields: None },
        Some(Part::Selected(selector)) => Selectors { labels: Some(selector), fields: None },
        Some(Part::Named(name)) => Selectors { labels: None, fields: Some(format!("metadata.name={name}")) },
        Some(Part::Everything) | None => Selectors::default(),
    }
}

fn labelled(key: &str, values: &[String]) -> String {
    match values {
        [] => key.to_owned(),
        [value] => format!("{key}={value}"),
        values => format!("{key} in ({})", values.join(",")),
    }
}

impl Part {
    /// What both need.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Labelled(key, one), Self::Labelled(of, other)) if key == of => {
                // One of them takes any value.
                if one.is_empty() || other.is_empty() {
                    return Self::Labelled(key, Vec::new());
                }
                let more = other.into_iter().filter(|value| !one.contains(value)).collect::<Vec<_>>();
                Self::Labelled(key, [one, more].concat())
            }
            _ => Self::Everything,
        }
    }
}

/// What that needs of a kind; `None` where it needs nothing of it. The labels are those of GitLab's chart and of the Job
/// controller, which sets the older of its two names for them in every version.
fn part(kind: Kind, pick: &Pick) -> Option<Part> {
    let app = |apps: &[&str]| Part::Labelled("app", apps.iter().map(|app| (*app).to_owned()).collect());
    match (pick, kind) {
        (Pick::GitLabCore(_), Kind::Job) => Some(app(&["migrations"])),
        (Pick::GitLabCore(_), Kind::Pod) => Some(app(&["migrations", "webservice", "sidekiq"])),
        (Pick::GitLabCore(_), Kind::Deployment) => Some(app(&["webservice", "sidekiq"])),
        (Pick::GluesyncPlatform(_), Kind::Deployment | Kind::StatefulSet) => {
            Some(Part::Labelled("com.molo17.conductor.type", Vec::new()))
        }
        (Pick::Job(JobPick::Named(name)), Kind::Job) => Some(Part::Named(name.clone())),
        (Pick::Job(JobPick::Labelled(selector)), Kind::Job) => Some(Part::Selected(selector.text().to_owned())),
        (Pick::Job(JobPick::Named(name)), Kind::Pod) if name.len() <= LONGEST_LABEL => {
            Some(Part::Labelled("job-name", vec![name.clone()]))
        }
        (Pick::Job(_), Kind::Pod) => Some(Part::Labelled("job-name", Vec::new())),
        (Pick::Rollout(of, name), kind) if of.kind() == kind => Some(Part::Named(name.clone())),
        (pick, kind) if pick.kinds().contains(&kind) => Some(Part::Everything),
        _ => None,
    }
}

/// A value of a label is no longer; the Job controller cuts the name of a Job that is.
const LONGEST_LABEL: usize = 63;

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: Kind, words: &[&str]) -> (Option<String>, Option<String>) {
        let selection = Selection::of(words.iter().map(|word| word.parse().unwrap()));
        let Selectors { labels, fields } = selectors(kind, &selection);
        (labels, fields)
    }

    #[test]
    fn of_an_upgrade_what_the_chart_labels_is_asked_for() {
        let labels = |kind| asked(kind, &["glc"]).0;
        assert_eq!(labels(Kind::Job).as_deref(), Some("app=migrations"));
        assert_eq!(labels(Kind::Pod).as_deref(), Some("app in (migrations,webservice,sidekiq)"));
        assert_eq!(labels(Kind::Deployment).as_deref(), Some("app in (webservice,sidekiq)"));
        assert_eq!(
            asked(Kind::GitLabCore, &["glc/gitlab"]),
            (None, None),
            "others are named where that one is missing"
        );
    }

    #[test]
    fn one_job_is_asked_for_by_its_name_and_several_are_found_among_all() {
        assert_eq!(asked(Kind::Job, &["job/a"]), (None, Some("metadata.name=a".into())));
        assert_eq!(asked(Kind::Pod, &["job/a"]), (Some("job-name=a".into()), None));
        assert_eq!(asked(Kind::Job, &["job/a", "job/b"]), (None, None));
        assert_eq!(asked(Kind::Pod, &["job/a", "job/b"]).0.as_deref(), Some("job-name in (a,b)"));
        assert_eq!(asked(Kind::Pod, &["job/a", "job?x=y"]).0.as_deref(), Some("job-name"));
        assert_eq!(asked(Kind::Job, &["job?x=y"]).0.as_deref(), Some("x=y"));
        let long = format!("job/{}.{}", "a".repeat(60), "b".repeat(60));
        assert_eq!(asked(Kind::Pod, &[&long]).0.as_deref(), Some("job-name"));
    }

    #[test]
    fn where_two_need_different_parts_everything_comes() {
        assert_eq!(asked(Kind::Pod, &["glc", "job/a"]), (None, None));
        assert_eq!(asked(Kind::Pod, &["sts/db"]), (None, None));
        assert_eq!(asked(Kind::Job, &["job/a", "sts/db"]), (None, Some("metadata.name=a".into())));
    }
}
