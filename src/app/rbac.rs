//! `rbac`: the Role that gatewatch needs.

use std::io;

use super::{connect_options, printed};
use crate::cli::{ConnectionArgs, RbacArgs};
use crate::cluster::Selection;
use crate::error::{ExitCode, ExpectedError};
use crate::output::{Access, Rule, Subject, Subjects};
use crate::source::live::{ConnectOptions, namespace, rights};

/// Prints it. No cluster is asked.
pub(super) async fn rbac(
    connection: &ConnectionArgs,
    args: &RbacArgs,
    selection: Selection,
) -> Result<ExitCode, ExpectedError> {
    let options = connect_options(connection, selection);
    let rules = rights(&options.selection).into_iter();
    let rules = rules.map(|right| Rule { group: right.group, resources: right.resources, verbs: right.verbs.to_vec() });
    let subjects = subjects(&options, args).await?;
    let access = Access { namespace: namespace(&options).await?, rules: rules.collect(), subjects };
    printed(access.print(&mut io::stdout().lock()), ExitCode::Settled)
}

/// Who is named, or an account that is made.
async fn subjects(options: &ConnectOptions, args: &RbacArgs) -> Result<Subjects, ExpectedError> {
    let mut named = Vec::new();
    for account in &args.serviceaccount {
        let namespace = match &account.namespace {
            Some(namespace) => namespace.clone(),
            None => home(options).await?,
        };
        named.push(Subject::ServiceAccount { namespace, name: account.name.clone() });
    }
    named.extend(args.user.iter().cloned().map(Subject::User));
    named.extend(args.group.iter().cloned().map(Subject::Group));
    if named.is_empty() {
        return Ok(Subjects::Made { namespace: home(options).await? });
    }
    Ok(Subjects::Named(named))
}

/// The namespace that an account lies in, also where it may see all.
async fn home(options: &ConnectOptions) -> Result<String, ExpectedError> {
    let one = ConnectOptions { all_namespaces: false, ..options.clone() };
    Ok(namespace(&one).await?.unwrap_or_else(|| "default".into()))
}
