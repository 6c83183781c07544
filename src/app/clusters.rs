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
    /// Several, by their contexts, whether they answer or not.
    Several(Vec<(ClusterName, ConnectOptions)>),
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
        let mut several = Vec::new();
        for context in &args.context {
            let options = ConnectOptions { context: Some(context.clone()), ..connect_options(args, selection.clone()) };
            known(&options).await?;
            several.push((context.as_str().into(), options));
        }
        Ok(Self::Several(several))
    }

    /// What the place is called: the context, or how many there are.
    pub(super) fn place(&self) -> String {
        match self {
            Self::One(connection) => connection.context.clone().unwrap_or_else(|| connection.server.clone()),
            Self::Several(several) => format!("{} clusters", several.len()),
        }
    }

    /// The namespace that is watched; `None` for all, and where each of several has its own.
    pub(super) fn namespace(&self) -> Option<String> {
        match self {
            Self::One(connection) => connection.namespace.clone(),
            Self::Several(several) => several.first().and_then(|(_, options)| options.namespace.clone()),
        }
    }

    /// What is watched.
    pub(super) fn selection(&self) -> Selection {
        match self {
            Self::One(connection) => connection.selection.clone(),
            Self::Several(several) => several.first().map(|(_, options)| options.selection.clone()).unwrap_or_default(),
        }
    }

    /// From now on that namespace is watched, or all.
    pub(super) fn look_into(&mut self, namespace: Option<String>) {
        match self {
            Self::One(connection) => connection.namespace = namespace,
            Self::Several(several) => {
                for (_, options) in several {
                    options.all_namespaces = namespace.is_none();
                    options.namespace.clone_from(&namespace);
                }
            }
        }
    }

    /// What says how they fare; `clock` tells when something was heard.
    pub(super) fn feeds(&self, clock: impl Clock + Send + Sync + 'static) -> Feeds {
        match self {
            Self::One(connection) => Feeds::One(Box::new(Live::new(Connection::clone(connection), clock))),
            Self::Several(several) => Feeds::Several(Several::new(several.clone(), clock)),
        }
    }

    /// Each of them on its own, connected or not.
    pub(super) async fn each(self) -> Vec<(Option<ClusterName>, Selection, Result<Connection, ExpectedError>)> {
        match self {
            Self::One(connection) => {
                vec![(None, connection.selection.clone(), Ok(*connection))]
            }
            Self::Several(several) => {
                let connected = several.into_iter().map(|(cluster, options)| async move {
                    (Some(cluster), options.selection.clone(), connect(&options).await)
                });
                join_all(connected).await
            }
        }
    }
}

impl Source for Feeds {
    async fn run(self, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
        match self {
            Self::One(live) => live.run(out).await,
            Self::Several(several) => several.run(out).await,
        }
    }
}
