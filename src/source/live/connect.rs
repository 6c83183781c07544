//! From options to a cluster that answers.
//!
//! What is wrong with the way to a cluster is said before a screen is drawn, in one sentence: what, where, and what to do.

use std::io::{IsTerminal, stderr, stdin};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use kube::api::ApiResource;
use kube::config::ExecInteractiveMode;
use kube::core::{ObjectList, Request};
use kube::{Client, Config};
use serde_json::Value;
use tokio::sync::{Mutex, watch};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

use super::busy::telling_when;
use super::fault::{Fault, cause};
use super::kubeconfig::find;
use super::query::Query;
use super::skew::Dated;
use crate::cluster::{JobPick, Kind, Pick, Selection, clean_word, is_namespace};
use crate::error::ExpectedError;

/// How long the cluster may take to answer before a screen is drawn, and how long a connection may take to be made.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a credential plugin is run again because its credential was refused: it could open a browser each time.
const PLUGIN_AGAIN: Duration = Duration::from_secs(60);

/// Which cluster, and what of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectOptions {
    /// `--kubeconfig`: this file, instead of those of `$KUBECONFIG` or `~/.kube/config`.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`: this context, instead of the current one.
    pub context: Option<String>,
    /// `-n`: this namespace, instead of the context's.
    pub namespace: Option<String>,
    /// `-A`: all namespaces.
    pub all_namespaces: bool,
    /// `--as`: act as this user.
    pub as_user: Option<String>,
    /// What is watched.
    pub selection: Selection,
}

/// A cluster that answered.
#[derive(Clone)]
pub struct Connection {
    /// The client to it, for everybody who has this connection: credentials that are read anew are read for all. With it,
    /// how often they were.
    client: watch::Sender<(usize, Client)>,
    /// The URL of its API server, without a password in it.
    pub server: String,
    /// The context it was reached by; `None` inside a cluster.
    pub context: Option<String>,
    /// The namespace that is watched; `None` for all.
    pub namespace: Option<String>,
    /// What is watched over it.
    pub selection: Selection,
    /// A kind that is watched, and as what it was served when the cluster answered first; `None` if nobody looked, or
    /// it was not.
    pub(super) first: Option<(Kind, ApiResource)>,
    /// How it was reached; `None` for a client that came from elsewhere.
    options: Option<ConnectOptions>,
    /// The proxy that leads to it, without the password for it.
    proxy: Option<String>,
    /// When a credential plugin was last run again. Whoever holds it runs one.
    ran: Arc<Mutex<Option<Instant>>>,
    /// The date of its last answer.
    pub(super) dated: watch::Sender<Option<Dated>>,
}

impl Connection {
    /// A connection by a client that came from elsewhere, to the API server at that URL.
    pub fn new(client: Client, server: impl Into<String>, namespace: Option<String>) -> Self {
        let dated = watch::Sender::new(None);
        let client = watch::Sender::new((0, telling_when(client, dated.clone())));
        Self {
            client,
            server: server.into(),
            context: None,
            namespace,
            selection: Selection::default(),
            first: None,
            options: None,
            proxy: None,
            ran: Arc::default(),
            dated,
        }
    }

    /// The client, with the credentials that were read last.
    pub(super) fn client(&self) -> Client {
        self.client.borrow().1.clone()
    }

    /// How often the credentials were read anew.
    pub(super) fn renewals(&self) -> usize {
        self.client.borrow().0
    }

    /// Reads the credentials anew, after the old ones were refused: somebody may have logged in again. Where there are none
    /// to read, the old ones stay, and are refused with a word. A credential plugin is run again, as its credential may be one
    /// that holds until it is refused; by one watch for all, at most once a minute, and never with the terminal at its hands.
    pub(super) async fn renew(&self) {
        let Some(options) = &self.options else { return };
        let Ok((mut config, _)) = configure(options).await else { return };
        let renewed = if let Some(exec) = &mut config.auth_info.exec {
            exec.interactive_mode = Some(ExecInteractiveMode::Never);
            let mut ran = self.ran.lock().await;
            if ran.is_some_and(|ran| ran.elapsed() < PLUGIN_AGAIN) {
                return;
            }
            *ran = Some(Instant::now());
            // The plugin runs while the client is made, and the screen goes on meanwhile.
            match timeout(PATIENCE, spawn_blocking(move || Client::try_from(config))).await {
                Ok(Ok(client)) => client,
                Ok(Err(_)) | Err(_) => return,
            }
        } else {
            Client::try_from(config)
        };
        if let Ok(client) = renewed {
            let client = telling_when(client, self.dated.clone());
            self.client.send_modify(|current| *current = (current.0 + 1, client));
        }
    }
}

/// Looks whether the kubeconfig knows the way. No cluster is asked.
///
/// # Errors
/// An [`ExpectedError`] with exit code 4: no kubeconfig, or a context that isn't there; with exit code 2: a namespace that can't
/// have that name.
pub async fn known(options: &ConnectOptions) -> Result<(), ExpectedError> {
    let found = find(options).await.and_then(|(config, _)| chosen_namespace(options, &config.default_namespace));
    found.map(drop).map_err(|error| ExpectedError { message: clean_word(&error.message), ..error })
}

/// Connects to the cluster, and looks whether it answers and lets us list something that we are here for. A cluster that
/// doesn't serve a kind is fine; it's waited for. A credential plugin may ask its questions now, and not later.
///
/// # Errors
/// An [`ExpectedError`] with exit code 4: no kubeconfig, a context that isn't there, a server that can't be reached,
/// credentials or a list that it refuses; with exit code 2: a namespace that can't have that name.
pub async fn connect(options: &ConnectOptions) -> Result<Connection, ExpectedError> {
    // Names of a kubeconfig, too, may hold anything, and what is said is one line.
    connected(options).await.map_err(|error| ExpectedError { message: clean_word(&error.message), ..error })
}

async fn connected(options: &ConnectOptions) -> Result<Connection, ExpectedError> {
    let (config, context) = configure(options).await?;
    let server = address(&config.cluster_url);
    let namespace = chosen_namespace(options, &config.default_namespace)?;
    let proxy = config.proxy_url.as_ref().map(address);
    let plugin = config.auth_info.exec.as_ref().and_then(|exec| exec.command.as_ref());
    let with = plugin.map(|plugin| format!(" with `{plugin}`")).unwrap_or_default();
    let client = client(config).map_err(|error| {
        ExpectedError::unreachable(format!(
            "cannot log in to {server}{with}: {}; log in again, or choose another context with --context",
            cause(&error)
        ))
    })?;
    let dated = watch::Sender::new(None);
    let client = watch::Sender::new((0, telling_when(client, dated.clone())));
    // Whoever chooses another current context later means other programs: what is on the screen stays this cluster.
    let options = ConnectOptions { context: context.clone(), ..options.clone() };
    let selection = options.selection.clone();
    let options = Some(options);
    let ran = Arc::default();
    let connection =
        Connection { client, server, context, namespace, selection, first: None, options, proxy, ran, dated };
    let first = check(&connection).await?;
    Ok(Connection { first, ..connection })
}

/// The namespace that would be watched, or `None` for all; asked of no cluster, and of a kubeconfig only where nothing else
/// tells.
///
/// # Errors
/// As those of [`connect`] about a kubeconfig, and a namespace that can't have that name.
pub async fn namespace(options: &ConnectOptions) -> Result<Option<String>, ExpectedError> {
    let told = options.all_namespaces || options.namespace.is_some();
    let own = if told { String::new() } else { find(options).await?.0.default_namespace };
    chosen_namespace(options, &own).map_err(|error| ExpectedError { message: clean_word(&error.message), ..error })
}

/// The namespace that was chosen, or the context's own.
fn chosen_namespace(options: &ConnectOptions, own: &str) -> Result<Option<String>, ExpectedError> {
    let namespaces = [options.namespace.as_deref(), Some(own), Some("default")];
    let namespace = namespaces.into_iter().flatten().find(|namespace| !namespace.is_empty());
    let namespace = namespace.filter(|_| !options.all_namespaces).map(str::to_owned);
    match namespace {
        Some(name) if !is_namespace(&name) => {
            Err(ExpectedError::usage(format!("no namespace can be named `{name}`; choose one with -n")))
        }
        namespace => Ok(namespace),
    }
}

/// A URL as it may be shown: without a name and a password, which can stand in it.
fn address(url: &Uri) -> String {
    let scheme = url.scheme_str().map(|scheme| format!("{scheme}://")).unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let address = format!("{scheme}{}{port}{}", url.host().unwrap_or_default(), url.path());
    address.trim_end_matches('/').to_owned()
}

/// The client. A credential plugin that may ask questions runs first with the terminal at its hands; what is kept is a
/// client whose plugin can't write over the screen when the token is renewed (its words come with the error instead),
/// unless the plugin can't do without the terminal.
fn client(config: Config) -> kube::Result<Client> {
    let mut quiet = config.clone();
    let Some(exec) = &mut quiet.auth_info.exec else { return Client::try_from(config) };
    let asks = exec.interactive_mode != Some(ExecInteractiveMode::Never);
    exec.interactive_mode = Some(ExecInteractiveMode::Never);
    if asks && stdin().is_terminal() && stderr().is_terminal() {
        let asking = Client::try_from(config)?;
        return Ok(Client::try_from(quiet).unwrap_or(asking));
    }
    Client::try_from(quiet)
}

/// The configuration of the client, and the context it is of.
pub(super) async fn configure(options: &ConnectOptions) -> Result<(Config, Option<String>), ExpectedError> {
    let (mut config, context) = find(options).await?;
    if let Some(user) = &options.as_user {
        config.auth_info.impersonate = Some(user.clone());
    }
    config.connect_timeout = Some(PATIENCE);
    // kube's own retries would keep from the screen for minutes that the server is overloaded.
    config.default_retry = false;
    Ok((config, context))
}

/// Looks whether the cluster answers and lets us list one of the kinds that are watched for themselves, as far as it serves
/// it; returns which, and as what. Where it refuses one, the others can still be seen.
async fn check(connection: &Connection) -> Result<Option<(Kind, ApiResource)>, ExpectedError> {
    let mut kinds: Vec<Kind> = connection.selection.picks().iter().map(Pick::kind).collect();
    kinds.dedup();
    let mut refused = None;
    for kind in kinds {
        match listed(kind, connection).await {
            Ok(resource) => return Ok(Some((kind, resource))),
            Err(Fault::Undefined) => return Ok(None),
            Err(fault @ Fault::Forbidden(_)) => drop(refused.get_or_insert((kind, fault))),
            Err(fault) => return Err(ExpectedError::unreachable(refusal(&fault, kind, connection))),
        }
    }
    match refused {
        Some((kind, fault)) => Err(ExpectedError::unreachable(refusal(&fault, kind, connection))),
        None => Ok(None),
    }
}

/// Lists one object of a kind; returns as what the kind is served.
async fn listed(kind: Kind, connection: &Connection) -> Result<ApiResource, Fault> {
    let answer = timeout(PATIENCE, async {
        let query = Query::all(kind, &connection.selection, connection.namespace.as_deref());
        let client = connection.client();
        let resource = query.resolve(&client).await?;
        let mut one = query.list(None);
        one.limit = Some(1);
        let request =
            Request::new(query.path(&resource)).list(&one).map_err(|error| Fault::Broken(error.to_string()))?;
        client.request::<ObjectList<Value>>(request).await.map_err(|error| Fault::of(&error))?;
        Ok(resource)
    });
    answer.await.unwrap_or_else(|_| Err(Fault::Broken(format!("no answer within {} s", PATIENCE.as_secs()))))
}

/// What prints the Role that allows to watch that.
fn rbac(selection: &Selection) -> String {
    let target = |pick: &Pick| match pick {
        // A Role knows no labels.
        Pick::Job(_) => Pick::Job(JobPick::All).to_string(),
        pick => pick.to_string(),
    };
    let targets = selection.picks().iter().map(target).filter(|_| *selection != Selection::default());
    let mut words = vec!["gatewatch rbac".to_owned()];
    words.extend(targets);
    words.dedup();
    words.join(" ")
}

/// One sentence for a cluster that can't be used.
fn refusal(fault: &Fault, kind: Kind, connection: &Connection) -> String {
    let Connection { server, context, namespace, proxy, .. } = connection;
    let place = context.as_ref().map_or_else(|| server.clone(), |context| format!("{server} (context `{context}`)"));
    match fault {
        Fault::Unauthorized => format!("{place} refused our credentials (401 Unauthorized); log in again"),
        Fault::Forbidden(message) => {
            let of = namespace.as_ref().map_or_else(
                || "in all namespaces; choose one with -n".to_owned(),
                |namespace| format!("in namespace `{namespace}`; choose another with -n"),
            );
            let kind = kind.plural();
            let rbac = rbac(&connection.selection);
            format!("{place} does not let us list {kind} {of}, or ask for the Role that `{rbac}` prints ({message})")
        }
        Fault::Untrusted(why) => format!(
            "cannot trust the certificate of {place}: {why}; mend `certificate-authority` or `tls-server-name` of the cluster \
             in the kubeconfig, or choose another context with --context"
        ),
        fault => {
            let (through, check) = match proxy {
                Some(proxy) => (format!(" through the proxy {proxy}"), "the network and the proxy"),
                None => (String::new(), "the network"),
            };
            let words = fault.words();
            format!("cannot reach {place}{through}: {words}; check {check}, or choose another context with --context")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_without_a_password() {
        for (url, told) in [
            ("http://demo:hunter2@127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("https://hunter2@[::1]/k8s/clusters/c-1", "https://[::1]/k8s/clusters/c-1"),
            ("https://api.example:6443", "https://api.example:6443"),
        ] {
            assert_eq!(address(&url.parse().unwrap()), told);
        }
    }
}
