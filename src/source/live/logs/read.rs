//! One request for a log, and what comes of it.

use std::pin::pin;
use std::time::Duration;

use futures::{AsyncBufRead, AsyncBufReadExt};
use jiff::Timestamp;
use kube::core::Request;
use kube::core::subresource::LogParams;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, timeout};

use super::lines::Lines;
use crate::cluster::LogLine;
use crate::source::live::connect::Connection;
use crate::source::live::fault::{Fault, cause};

/// How long a log that is followed may be silent before its connection counts as dead. Programs are silent for hours, so
/// that this is no fault: the log is asked for once more, from its last line on. A kubelet answers at the first line only.
const SILENCE: Duration = Duration::from_secs(240);
/// How long a log that is not followed may take for its next piece.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most lines that are told at once.
const BATCH: usize = 500;
/// How the kubelet says that it has a log no more (`GetContainerLogs` in its source; with the container's id behind it).
const NO_MORE: &str = "unable to retrieve container logs for ";

/// Which request something belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(pub(super) u64);

/// Which of the two runs that the kubelet tells of is asked for. It resolves them when it is asked, by its own status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// The current one: running, or ended last.
    Current,
    /// The one before it.
    Previous,
}

/// What to ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub(super) namespace: String,
    pub(super) pod: String,
    pub(super) container: String,
    pub(super) which: Which,
    /// Whether to go on until the run ends.
    pub(super) follow: bool,
    /// The most lines, from the end.
    pub(super) tail: usize,
    /// What was read before ended with a line of that time.
    pub(super) after: Option<Timestamp>,
    /// How long to wait before.
    pub(super) delay: Duration,
    /// Whether to read the credentials anew before: the old ones were refused.
    pub(super) renew: bool,
}

/// What comes of a request.
#[derive(Debug)]
pub(in crate::source::live) struct Said {
    pub(super) ticket: Ticket,
    pub(super) what: What,
}

/// What comes of it: asked, then lines, then an end.
#[derive(Debug)]
pub(super) enum What {
    /// Its delay is over: from now on, what comes may come from whatever run the kubelet resolves.
    Asked,
    /// Lines, each with its time.
    Lines(Vec<LogLine>),
    /// Nothing more comes.
    Ended {
        why: Ended,
        /// For how long it was answered; `None` if it was not.
        up: Option<Duration>,
    },
}

/// Why nothing more comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The server ended it: the run ended, or the kubelet did.
    Cleanly,
    /// It was silent for [`SILENCE`].
    Silent,
    /// The kubelet has the log no more.
    Gone,
    /// Nobody knows the pod: it is gone, or its kubelet was started just now and doesn't know it yet.
    Missing,
    /// It was refused, or broke. A container that has not started yet is refused, too (400).
    Fault(Fault),
}

/// Asks for a log, and tells what comes, until it ends or nobody listens.
pub(super) async fn read(connection: Connection, ticket: Ticket, ask: Ask, out: Sender<Said>) {
    if !ask.delay.is_zero() {
        sleep(ask.delay).await;
    }
    if ask.renew {
        connection.renew().await;
    }
    if out.send(Said { ticket, what: What::Asked }).await.is_err() {
        return;
    }
    let mut up = None;
    let why = stream(&connection, ticket, &ask, &out, &mut up).await;
    let what = What::Ended { why, up: up.map(|up: Instant| up.elapsed()) };
    // Whoever is gone needs no end.
    let _ = out.send(Said { ticket, what }).await;
}

async fn stream(
    connection: &Connection,
    ticket: Ticket,
    ask: &Ask,
    out: &Sender<Said>,
    up: &mut Option<Instant>,
) -> Ended {
    let path = format!("/api/v1/namespaces/{}/pods", ask.namespace);
    let request = match Request::new(path).logs(&ask.pod, &ask.params()) {
        Ok(request) => request,
        Err(error) => return Ended::Fault(Fault::Broken(cause(&error))),
    };
    let client = connection.client();
    let bytes = match timeout(ask.patience(), client.request_stream(request)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return refused(&error),
        Err(_) => return ask.silent(),
    };
    *up = Some(Instant::now());
    let mut batches = Batches { ticket, after: ask.after, word: None, lines: Vec::new(), out };
    match batches.pass_on(pin!(bytes), ask).await {
        Ended::Cleanly => match batches.word {
            Some(word) if word.starts_with(NO_MORE) => Ended::Gone,
            Some(word) => Ended::Fault(Fault::Broken(word)),
            None => Ended::Cleanly,
        },
        ended => ended,
    }
}

impl Ask {
    fn params(&self) -> LogParams {
        LogParams {
            container: Some(self.container.clone()),
            follow: self.follow,
            previous: self.which == Which::Previous,
            timestamps: true,
            tail_lines: i64::try_from(self.tail).ok(),
            // A kubelet is told whole seconds; what comes twice is left out.
            since_time: self.after.and_then(|time| k8s_openapi::jiff::Timestamp::from_second(time.as_second()).ok()),
            ..LogParams::default()
        }
    }

    fn patience(&self) -> Duration {
        if self.follow { SILENCE } else { PATIENCE }
    }

    fn silent(&self) -> Ended {
        if self.follow { Ended::Silent } else { Ended::Fault(Fault::Silent) }
    }
}

/// Why a request was not answered with a log.
fn refused(error: &kube::Error) -> Ended {
    match (Fault::of(error), error) {
        (_, kube::Error::Api(status)) if status.message.contains(NO_MORE) => Ended::Gone,
        (Fault::Undefined, _) => Ended::Missing,
        (fault, _) => Ended::Fault(fault),
    }
}

/// Lines on their way out.
struct Batches<'a> {
    ticket: Ticket,
    /// Lines up to that time are known already.
    after: Option<Timestamp>,
    /// The first line without a time: times were asked for, so that it is no line of the log, but the kubelet's word for
    /// why it can't go on.
    word: Option<String>,
    lines: Vec<LogLine>,
    out: &'a Sender<Said>,
}

impl Batches<'_> {
    async fn pass_on(&mut self, mut bytes: impl AsyncBufRead + Unpin, ask: &Ask) -> Ended {
        let mut lines = Lines::default();
        loop {
            let piece = match timeout(ask.patience(), bytes.fill_buf()).await {
                Ok(Ok(piece)) => piece,
                // The line it broke in comes again, whole.
                Ok(Err(error)) => return Ended::Fault(Fault::Broken(cause(&error))),
                Err(_) => return ask.silent(),
            };
            let length = piece.len();
            if length == 0 {
                lines.last().into_iter().for_each(|line| self.push(line));
                self.send().await;
                return Ended::Cleanly;
            }
            lines.take_in(piece, |line| self.push(line));
            bytes.consume_unpin(length);
            self.send().await;
        }
    }

    fn push(&mut self, line: &[u8]) {
        let line = LogLine::read(line);
        match line.time {
            None if line.text.is_empty() => {}
            None => drop(self.word.get_or_insert(line.text)),
            // Only what was asked for twice is known twice: a clock may be set back later.
            Some(time) if self.after.is_some_and(|after| time <= after) => {}
            Some(_) => {
                self.after = None;
                self.lines.push(line);
            }
        }
    }

    /// Hands on what came. A receiver that is gone ends the task by itself.
    async fn send(&mut self) {
        while !self.lines.is_empty() {
            let rest = self.lines.split_off(self.lines.len().min(BATCH));
            let lines = std::mem::replace(&mut self.lines, rest);
            let _ = self.out.send(Said { ticket: self.ticket, what: What::Lines(lines) }).await;
        }
    }
}
