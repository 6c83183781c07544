//! Which clusters are watched: one that answered, or several, each for itself.

use futures::future::join_all;
use tokio::sync::mpsc::Sender;

use super::connect_options;
use crate::cli::ConnectionArgs;
use crate::clock::Clock;
use crate::cluster::{ClusterEvent, ClusterName, Selection};
use crate::error::ExpectedError;
use crate::source::live::{ConnectOptions, Connection, Live, Several, connect, known};
use crate::source::{Source, SourceError};

/// The clusters that are watched.
pub(super) enum Clusters {
    /// One, which answered.
    One(Box<Connection>),
    /// Several, whether they answer or not.
    Several {
        /// Their contexts.
        contexts: Vec<String>,
        /// How each of them is connected to, but for its context.
        options: ConnectOptions,
    },
}

/// What says how they fare.
pub(super) enum Feeds {
    /// Of one.
    One(Box<Live>),
    /// Of several.
    Several(Several),
}

impl Clusters {
    /// Those that the command line names. One has to answer; of several, each has to be in the kubeconfig.
    pub(super) async fn reach(args: &ConnectionArgs, selection: Selection) -> Result<Self, ExpectedError> {
        if args.context.len() < 2 {
            return Ok(Self::One(Box::new(connect(&connect_options(args, selection)).await?)));
        }
        let (contexts, options) = (args.context.clone(), connect_options(args, selection));
        for (_, options) in each_of(&contexts, &options) {
            known(&options).await?;
        }
        Ok(Self::Several { contexts, options })
    }

    /// What the place is called: the context, or how many there are.
    pub(super) fn place(&self) -> String {
        match self {
            Self::One(connection) => connection.context.clone().unwrap_or_else(|| connection.server.clone()),
            Self::Several { contexts, .. } => format!("{} clusters", contexts.len()),
        }
    }

    /// The namespace that is watched; `None` for all, and where each of several has its own.
    pub(super) fn namespace(&self) -> Option<String> {
        match self {
            Self::One(connection) => connection.namespace.clone(),
            Self::Several { options, .. } => options.namespace.clone(),
        }
    }

    /// What is watched.
    pub(super) fn selection(&self) -> Selection {
        match self {
            Self::One(connection) => connection.selection.clone(),
            Self::Several { options, .. } => options.selection.clone(),
        }
    }

    /// From now on that namespace is watched, or all.
    pub(super) fn look_into(&mut self, namespace: Option<String>) {
        match self {
            Self::One(connection) => connection.namespace = namespace,
            Self::Several { options, .. } => {
                options.all_namespaces = namespace.is_none();
                options.namespace = namespace;
            }
        }
    }

    /// What says how they fare; `clock` tells when something was heard.
    pub(super) fn feeds(&self, clock: impl Clock + Send + Sync + 'static) -> Feeds {
        match self {
            Self::One(connection) => Feeds::One(Box::new(Live::new(Connection::clone(connection), clock))),
            Self::Several { contexts, options } => {
                Feeds::Several(Several::new(each_of(contexts, options).collect(), clock))
            }
        }
    }

    /// Each of them on its own, connected or not.
    pub(super) async fn each(self) -> Vec<(Option<ClusterName>, Selection, Result<Connection, ExpectedError>)> {
        match self {
            Self::One(connection) => {
                vec![(None, connection.selection.clone(), Ok(*connection))]
            }
            Self::Several { contexts, options } => {
                let connected = each_of(&contexts, &options).map(|(cluster, options)| async move {
                    (Some(cluster), options.selection.clone(), connect(&options).await)
                });
                join_all(connected).await
            }
        }
    }
}

/// Each of several clusters by its name, and how it is connected to.
fn each_of(contexts: &[String], options: &ConnectOptions) -> impl Iterator<Item = (ClusterName, ConnectOptions)> {
    let of = |context: &String| ConnectOptions { context: Some(context.clone()), ..options.clone() };
    contexts.iter().map(move |context| (context.as_str().into(), of(context)))
}

impl Source for Feeds {
    async fn run(self, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
        match self {
            Self::One(live) => live.run(out).await,
            Self::Several(several) => several.run(out).await,
        }
    }
}
