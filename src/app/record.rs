//! `record`, and what is said of a recording.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, unbounded_channel};

use super::asked::Asked;
use super::clusters::Clusters;
use super::feed;
use crate::cli::{ConnectionArgs, Program, RecordArgs};
use crate::clock::SystemClock;
use crate::cluster::{Change, ClusterEvent, ClusterName, Feed, FeedState, Kind, Selection, WatchState, clean_sentence};
use crate::error::{ExitCode, ExpectedError};
use crate::record::{Pen, Recorder, Written};
use crate::run::span;
use crate::source::Recorded;
use crate::tui::RecorderState;

/// Records until a signal asks for the end, or the recording ends by a fault.
pub(super) async fn record(
    connection: &ConnectionArgs,
    args: &RecordArgs,
    selection: Selection,
) -> Result<ExitCode, ExpectedError> {
    let (tell, troubles) = unbounded_channel();
    // Nobody listens any more only while the program leaves.
    let recorder = Recorder::create(&args.file, move |why| drop(tell.send(why)))?;
    let heard = listen(connection, selection, args, &recorder, troubles).await;
    let written = recorder.close();
    heard?;
    let written = written.map_err(ExpectedError::usage)?;
    say(&summary(&args.file, &written));
    Ok(ExitCode::Settled)
}

async fn listen(
    connection: &ConnectionArgs,
    selection: Selection,
    args: &RecordArgs,
    recorder: &Recorder,
    troubles: UnboundedReceiver<String>,
) -> Result<(), ExpectedError> {
    let mut asked = Asked::listen()?;
    let clusters = tokio::select! {
        biased;
        _ = asked.next() => return Ok(()),
        clusters = Clusters::reach(connection, selection) => clusters?,
    };
    say(&format!("recording {} into {}; Ctrl-C ends it", place(&clusters), target(&args.file)));
    let pen = recorder.pen().of_namespace(clusters.namespace().as_deref());
    let source = Recorded::new(clusters.feeds(SystemClock), Some(pen));
    feed(source, |events| until_the_end(events, asked, troubles)).await
}

/// Says how the feed fares, until a signal or a trouble comes.
async fn until_the_end(mut events: Receiver<ClusterEvent>, mut asked: Asked, mut troubles: UnboundedReceiver<String>) {
    let mut fares: BTreeMap<Option<ClusterName>, Feed> = BTreeMap::new();
    loop {
        tokio::select! {
            biased;
            _ = asked.next() => return,
            _ = troubles.recv() => return,
            event = events.recv() => {
                let Some(event) = event else { return };
                let cluster = event.cluster.clone();
                for news in news(fares.entry(cluster.clone()).or_default(), event) {
                    say(&cluster.iter().map(|cluster| format!("{cluster}: ")).chain([news]).collect::<String>());
                }
            }
        }
    }
}

/// What is new of how the watches fare.
fn news(fares: &mut Feed, event: ClusterEvent) -> Vec<String> {
    let Change::Watch { kind, state } = event.change else { return Vec::new() };
    let (before, was_hidden) = (fares.state(), fares.watch(kind).and_then(|state| hidden(kind, state)));
    let is_hidden = hidden(kind, &state);
    let seen = matches!(state, WatchState::Live { .. });
    fares.note(kind, state);
    let of_kind = match (is_hidden, was_hidden) {
        (Some(words), was) if was.as_ref() != Some(&words) => Some(words),
        (None, Some(_)) if seen => Some(format!("{} are seen now", kind.plural())),
        _ => None,
    };
    let after = fares.state();
    let together = match &after {
        FeedState::Stale { error, .. } => Some(format!("stale: {error}")),
        FeedState::Live { .. } => Some("live".into()),
        // What is withdrawn was told just now.
        FeedState::Connecting | FeedState::Withdrawn { .. } | FeedState::Ended => None,
    };
    let together = together.filter(|_| before.word() != after.word());
    of_kind.into_iter().chain(together).map(|words| line(event.time, &words)).collect()
}

/// Why nothing of a kind is recorded, where it can't be seen.
fn hidden(kind: Kind, state: &WatchState) -> Option<String> {
    match state {
        WatchState::Forbidden { message, .. } => Some(format!("{} may not be watched: {message}", kind.plural())),
        WatchState::Undefined => Some(format!("the cluster does not serve {kind} yet")),
        _ => None,
    }
}

fn line(time: Timestamp, words: &str) -> String {
    format!("{} {}", time.strftime("%H:%M:%SZ"), clean_sentence(words))
}

/// What is recorded: a namespace, or all, and of which cluster.
fn place(clusters: &Clusters) -> String {
    let namespace = clusters.namespace().map(|name| format!("namespace `{name}`"));
    clean_sentence(&match (namespace, clusters) {
        (None, Clusters::Several { .. }) => clusters.place(),
        (Some(namespace), Clusters::Several { .. }) => format!("{namespace} of {}", clusters.place()),
        (namespace, Clusters::One(_)) => {
            format!("{} of `{}`", namespace.unwrap_or_else(|| "all namespaces".into()), clusters.place())
        }
    })
}

fn target(file: &Path) -> String {
    if file == Path::new("-") { "standard output".into() } else { format!("`{}`", file.display()) }
}

/// What was recorded, over how long, and how to play it.
fn summary(file: &Path, written: &Written) -> String {
    let Some((first, last)) = written.span else { return "nothing was heard, so nothing was recorded".into() };
    let changes = if written.changes == 1 { "change" } else { "changes" };
    let recorded = format!("recorded {} {changes} over {}", written.changes, span(last.duration_since(first)));
    if file == Path::new("-") {
        return recorded;
    }
    let name = file.to_string_lossy();
    let quoted = shlex::try_quote(&name).unwrap_or_else(|_| name.clone());
    clean_sentence(&format!("{recorded}; {} replay {quoted}", Program::running().typed()))
}

/// The recording beside the dashboard, if one was asked for.
pub(super) struct Beside {
    recorder: Option<(PathBuf, Recorder)>,
    /// Why it ended before its time.
    pub(super) unrecorded: UnboundedReceiver<String>,
}

impl Beside {
    /// Begins a recording in that file, if there is one.
    pub(super) fn open(file: Option<&Path>) -> Result<Self, ExpectedError> {
        let (tell, unrecorded) = unbounded_channel();
        let create = |file: &Path| {
            // Nobody listens any more only while the program leaves.
            let recorder = Recorder::create(file, move |why| drop(tell.send(why)))?;
            Ok((file.to_owned(), recorder))
        };
        Ok(Self { recorder: file.map(create).transpose()?, unrecorded })
    }

    /// What hands events of that namespace to it, or of all.
    pub(super) fn pen(&self, namespace: Option<&str>) -> Option<Pen> {
        self.recorder.as_ref().map(|(_, recorder)| recorder.pen().of_namespace(namespace))
    }

    /// How it fares.
    pub(super) fn state(&self) -> RecorderState {
        match &self.recorder {
            None => RecorderState::Off,
            Some((_, recorder)) if recorder.ended().is_some() => RecorderState::Failed,
            Some(_) => RecorderState::On,
        }
    }

    /// Ends it, and says what was recorded, or why it ended before.
    pub(super) fn close(self) -> Option<String> {
        let (file, recorder) = self.recorder?;
        Some(recorder.close().map_or_else(|why| why, |written| summary(&file, &written)))
    }
}

/// Says something beside the recording. Where it can't be said, the recording goes on all the same.
pub(super) fn say(words: &str) {
    let program = Program::running();
    let _ = writeln!(io::stderr(), "{}: {}", program.typed(), program.in_text(words));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;

    fn told(states: impl IntoIterator<Item = (Kind, WatchState)>) -> Vec<String> {
        let mut fares = Feed::default();
        let event = |(kind, state)| ClusterEvent { cluster: None, time: at(0), change: Change::Watch { kind, state } };
        states.into_iter().flat_map(|state| news(&mut fares, event(state))).collect()
    }

    fn live() -> WatchState {
        WatchState::Live { since: at(0) }
    }

    #[test]
    fn that_the_feed_is_live_is_told_once_and_an_outage_with_its_cause() {
        let broken = |error: &str| WatchState::Broken { since: at(0), error: error.into() };
        let told = told([
            (Kind::Job, WatchState::Starting),
            (Kind::Pod, WatchState::Starting),
            (Kind::Job, live()),
            (Kind::Pod, live()),
            (Kind::Event, live()),
            (Kind::Job, broken("no\nanswer")),
            (Kind::Pod, broken("no answer")),
            (Kind::Job, live()),
            (Kind::Pod, live()),
        ]);
        assert_eq!(told, ["15:00:00Z live", "15:00:00Z stale: no answer", "15:00:00Z live"]);
    }

    #[test]
    fn what_is_not_recorded_is_told_and_when_that_changes() {
        let told = told([
            (Kind::Pod, WatchState::Forbidden { message: "no\u{1b}[31m".into(), heard: None }),
            (Kind::Pod, WatchState::Forbidden { message: "no\u{1b}[31m".into(), heard: None }),
            (Kind::GitLabCore, WatchState::Undefined),
            (Kind::Pod, live()),
            (Kind::GitLabCore, live()),
        ]);
        assert_eq!(
            told,
            [
                "15:00:00Z pods may not be watched: no",
                "15:00:00Z the cluster does not serve GitLabCore yet",
                "15:00:00Z pods are seen now",
                "15:00:00Z live",
                "15:00:00Z gitlabcores are seen now",
            ]
        );
    }

    #[test]
    fn what_was_recorded_is_told_with_how_to_play_it() {
        let written = |changes, seconds| Written { changes, span: Some((at(0), at(seconds))) };
        let told = |file: &str, written| summary(file.as_ref(), &written);
        assert_eq!(told("x.gz", written(314, 252)), "recorded 314 changes over 4m12s; gatewatch replay x.gz");
        assert_eq!(told("a b", written(1, 0)), "recorded 1 change over 0s; gatewatch replay 'a b'");
        assert_eq!(told("-", written(2, 5)), "recorded 2 changes over 5s");
        assert_eq!(told("x", Written::default()), "nothing was heard, so nothing was recorded");
    }
}
