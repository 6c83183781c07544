//! What a recording is of.

use super::Recording;
use crate::cluster::{Change, ClusterEvent, JobPick, Kind, Pick, Selection};

impl Recording {
    /// The same, of that, whatever it says itself.
    pub(crate) fn of(mut self, selection: Selection) -> Self {
        self.events.retain(|event| !matches!(event.change, Change::Selected(_)));
        self.events.insert(0, ClusterEvent { cluster: None, time: self.first, change: Change::Selected(selection) });
        self
    }

    /// What it is of: what it says, or the upgrades of `GitLabCore`s where it tells of these. `None` where it does neither, as
    /// what `kubectl` prints of a watch on Jobs.
    pub(super) fn says(&self) -> Option<Selection> {
        let of_cores = |event: &ClusterEvent| match &event.change {
            Change::Selected(_) => true,
            Change::Watch { kind, .. } | Change::Replaced { kind, .. } | Change::Alive(kind) => {
                *kind == Kind::GitLabCore
            }
            change => change.objects().iter().any(|object| object.kind() == Kind::GitLabCore),
        };
        self.events.iter().any(of_cores).then(|| ClusterEvent::selection(&self.events))
    }

    /// The same, of what there is: its Jobs, and its platforms.
    pub(super) fn of_what_there_is(self) -> Self {
        let holds =
            |kind| self.events.iter().flat_map(|event| event.change.objects()).any(|object| object.kind() == kind);
        let picks = [Pick::Job(JobPick::All), Pick::GluesyncPlatform(None)];
        let picks: Vec<Pick> = picks.into_iter().filter(|pick| holds(pick.kind())).collect();
        if picks.is_empty() { self } else { self.of(Selection::of(picks)) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::fixture::{job, pod};
    use crate::record::{Reading, merge, read};

    /// What recordings of those lines are of, together.
    fn of_all(files: &[&[Value]]) -> Vec<String> {
        let recording = |lines: &&[Value]| {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            match read(text.as_bytes(), "it").map_err(|error| error.message).unwrap() {
                Reading::Recording(recording) => recording,
                Reading::Dump(_) => panic!("no recording"),
            }
        };
        let merged = merge(files.iter().map(recording).collect()).unwrap();
        ClusterEvent::selection(&merged.events).picks().iter().map(ToString::to_string).collect()
    }

    fn of(lines: &[Value]) -> Vec<String> {
        of_all(&[lines])
    }

    fn added(object: Value) -> Value {
        json!({"type": "ADDED", "time": "2026-11-29T15:00:00Z", "object": object})
    }

    fn object(kind: &str) -> Value {
        json!({"apiVersion": "example.com/v1", "kind": kind, "metadata": {"name": "a", "uid": kind}})
    }

    #[test]
    fn a_recording_that_does_not_say_what_it_is_of_is_of_what_there_is() {
        assert_eq!(of(&[added(job())]), ["job"]);
        assert_eq!(of(&[added(object("GluesyncPlatform")), added(job())]), ["gluesyncplatform", "job"]);
        assert_eq!(of(&[added(job()), added(object("GitLabCore"))]), ["gitlabcore"], "its migrations");
        assert_eq!(of(&[added(pod("a", 0, json!({})))]), ["gitlabcore"]);
        let watched = json!({"type": "WATCH", "time": "2026-11-29T15:00:00Z",
            "object": {"apiVersion": "gatewatch/v1", "kind": "Watch", "of": "GitLabCore", "state": "Undefined"}});
        assert_eq!(of(&[watched, added(job())]), ["gitlabcore"], "somebody watched them, and there were none");
    }

    fn said(pick: &str) -> Value {
        json!({"type": "SELECTION", "time": "2026-11-29T15:00:00Z",
            "object": {"apiVersion": "gatewatch/v1", "kind": "Selection", "picks": [pick]}})
    }

    #[test]
    fn what_it_says_itself_is_what_it_is_of() {
        assert_eq!(of(&[said("job/mig"), added(job()), added(object("GluesyncPlatform"))]), ["job/mig"]);
    }

    #[test]
    fn several_are_of_all_that_each_says() {
        let (core, job) = ([added(object("GitLabCore"))], added(job()));
        let migrations = [said("job/mig"), job.clone()];
        assert_eq!(of_all(&[&migrations, &core]), ["gitlabcore", "job/mig"]);
        assert_eq!(of_all(&[&core, &migrations, &[said("job/seed")]]), ["gitlabcore", "job/mig", "job/seed"]);
        assert_eq!(of_all(&[&core, &core]), ["gitlabcore"]);
        assert_eq!(of_all(&[&core, &[job]]), ["gitlabcore"], "the Jobs that kubectl printed beside are its gates");
    }
}
