//! Where the way to a cluster is written down: which kubeconfigs, and what of them; else inside a cluster.

use std::env;
use std::ffi::OsStr;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use hyper_util::client::proxy::matcher::Matcher;
use kube::Config;
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use secrecy::ExposeSecret;

use super::connect::ConnectOptions;
use super::fault::cause;
use crate::error::ExpectedError;

/// The configuration of a client as it is found, and the context it is of: in kubeconfigs, else inside a cluster.
pub(super) async fn find(options: &ConnectOptions) -> Result<(Config, Option<String>), ExpectedError> {
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

/// The kubeconfig, or the one that is named; `None` where there is none that can be read.
pub(super) fn found(named: Option<&Path>) -> Option<Kubeconfig> {
    read(&kubeconfigs(named, env::var_os("KUBECONFIG").as_deref(), env::home_dir())).ok()?
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

/// Leaves out the proxy of the environment for a server that `$NO_PROXY` names, and for this machine itself, to which no
/// proxy leads. kube 5.0 looks for the proxy's own address there instead.
fn heed_no_proxy(config: &mut Config, environment: &Matcher) {
    let host = config.cluster_url.host().unwrap_or_default();
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    let here = host == "localhost" || address.is_some_and(|address| address.is_loopback());
    if here || environment.intercept(&config.cluster_url).is_none() {
        config.proxy_url = None;
    }
}

fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
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
        for here in ["http://127.0.0.1:8001", "https://localhost:6443", "https://[::1]:6443"] {
            assert!(!proxied(here), "{here}");
        }
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
