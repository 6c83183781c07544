//! Composition: which source, which sink.
//!
//! | file | holds |
//! |---|---|
//! | `file` | `status` and `wait` on a file |
//! | `clusters` | one cluster, or several at once |
//! | `cluster` | `status` and `wait` on a cluster, and the list of its Jobs |
//! | `wait`, `junit` | how a wait prints and ends, and the file that it leaves |
//! | `rbac` | the Role that it needs |
//! | `record` | `record`, and what is said of a recording |
//! | `report` | `report`, on files and on a cluster |
//! | `screens` | the dashboard and the kiosk, on a cluster or on a recording |
//! | `asked`, `reader` | what ends that which has no screen: signals, and that nobody reads on |
//! | `demo` | the same on an API server inside the program, and that server alone |
//! | `configured` | what the settings make of a command line, and how they are shown |
//! | `complete` | what a shell is told that completes a command |
//! | `man`, `version` | the manual, the version |

mod asked;
mod cluster;
mod clusters;
mod complete;
mod configured;
mod demo;
mod file;
mod junit;
mod man;
mod rbac;
mod reader;
mod record;
mod report;
mod screens;
mod version;
mod wait;

use std::future::{Future, poll_fn};
use std::io::{self, Write};
use std::panic;
use std::pin::pin;
use std::process;
use std::task::Poll;

use tokio::sync::mpsc::{Receiver, channel};

use crate::cli::{Cli, Command, ConnectionArgs};
use crate::cluster::{ClusterEvent, Selection};
use crate::error::{ExitCode, ExpectedError};
use crate::source::Source;
use crate::source::live::ConnectOptions;

pub use complete::answer;

/// How many events may wait between a source and its sink.
const WAITING: usize = 1024;

/// From here on a panic of any thread ends the program, once it is told, with the exit code that Rust gives it: 101. A
/// release doesn't unwind, and would leave a core, in which there may be credentials.
pub fn end_at_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        process::exit(101);
    }));
}

/// Runs what the command line asks for.
///
/// # Errors
/// An [`ExpectedError`] says what went wrong, and knows the exit code.
pub fn run(cli: &Cli) -> Result<ExitCode, ExpectedError> {
    let (cli, config) = configured::configured(cli)?;
    let (cli, connection, asked) = (&cli, &cli.connection, cli.asked());
    let selection = || cli.selection();
    match &cli.command {
        Some(Command::Config(_)) => configured::show(cli),
        Some(Command::Completions(args)) => complete::script(args),
        Some(Command::Man(args)) => man::man(cli, args),
        Some(Command::Version(args)) => version::print(args),
        Some(Command::Status(args)) if !args.file.file.is_empty() => file::status(connection, args, asked),
        Some(Command::Wait(args)) if !args.file.file.is_empty() => file::wait(connection, args, asked),
        Some(Command::Status(args)) => in_runtime(cluster::status(connection, args, selection())),
        Some(Command::Wait(args)) => in_runtime(cluster::wait(connection, args, selection())),
        Some(Command::Rbac(args)) => in_runtime(rbac::rbac(connection, args, selection())),
        Some(Command::Record(args)) => in_runtime(record::record(connection, args, selection())),
        Some(Command::Replay(args)) => in_runtime(screens::replay(cli, &config, args)),
        Some(Command::Report(args)) if args.files.is_empty() => {
            in_runtime(report::of_cluster(connection, args, selection()))
        }
        Some(Command::Report(args)) => report::of_files(connection, args, asked),
        Some(Command::Demo(args)) if args.list => demo::list(),
        Some(Command::Demo(args)) if args.serve => in_runtime(demo::serve(args)),
        Some(Command::Demo(args)) => in_runtime(demo::show(cli, &config, args)),
        Some(Command::Job(args)) if args.lists() => in_runtime(cluster::jobs(connection, args, selection())),
        Some(Command::Job(_) | Command::Rollout(_) | Command::Gluesync(_) | Command::Watch(_)) | None => {
            in_runtime(screens::dashboard(cli, &config))
        }
    }
}

/// Runs `work` on this thread, and leaves behind what blocks when it is done.
fn in_runtime<T>(work: impl Future<Output = Result<T, ExpectedError>>) -> Result<T, ExpectedError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ExpectedError::usage(format!("cannot start: {error}")))?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    result
}

/// Feeds `sink` from a source, until the sink is done. A source that ends has said all it has to say; one that dies of a
/// fault of ours ends both.
async fn feed<T, F: Future<Output = T>>(
    source: impl Source,
    sink: impl FnOnce(Receiver<ClusterEvent>) -> F,
) -> Result<T, ExpectedError> {
    let (out, events) = channel(WAITING);
    let (mut source, mut sink) = (pin!(source.run(out)), pin!(sink(events)));
    let mut speaks = true;
    poll_fn(|context| {
        if let Poll::Ready(done) = sink.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        if speaks && let Poll::Ready(ended) = source.as_mut().poll(context) {
            if let Err(error) = ended {
                return Poll::Ready(Err(ExpectedError::unreachable(error.to_string())));
            }
            speaks = false;
        }
        // What it just said is taken in before the tasks run that it started by it: a frame comes before a log is asked for.
        sink.as_mut().poll(context).map(Ok)
    })
    .await
}

/// Where a cluster is, from the command line, and what is watched of it.
fn connect_options(args: &ConnectionArgs, selection: Selection) -> ConnectOptions {
    ConnectOptions {
        kubeconfig: args.kubeconfig.clone(),
        context: args.only_context().cloned(),
        namespace: args.namespace.clone(),
        all_namespaces: args.all_namespaces,
        as_user: args.as_user.clone(),
        selection,
    }
}

/// The exit code, after everything was printed. That nobody reads on, as in `… | head -1`, is no error.
fn printed(result: io::Result<()>, code: ExitCode) -> Result<ExitCode, ExpectedError> {
    match result.and_then(|()| io::stdout().flush()) {
        Ok(()) => Ok(code),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(code),
        Err(error) => Err(ExpectedError::usage(format!("the output cannot be written: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use tokio::sync::mpsc::Sender;

    use super::*;
    use crate::cluster::Change;
    use crate::fixture::at;
    use crate::source::SourceError;

    /// It begins something by what it hears, says what it heard, and has more to come.
    struct Beginning(std::sync::mpsc::Sender<&'static str>);

    impl Source for Beginning {
        async fn run(self, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
            tokio::task::yield_now().await;
            tokio::spawn(async move { self.0.send("its task ran").unwrap() });
            out.send(ClusterEvent {
                cluster: None,
                time: at(0),
                change: Change::Clock { ahead: SignedDuration::ZERO },
            })
            .await
            .unwrap();
            std::future::pending().await
        }
    }

    #[tokio::test]
    async fn what_a_source_says_is_taken_in_before_what_it_began_goes_on() {
        let (tell, told) = std::sync::mpsc::channel();
        let fed = feed(Beginning(tell.clone()), |mut events: Receiver<ClusterEvent>| async move {
            events.recv().await.unwrap();
            tell.send("taken in").unwrap();
            tokio::task::yield_now().await;
        });
        fed.await.map_err(|error| error.message).unwrap();
        assert_eq!(told.try_iter().collect::<Vec<_>>(), ["taken in", "its task ran"]);
    }
}
