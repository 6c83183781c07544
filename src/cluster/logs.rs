//! The logs of one pod, run by run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Log, LogNews, RunId};

/// The most logs kept of one pod; the oldest go first.
const MOST_LOGS: usize = 100;

/// The logs of one pod, in the order in which their reading began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logs(Vec<(RunId, Arc<Log>)>);

impl Logs {
    /// The log of a run.
    pub fn of(&self, run: &RunId) -> Option<&Arc<Log>> {
        self.0.iter().find(|(of, _)| of == run).map(|(_, log)| log)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&RunId, &Arc<Log>)> {
        self.0.iter().map(|(run, log)| (run, log))
    }

    /// Takes in what is new of one. What is read once more takes the place of what was read before when something comes of
    /// it: nobody sees the log empty in between.
    pub(crate) fn note(&mut self, run: RunId, news: LogNews) {
        let known = self.0.iter_mut().find(|(of, _)| *of == run).map(|(_, log)| Arc::make_mut(log));
        match (news, known) {
            (LogNews::Opened(via), Some(log)) => log.anew = Some(via),
            (LogNews::Opened(via), None) => {
                self.0.push((run, Arc::new(Log::new(via))));
                if self.0.len() > MOST_LOGS {
                    self.0.remove(0);
                }
            }
            (LogNews::Lines(lines), Some(log)) => {
                log.begin();
                lines.into_iter().for_each(|line| log.push(line));
            }
            (LogNews::TakenBack(from), Some(log)) => log.take_back(from),
            (LogNews::Closed(end), Some(log)) => log.close(end),
            // Of a log that was never opened, or is forgotten.
            (LogNews::Lines(_) | LogNews::TakenBack(_) | LogNews::Closed(_), None) => {}
        }
    }

    /// What is to be kept of them, the newest first, as long as there is room, which that takes up.
    pub(super) fn kept(&self, room: &mut usize) -> Self {
        let mut kept = Vec::new();
        for (run, log) in self.0.iter().rev() {
            let log = log.kept();
            let Some(left) = room.checked_sub(log.size()) else { break };
            *room = left;
            kept.push((run.clone(), Arc::new(log)));
        }
        kept.reverse();
        Self(kept)
    }

    /// Adds the logs that were remembered and of which nothing is known, before those that are.
    pub(super) fn recall(&mut self, remembered: Self) {
        let mut logs = remembered.0;
        for (run, log) in self.0.drain(..) {
            match logs.iter_mut().find(|(of, _)| *of == run) {
                // What is read now of a log that is gone has no line.
                Some((_, known)) if !log.lines().is_empty() => *known = log,
                Some(_) => {}
                None => logs.push((run, log)),
            }
        }
        logs.drain(..logs.len().saturating_sub(MOST_LOGS));
        self.0 = logs;
    }

    /// Cuts the logs of that container down to what is kept of a run that has a successor, but for the newest run, where
    /// it is one of these.
    pub(crate) fn shorten(&mut self, container: &str, newest: Option<&RunId>) {
        for (run, log) in &mut self.0 {
            if run.container == container && Some(&*run) != newest && !log.earlier {
                Arc::make_mut(log).be_earlier();
            }
        }
    }

    /// What they take in memory, in bytes, about.
    pub(crate) fn size(&self) -> usize {
        self.0.iter().map(|(_, log)| log.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::log::FOLLOWED_BYTES;
    use crate::cluster::{FOLLOWED, KEPT, LogEnd, LogLine, Via};

    fn run(id: usize) -> RunId {
        RunId { container: "migrations".into(), id: format!("containerd://{id}") }
    }

    fn lines(count: usize) -> LogNews {
        LogNews::Lines((0..count).map(|number| LogLine::printed(format!("line {number}").as_bytes())).collect())
    }

    #[test]
    fn of_a_run_that_is_followed_more_is_kept_than_of_one_with_a_successor() {
        let mut logs = Logs::default();
        logs.note(run(1), LogNews::Opened(Via::Followed));
        logs.note(run(1), lines(FOLLOWED + 10));
        let log = logs.of(&run(1)).unwrap();
        assert_eq!((log.lines().len(), log.dropped()), (FOLLOWED, 10));
        logs.note(run(2), LogNews::Opened(Via::Followed));
        logs.shorten("migrations", Some(&run(2)));
        let log = logs.of(&run(1)).unwrap();
        assert_eq!((log.lines().len(), log.lines()[0].text.as_str()), (KEPT, "line 4810"));
        logs.note(run(1), lines(FOLLOWED));
        assert_eq!(logs.of(&run(1)).unwrap().lines().len(), KEPT, "it stays an earlier one");
    }

    #[test]
    fn what_is_left_out_of_what_is_kept_is_told() {
        let mut log = Log::new(Via::Followed);
        (0..KEPT + 100).for_each(|_| log.push(LogLine::printed(b"x")));
        assert_eq!((log.kept().lines().len(), log.kept().dropped()), (KEPT, 100));
    }

    #[test]
    fn a_log_is_bounded_in_bytes_too() {
        let mut log = Log::new(Via::Followed);
        for _ in 0..2_000 {
            log.push(LogLine { text: "x".repeat(4_000), ..LogLine::default() });
        }
        assert!(log.bytes <= FOLLOWED_BYTES && log.lines().len() > 400, "{} bytes", log.bytes);
    }

    #[test]
    fn the_error_in_a_log_stays_told_where_its_line_goes_for_a_successor() {
        let mut logs = Logs::default();
        let told = |logs: &Logs| logs.of(&run(1)).unwrap().excerpt().map(|excerpt| excerpt.telling().to_owned());
        logs.note(run(1), LogNews::Opened(Via::Followed));
        logs.note(run(1), LogNews::Lines(vec![LogLine::printed(b"Error: x")]));
        assert_eq!(told(&logs).as_deref(), Some("Error: x"), "while it is read");
        logs.note(run(1), lines(KEPT));
        logs.note(run(2), LogNews::Opened(Via::Followed));
        logs.shorten("migrations", Some(&run(2)));
        assert_eq!(told(&logs).as_deref(), Some("Error: x"));
        logs.note(run(1), LogNews::Closed(LogEnd::Complete));
        assert_eq!(told(&logs).as_deref(), Some("Error: x"), "in whatever order that comes");
        let kept = serde_json::to_string(&logs.kept(&mut usize::MAX.clone())).unwrap();
        let mut kept: Logs = serde_json::from_str(&kept.replace("Error: x", "Error: \\u001b[2Jx")).unwrap();
        assert_eq!(told(&kept).as_deref(), Some("Error: x"), "kept on disk, and clean");
        kept.note(run(1), LogNews::Opened(Via::Previous));
        assert_eq!(told(&kept).as_deref(), Some("Error: x"), "nothing came yet");
        kept.note(run(1), lines(1));
        assert_eq!(told(&kept).as_deref(), Some("line 0"), "it is read anew");
    }

    #[test]
    fn a_log_that_is_read_anew_has_each_line_once() {
        let mut logs = Logs::default();
        for via in [Via::Followed, Via::Previous] {
            logs.note(run(1), LogNews::Opened(via));
            logs.note(run(1), lines(3));
        }
        let log = logs.of(&run(1)).unwrap();
        assert_eq!((log.lines().len(), log.via()), (3, Via::Previous));
        logs.note(run(1), LogNews::Opened(Via::Followed));
        assert_eq!(logs.of(&run(1)).unwrap().lines().len(), 3, "nothing came yet");
        logs.note(run(1), LogNews::Closed(LogEnd::Gone));
        assert_eq!(logs.of(&run(1)).unwrap().lines().len(), 3, "nothing comes, and what was read stays");
        logs.note(run(1), LogNews::Opened(Via::Previous));
        logs.note(run(1), LogNews::Closed(LogEnd::Complete));
        assert_eq!(logs.of(&run(1)).unwrap().lines().len(), 0, "it was empty");
    }

    #[test]
    fn what_is_taken_back_goes_and_nothing_before_it() {
        let line = |second: i64| LogLine { time: Some(crate::fixture::at(second)), ..LogLine::printed(b"x") };
        let mut logs = Logs::default();
        logs.note(run(1), LogNews::Opened(Via::Followed));
        logs.note(run(1), LogNews::Lines((1..=4).map(line).collect()));
        logs.note(run(1), LogNews::TakenBack(crate::fixture::at(3)));
        let log = logs.of(&run(1)).unwrap();
        assert_eq!(log.lines().iter().map(|line| line.time).collect::<Vec<_>>(), [line(1).time, line(2).time]);
        assert_eq!(log.bytes, log.lines().iter().map(|line| line.size()).sum::<usize>());
    }

    #[test]
    fn a_snapshot_that_somebody_holds_does_not_change() {
        let mut logs = Logs::default();
        logs.note(run(1), LogNews::Opened(Via::Followed));
        logs.note(run(1), lines(1));
        let held = Arc::clone(logs.of(&run(1)).unwrap());
        logs.note(run(1), lines(1));
        assert_eq!((held.lines().len(), logs.of(&run(1)).unwrap().lines().len()), (1, 2));
    }

    #[test]
    fn the_oldest_logs_of_a_pod_go_first() {
        let mut logs = Logs::default();
        (0..=MOST_LOGS).for_each(|number| logs.note(run(number), LogNews::Opened(Via::Followed)));
        assert_eq!(logs.iter().count(), MOST_LOGS);
        assert!(logs.of(&run(0)).is_none());
    }
}
