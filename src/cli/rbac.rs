//! The command line of `rbac`.

use clap::Args;

use super::TargetArgs;
use crate::cluster::is_namespace;

/// Whom to let gatewatch see what it needs.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Where nobody is named, a service account `gatewatch` is made and let in. Who is named is let in and not made. Applied anew, it
lets in those who are named now, to what is named now.

Examples:
  gatewatch rbac -n gitlab | kubectl apply -f -
  gatewatch rbac -n gitlab --user jane@example.com --group sre | kubectl apply -f -
  gatewatch rbac -n gitlab --serviceaccount ci:runner | kubectl apply -f -
  gatewatch rbac job deploy/web | kubectl apply -f -
  gatewatch rbac -A | kubectl apply -f -          a ClusterRole, for -A")]
pub struct RbacArgs {
    /// What is to be watched.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// Let in this service account, of the namespace itself or of another
    #[arg(long, value_name = "[NAMESPACE:]NAME")]
    pub serviceaccount: Vec<Account>,
    /// Let in this user
    #[arg(long, value_name = "NAME")]
    pub user: Vec<String>,
    /// Let in this group
    #[arg(long, value_name = "NAME")]
    pub group: Vec<String>,
}

/// A service account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its namespace, where another one was named.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl std::str::FromStr for Account {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (namespace, name) = text.split_once(':').map_or((None, text), |(namespace, name)| (Some(namespace), name));
        // An account is named by words like a namespace's, with dots between them.
        let account = !name.is_empty() && name.split('.').all(is_namespace);
        if !account || namespace.is_some_and(|namespace| !is_namespace(namespace)) {
            return Err("give the name of a service account, or NAMESPACE:NAME".into());
        }
        Ok(Self { namespace: namespace.map(str::to_owned), name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_can_be_of_another_namespace() {
        let account = |namespace: Option<&str>, name: &str| {
            Ok(Account { namespace: namespace.map(str::to_owned), name: name.to_owned() })
        };
        assert_eq!("runner".parse(), account(None, "runner"));
        assert_eq!("ci:runner.v2".parse(), account(Some("ci"), "runner.v2"));
        for wrong in ["", ":a", "a:", "a:b:c", "Runner", "a b", "a..b"] {
            assert!(wrong.parse::<Account>().is_err(), "{wrong}");
        }
    }
}
