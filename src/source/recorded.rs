//! A source that is recorded: what it says goes on as it came, and to the recording.

use tokio::sync::mpsc::{self, Sender};

use super::{Source, SourceError};
use crate::cluster::ClusterEvent;
use crate::record::Pen;

/// How much waits between the source and the recording. Neither waits for the disk.
const WAITING: usize = 64;

/// A source, and where what it says is recorded.
pub struct Recorded<S> {
    source: S,
    pen: Option<Pen>,
}

impl<S> Recorded<S> {
    /// Records what `source` says; nothing where there is no pen.
    pub fn new(source: S, pen: Option<Pen>) -> Self {
        Self { source, pen }
    }
}

impl<S: Source + Send> Source for Recorded<S> {
    async fn run(self, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
        let Some(pen) = self.pen else { return self.source.run(out).await };
        let (told, mut heard) = mpsc::channel(WAITING);
        let pass_on = async move {
            loop {
                tokio::select! {
                    biased;
                    () = out.closed() => return,
                    event = heard.recv() => {
                        let Some(event) = event else { return };
                        pen.write(&event);
                        if out.send(event).await.is_err() {
                            return;
                        }
                    }
                }
            }
        };
        // The source ends when `heard` is gone.
        let (ended, ()) = tokio::join!(self.source.run(told), pass_on);
        ended
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use jiff::Timestamp;
    use tempfile::TempDir;

    use super::*;
    use crate::cluster::{Change, Kind, WatchState};
    use crate::record::{Reading, Recorder, open};

    /// Says all of it, and then nothing more until nobody listens.
    struct Said(Vec<ClusterEvent>);

    impl Source for Said {
        async fn run(self, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
            for event in self.0 {
                out.send(event).await.unwrap();
            }
            out.closed().await;
            Ok(())
        }
    }

    fn said() -> Vec<ClusterEvent> {
        let at = |second| Timestamp::from_second(second).unwrap();
        let state = || WatchState::Live { since: at(100) };
        let event = |second, kind| ClusterEvent {
            cluster: None,
            time: at(second),
            change: Change::Watch { kind, state: state() },
        };
        vec![event(100, Kind::Pod), event(130, Kind::Job)]
    }

    fn recorder(home: &TempDir) -> (Recorder, PathBuf) {
        let path = home.path().join("x.jsonl");
        (Recorder::create(&path, |why| panic!("{why}")).unwrap(), path)
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_source_says_goes_on_and_is_recorded() {
        let home = TempDir::new().unwrap();
        let (recorder, path) = recorder(&home);
        let (out, mut heard) = mpsc::channel(100);
        let recorded = tokio::spawn(Recorded::new(Said(said()), Some(recorder.pen())).run(out));
        let told = [heard.recv().await.unwrap(), heard.recv().await.unwrap()];
        assert_eq!(told[..], said());
        drop(heard);
        recorded.await.unwrap().unwrap();
        recorder.close().unwrap();
        let Reading::Recording(recording) = open(&path).unwrap() else { panic!() };
        assert_eq!(recording.events, told);
    }

    #[tokio::test(start_paused = true)]
    async fn a_receiver_that_is_gone_ends_it_in_the_middle_of_a_gap() {
        let home = TempDir::new().unwrap();
        let (recorder, _) = recorder(&home);
        let (out, mut heard) = mpsc::channel(100);
        let recorded = tokio::spawn(Recorded::new(Said(said()), Some(recorder.pen())).run(out));
        heard.recv().await.unwrap();
        let began = tokio::time::Instant::now();
        drop(heard);
        recorded.await.unwrap().unwrap();
        assert_eq!(began.elapsed(), std::time::Duration::ZERO);
        recorder.close().unwrap();
    }
}
