//! From options to a cluster that answers.
//!
//! What is wrong with the way to a cluster is said before a screen is drawn, in one sentence: what, where, and what to do.

use std::env;
use std::ffi::OsStr;
use std::io::{IsTerminal, stderr, stdin};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;
use kube::config::{AuthInfo, ExecInteractiveMode, KubeConfigOptions, Kubeconfig};
use kube::core::{ObjectList, Request};
use kube::{Client, Config};
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use super::fault::{Fault, cause};
use super::query::Query;
use crate::cluster::{Kind, clean_word, is_namespace};
use crate::error::ExpectedError;

/// How long the cluster may take to answer before a screen is drawn, and how long a connection may take to be made.
const PATIENCE: Duration = Duration::from_secs(10);

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
}

/// A cluster that answered.
#[derive(Clone)]
pub struct Connection {
    /// The client to it, for everybody who has this connection: credentials that are read anew are read for all.
    client: watch::Sender<Client>,
    /// The URL of its API server.
    pub server: String,
    /// The context it was reached by; `None` inside a cluster.
    pub context: Option<String>,
    /// The namespace that is watched; `None` for all.
    pub namespace: Option<String>,
    /// How it was reached; `None` for a client that came from elsewhere.
    options: Option<ConnectOptions>,
}

impl Connection {
    /// A connection by a client that came from elsewhere, to the API server at that URL.
    pub fn new(client: Client, server: impl Into<String>, namespace: Option<String>) -> Self {
        Self { client: watch::Sender::new(client), server: server.into(), context: None, namespace, options: None }
    }

    /// The client, with the credentials that were read last.
    pub(super) fn client(&self) -> Client {
        self.client.borrow().clone()
    }

    /// Reads the credentials anew, after the old ones were refused: somebody may have logged in again. Where there are none
    /// to read, the old ones stay, and are refused with a word. A credential plugin is not run again (it could open a
    /// browser each time); kube runs it when its token expires.
    pub(super) async fn renew(&self) {
        let Some(options) = &self.options else { return };
        if let Ok((config, _)) = configure(options).await
            && config.auth_info.exec.is_none()
            && let Ok(client) = client(config)
        {
            self.client.send_replace(client);
        }
    }
}

/// Connects to the cluster, and looks whether it answers and lets us list what we are here for. A cluster that doesn't
/// serve `GitLabCore` is fine; it's waited for. A credential plugin may ask its questions now, and not later.
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
    let server = config.cluster_url.to_string().trim_end_matches('/').to_owned();
    let namespaces = [options.namespace.as_deref(), Some(config.default_namespace.as_str()), Some("default")];
    let namespace = namespaces.into_iter().flatten().find(|namespace| !namespace.is_empty());
    let namespace = namespace.filter(|_| !options.all_namespaces).map(str::to_owned);
    if let Some(name) = namespace.as_ref().filter(|name| !is_namespace(name)) {
        return Err(ExpectedError::usage(format!("no namespace can be named `{name}`; choose one with -n")));
    }
    let plugin = config.auth_info.exec.as_ref().and_then(|exec| exec.command.as_ref());
    let with = plugin.map(|plugin| format!(" with `{plugin}`")).unwrap_or_default();
    let client = client(config).map_err(|error| {
        ExpectedError::unreachable(format!(
            "cannot log in to {server}{with}: {}; log in again, or choose another context with --context",
            cause(&error)
        ))
    })?;
    let client = watch::Sender::new(client);
    // Whoever chooses another current context later means other programs: what is on the screen stays this cluster.
    let options = ConnectOptions { context: context.clone(), ..options.clone() };
    let connection = Connection { client, server, context, namespace, options: Some(options) };
    check(&connection).await?;
    Ok(connection)
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
async fn configure(options: &ConnectOptions) -> Result<(Config, Option<String>), ExpectedError> {
    let (mut config, context) = find(options).await?;
    if let Some(user) = &options.as_user {
        config.auth_info.impersonate = Some(user.clone());
    }
    config.connect_timeout = Some(PATIENCE);
    // kube's own retries would keep from the screen for minutes that the server is overloaded.
    config.default_retry = false;
    Ok((config, context))
}

/// The configuration as it is found: in kubeconfigs, else inside a cluster.
async fn find(options: &ConnectOptions) -> Result<(Config, Option<String>), ExpectedError> {
    let files = kubeconfigs(options.kubeconfig.as_deref(), env::var_os("KUBECONFIG").as_deref(), env::home_dir());
    let Some(kubeconfig) = read(&files)? else {
        let elsewhere = options.context.is_none() && options.kubeconfig.is_none();
        if elsewhere && env::var_os("KUBERNETES_SERVICE_HOST").is_some() {
            let config = Config::incluster().map_err(|error| {
                ExpectedError::unreachable(format!(
                    "cannot use the service account of this pod: {}; name a kubeconfig with --kubeconfig",
                    cause(&error)
                ))
            })?;
            return Ok((config, None));
        }
        return Err(ExpectedError::unreachable(format!(
            "no kubeconfig at {}; name one with --kubeconfig or in $KUBECONFIG",
            listed(&files)
        )));
    };
    let context = choose(&kubeconfig, options.context.as_deref(), &files)?;
    let user = user_of(&kubeconfig, &context);
    if user.and_then(|user| user.token.as_ref()).is_some_and(|token| token.expose_secret().contains(char::is_control)) {
        return Err(ExpectedError::unreachable(format!(
            "cannot use context `{context}` of {}: its token holds a line break or another control character; mend it, or \
             choose another with --context",
            listed(&files)
        )));
    }
    let own_proxy = has_proxy(&kubeconfig, &context);
    let choice = KubeConfigOptions { context: Some(context.clone()), ..KubeConfigOptions::default() };
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &choice).await.map_err(|error| {
        ExpectedError::unreachable(format!(
            "cannot use context `{context}` of {}: {error}; mend it, or choose another with --context",
            listed(&files)
        ))
    })?;
    if !own_proxy {
        heed_no_proxy(&mut config, &Matcher::from_env());
    }
    Ok((config, Some(context)))
}

/// The files that a kubeconfig is looked for in: the one that was named, else those of `$KUBECONFIG`, else the default.
fn kubeconfigs(named: Option<&Path>, variable: Option<&OsStr>, home: Option<PathBuf>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.to_owned()];
    }
    let of_variable: Vec<PathBuf> = variable
        .map(|variable| env::split_paths(variable).filter(|path| !path.as_os_str().is_empty()).collect())
        .unwrap_or_default();
    if !of_variable.is_empty() {
        return of_variable;
    }
    vec![home.unwrap_or_default().join(".kube").join("config")]
}

/// Reads the files, merged as kubectl merges them: those that aren't there are passed over. `None` if none is.
fn read(files: &[PathBuf]) -> Result<Option<Kubeconfig>, ExpectedError> {
    let mut merged: Option<Kubeconfig> = None;
    for file in files.iter().filter(|file| file.exists()) {
        let unreadable = |error: kube::config::KubeconfigError| {
            ExpectedError::unreachable(format!(
                "cannot read the kubeconfig {}: {}; mend it, or name another with --kubeconfig",
                file.display(),
                cause(&error)
            ))
        };
        let read = Kubeconfig::read_from(file).map_err(unreadable)?;
        merged = Some(match merged {
            Some(before) => before.merge(read).map_err(unreadable)?,
            None => read,
        });
    }
    Ok(merged)
}

/// The context that was asked for, or the current one.
fn choose(kubeconfig: &Kubeconfig, asked: Option<&str>, files: &[PathBuf]) -> Result<String, ExpectedError> {
    let names: Vec<&str> = kubeconfig.contexts.iter().map(|context| context.name.as_str()).collect();
    let there_are = match names.as_slice() {
        [] => "it has no contexts at all".to_owned(),
        names => format!("choose with --context one of: {}", names.join(", ")),
    };
    let current = kubeconfig.current_context.as_deref().filter(|current| !current.is_empty());
    match asked.or(current) {
        Some(name) if names.contains(&name) => Ok(name.to_owned()),
        Some(name) => Err(ExpectedError::unreachable(format!("no context `{name}` in {}; {there_are}", listed(files)))),
        None => Err(ExpectedError::unreachable(format!("no current context in {}; {there_are}", listed(files)))),
    }
}

/// The user of a context.
fn user_of<'a>(kubeconfig: &'a Kubeconfig, context: &str) -> Option<&'a AuthInfo> {
    let named = kubeconfig.contexts.iter().find(|named| named.name == context)?;
    let user = named.context.as_ref()?.user.as_ref()?;
    kubeconfig.auth_infos.iter().find(|named| named.name == *user)?.auth_info.as_ref()
}

/// Whether the kubeconfig itself names a proxy for the cluster of a context.
fn has_proxy(kubeconfig: &Kubeconfig, context: &str) -> bool {
    let context =
        kubeconfig.contexts.iter().find(|named| named.name == context).and_then(|named| named.context.as_ref());
    let cluster = context.and_then(|context| kubeconfig.clusters.iter().find(|named| named.name == context.cluster));
    cluster.and_then(|named| named.cluster.as_ref()).is_some_and(|cluster| cluster.proxy_url.is_some())
}

/// Leaves out the proxy of the environment for a server that `$NO_PROXY` names. kube 5.0 looks for the proxy's own address
/// there instead.
fn heed_no_proxy(config: &mut Config, environment: &Matcher) {
    if environment.intercept(&config.cluster_url).is_none() {
        config.proxy_url = None;
    }
}

fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Looks whether the cluster answers and lets us list `GitLabCore`s, as far as it serves them.
async fn check(connection: &Connection) -> Result<(), ExpectedError> {
    let answer = timeout(PATIENCE, async {
        let query = Query::all(Kind::GitLabCore, connection.namespace.as_deref());
        let client = connection.client();
        let path = query.resolve(&client).await?;
        let mut one = query.list(None);
        one.limit = Some(1);
        let request = Request::new(path).list(&one).map_err(|error| Fault::Broken(error.to_string()))?;
        client.request::<ObjectList<Value>>(request).await.map_err(|error| Fault::of(&error))
    });
    match answer.await.unwrap_or_else(|_| Err(Fault::Broken(format!("no answer within {} s", PATIENCE.as_secs())))) {
        Ok(_) | Err(Fault::Undefined) => Ok(()),
        Err(fault) => Err(ExpectedError::unreachable(refusal(&fault, connection))),
    }
}

/// One sentence for a cluster that can't be used.
fn refusal(fault: &Fault, connection: &Connection) -> String {
    let Connection { server, context, namespace, .. } = connection;
    let place = context.as_ref().map_or_else(|| server.clone(), |context| format!("{server} (context `{context}`)"));
    match fault {
        Fault::Unauthorized => format!("{place} refused our credentials (401 Unauthorized); log in again"),
        Fault::Forbidden(message) => {
            let of = namespace.as_ref().map_or_else(
                || "in all namespaces; choose one with -n".to_owned(),
                |namespace| format!("in namespace `{namespace}`; choose another with -n"),
            );
            format!("{place} does not let us list gitlabcores {of}, or ask for a Role that allows it ({message})")
        }
        fault => format!(
            "cannot reach {place}: {}; check the network, or choose another context with --context",
            fault.words()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_kubeconfig_comes_before_those_of_the_environment_and_those_before_the_default() {
        let named = Some(Path::new("/named"));
        let variable = Some(OsStr::new("/one::/two"));
        let home = Some(PathBuf::from("/home/eve"));
        assert_eq!(kubeconfigs(named, variable, home.clone()), [PathBuf::from("/named")]);
        assert_eq!(kubeconfigs(None, variable, home.clone()), [PathBuf::from("/one"), PathBuf::from("/two")]);
        assert_eq!(kubeconfigs(None, Some(OsStr::new("")), home), [PathBuf::from("/home/eve/.kube/config")]);
    }

    #[test]
    fn a_server_that_no_proxy_names_is_reached_without_the_proxy() {
        let proxied = |server: &'static str| {
            let mut config = Config::new(server.parse().unwrap());
            config.proxy_url = Some("http://proxy.example:3128".parse().unwrap());
            let environment = Matcher::builder().https("http://proxy.example:3128").no(".internal,10.0.0.0/8").build();
            heed_no_proxy(&mut config, &environment);
            config.proxy_url.is_some()
        };
        assert!(!proxied("https://api.internal:6443"));
        assert!(!proxied("https://10.1.2.3:6443"));
        assert!(proxied("https://api.example:6443"));
    }

    #[test]
    fn a_kubeconfig_without_a_current_context_is_told_with_the_contexts_there_are() {
        let kubeconfig = Kubeconfig::from_yaml("{contexts: [{name: a}, {name: b}]}").unwrap();
        let message = choose(&kubeconfig, None, &["/k".into()]).unwrap_err().message;
        assert_eq!(message, "no current context in /k; choose with --context one of: a, b");
        let message = choose(&Kubeconfig::default(), None, &["/k".into()]).unwrap_err().message;
        assert_eq!(message, "no current context in /k; it has no contexts at all");
    }
}
