//! The dashboard of a namespace in a terminal, while the cluster goes on.

use anyhow::{Context as _, Result};
use tokio::task::spawn_blocking;

use super::pty::{Setup, Terminal};
use crate::harness::Cluster;

/// A dashboard that is open.
pub struct Dashboard(Option<Terminal>);

impl Dashboard {
    /// Opens one in that namespace.
    pub fn open(cluster: &Cluster, namespace: &str) -> Self {
        let kubeconfig = cluster.kubeconfig().display().to_string();
        Self(Some(Setup::program(&["--kubeconfig", &kubeconfig, "-n", namespace]).start()))
    }

    /// Waits until all of that is on the screen.
    pub async fn shows(&mut self, texts: &[&str]) -> Result<()> {
        self.is(texts, &[]).await
    }

    /// Waits until all of the first is on the screen, and none of the second.
    pub async fn is(&mut self, texts: &[&str], none: &[&str]) -> Result<()> {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let (texts, none) = (owned(texts), owned(none));
        let mut terminal = self.0.take().context("the terminal is in use")?;
        // A terminal is read by blocking, and the witness must not be kept from listening meanwhile.
        let read = spawn_blocking(move || {
            terminal.until(&format!("{texts:?} without {none:?}"), |screen| {
                let shown = screen.contents();
                texts.iter().all(|text| shown.contains(text)) && !none.iter().any(|text| shown.contains(text))
            });
            terminal
        });
        self.0 = Some(read.await.context("the dashboard does not show it")?);
        Ok(())
    }

    /// Types.
    pub fn type_keys(&mut self, keys: &str) {
        if let Some(terminal) = &mut self.0 {
            terminal.type_keys(keys);
        }
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.type_keys("\x03");
    }
}
