//! How more of a log is taken in, and what then goes of the others.

use super::World;
use crate::cluster::log::ALL_BYTES;
use crate::cluster::{LogChange, LogNews, Owner, PodRecord, Uid};

impl World {
    /// Takes in more of a log. It comes after its pod.
    pub(super) fn note_log(&mut self, LogChange { pod, run, news }: LogChange) {
        let opened = matches!(news, LogNews::Opened(_));
        let Some(record) = self.pods.get_mut(&pod) else { return };
        let of = opened.then(|| (record.pod.meta.owner.clone(), run.container.clone()));
        record.note_log(run, news);
        if let Some((owner, container)) = of {
            self.shorten_logs(owner.as_ref(), &container);
            self.bound_logs(&pod);
        }
    }

    /// Keeps less of the runs of a Job's container that have a successor, in the same pod or in a newer one.
    fn shorten_logs(&mut self, job: Option<&Owner>, container: &str) {
        let of_job = |record: &PodRecord| job.is_some() && record.pod.meta.owner.as_ref() == job;
        let newest = self.pods.values().filter(|record| of_job(record)).map(|record| record.pod.meta.created).max();
        for record in self.pods.values_mut().filter(|record| of_job(record)) {
            record.shorten_logs(container, Some(record.pod.meta.created) == newest);
        }
    }

    /// Forgets the logs of the oldest pods while all logs take more than [`ALL_BYTES`]; those of that pod stay.
    fn bound_logs(&mut self, newest: &Uid) {
        let mut all: usize = self.pods.values().map(|record| record.logs().size()).sum();
        while all > ALL_BYTES {
            let others = self.pods.iter_mut().filter(|(uid, record)| *uid != newest && record.logs().size() > 0);
            let Some((_, oldest)) = others.min_by_key(|(_, record)| record.pod.meta.created) else { return };
            all -= oldest.logs().size();
            oldest.forget_logs();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::{KEPT, LogLine, RunId, Via};
    use crate::fixture::{Cluster, job, pod, running, with};

    fn read(cluster: &mut Cluster, pod: &str, started: i64, count: usize, text: &str) {
        let run = RunId { container: "migrations".into(), id: format!("containerd://{started}") };
        cluster.log(pod, run.clone(), LogNews::Opened(Via::Followed));
        cluster.log(pod, run, LogNews::Lines(vec![LogLine::printed(text.as_bytes()); count]));
    }

    /// How many lines are kept of each log, by the second its run began in.
    fn kept(cluster: &Cluster) -> Vec<(String, usize)> {
        let pods = cluster.world.pods.values();
        let logs = pods.flat_map(|record| record.logs().iter());
        logs.map(|(run, log)| (run.id.replace("containerd://", ""), log.lines().len())).collect()
    }

    #[test]
    fn the_newest_run_keeps_most_whatever_is_read_last() {
        let state = |id: i64| json!({"state": running(id), "containerID": format!("containerd://{id}")});
        let mut cluster = Cluster::of([job(), pod("a", 0, state(20)), pod("b", 50, state(60))]);
        read(&mut cluster, "b", 60, 300, "x");
        read(&mut cluster, "a", 20, 300, "x");
        read(&mut cluster, "a", 2, 300, "x");
        assert_eq!(kept(&cluster), [("20".into(), KEPT), ("2".into(), KEPT), ("60".into(), 300)]);
    }

    #[test]
    fn the_logs_of_the_oldest_pods_go_when_all_take_too_much() {
        let mut cluster = Cluster::of([job()]);
        let most = ALL_BYTES / (2 * 1024 * 1024);
        for number in 0..most as i64 + 2 {
            let name = format!("pod-{number}");
            let own = json!({"metadata": {"ownerReferences": [{"uid": name, "controller": true}]}});
            let state = json!({"state": running(number), "containerID": format!("containerd://{number}")});
            cluster.apply(with(pod(&name, number, state), own));
            read(&mut cluster, &name, number, 500, &"x".repeat(4_000));
        }
        let logs = kept(&cluster);
        assert!((most - 1..=most + 1).contains(&logs.len()), "{} logs", logs.len());
        assert!(!logs.iter().any(|(run, _)| run == "0"), "{logs:?}");
    }
}
