//! The `kubectl` command to run next.

use crate::cluster::ClusterName;

/// A `kubectl` command: the words after `kubectl`, not yet quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    words: Vec<String>,
    /// The context of the cluster it is for, where several are watched.
    cluster: Option<ClusterName>,
}

/// Which cluster the user chose, if they chose one: a command carries it, so that it hits the same cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// `--context` as given.
    pub context: Option<String>,
    /// `--kubeconfig` as given.
    pub kubeconfig: Option<String>,
}

impl Command {
    /// `kubectl -n NAMESPACE` and the words that follow.
    pub(crate) fn new(namespace: &str, words: &[&str]) -> Self {
        let mut all = vec!["-n".to_owned(), namespace.to_owned()];
        all.extend(words.iter().map(|&word| word.to_owned()));
        Self { words: all, cluster: None }
    }

    /// The same, for that one of several clusters.
    pub(crate) fn on(self, cluster: &ClusterName) -> Self {
        Self { cluster: Some(cluster.clone()), ..self }
    }

    /// The command as it is typed into a POSIX shell, every word quoted where it needs to be.
    pub fn shell(&self, target: &Target) -> String {
        let mut words = vec!["kubectl"];
        if let Some(kubeconfig) = &target.kubeconfig {
            words.extend(["--kubeconfig", kubeconfig]);
        }
        if let Some(context) = self.cluster.as_deref().or(target.context.as_deref()) {
            words.extend(["--context", context]);
        }
        words.extend(self.words.iter().map(String::as_str));
        let quoted = words.into_iter().map(quote);
        quoted.collect::<Vec<_>>().join(" ")
    }
}

/// A word quoted for a POSIX shell where it needs to be. A null character, which no word can hold, is left out.
fn quote(word: &str) -> String {
    let word = word.replace('\0', "");
    shlex::try_quote(&word).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_it_needs_to_be() {
        let command = Command::new("gitlab", &["logs", "job/a b", "-c", "mig'rations;rm"]);
        let line = command.shell(&Target::default());
        assert_eq!(
            shlex::split(&line).unwrap(),
            ["kubectl", "-n", "gitlab", "logs", "job/a b", "-c", "mig'rations;rm"]
        );
        assert!(line.starts_with("kubectl -n gitlab logs "));
    }

    #[test]
    fn the_command_hits_the_cluster_the_user_chose() {
        let target = Target { context: Some("prod eu".into()), kubeconfig: Some("/tmp/k".into()) };
        let line = Command::new("gitlab", &["describe", "job/x"]).shell(&target);
        assert_eq!(
            shlex::split(&line).unwrap(),
            ["kubectl", "--kubeconfig", "/tmp/k", "--context", "prod eu", "-n", "gitlab", "describe", "job/x"]
        );
    }
}
