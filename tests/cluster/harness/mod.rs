//! A real Kubernetes cluster of one node on this machine: etcd, the API server, the controllers, the scheduler, and a
//! kubelet on containerd and runc, with an image registry beside it. It is raised once a run, and what ran is stopped and
//! removed when it is dropped; what an earlier run left behind because it was killed, when the next is raised.
//!
//! | file | what |
//! |---|---|
//! | `needs` | what has to be on the machine, and what is missing |
//! | `components` | the binary of all components, compiled once, and the processes |
//! | `files` | what they read: tokens, kubeconfigs, configuration |
//! | `remains` | what runs of a cluster, found and ended |
//! | `rest` | requests to the API server |

mod components;
mod files;
mod needs;
mod remains;
mod rest;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

pub use components::Component;
pub use needs::missing;
pub use rest::Rest;

use components::Processes;
use files::Ports;

/// The image that every container runs: busybox, and what a sandbox is made of too.
pub const IMAGE: &str = "registry.test/gitlab/toolbox:v1";

/// The node.
pub const NODE: &str = "node-1";

/// A cluster that runs.
pub struct Cluster {
    folder: PathBuf,
    ports: Ports,
    processes: Processes,
}

impl Cluster {
    /// Compiles what is not compiled yet, which takes ten minutes the first time, and starts everything, which takes
    /// seconds.
    pub fn raise() -> Result<Self> {
        let binary = components::binary()?;
        remains::sweep()?;
        let folder = remains::folder();
        let ports = Ports::free()?;
        files::write(&folder, &ports)?;
        let processes = Processes::new(binary, folder.clone(), ports.clone());
        let cluster = Self { folder, ports, processes };
        cluster.start_all().inspect_err(|_| eprintln!("{}", cluster.last_words()))?;
        Ok(cluster)
    }

    fn start_all(&self) -> Result<()> {
        for component in [Component::Etcd, Component::ApiServer, Component::Registry, Component::Containerd] {
            self.start(component)?;
        }
        self.awaited("containerd", || self.containerd(&["version"]).output().is_ok_and(|ran| ran.status.success()))?;
        let image = self.folder.join("image.tar");
        let written = Command::new(self.processes.binary())
            .args(["image", IMAGE])
            .stdout(std::fs::File::create(&image)?)
            .status()?;
        ensure!(written.success(), "no image was made");
        let imported = self.containerd(&["-n", "k8s.io", "images", "import"]).arg(image).output()?;
        ensure!(imported.status.success(), "the image was not imported: {}", String::from_utf8_lossy(&imported.stderr));
        self.ready()?;
        for component in [Component::Controllers, Component::Scheduler, Component::Kubelet] {
            self.start(component)?;
        }
        self.node_is_ready()?;
        self.define()
    }

    /// Waits until the node is there and ready, as after the kubelet has made it.
    pub fn node_is_ready(&self) -> Result<()> {
        let node = ["wait", "--for=condition=Ready", "node/node-1", "--timeout=1s"];
        self.awaited("the node", || self.kubectl(&node).output().is_ok_and(|ran| ran.status.success()))?;
        // The kubelet reports no loopback address, and logs are read through the address of the node.
        let address = json!({"status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}}).to_string();
        self.told(&["patch", "node", NODE, "--subresource=status", "--type=merge", "-p", &address])?;
        Ok(())
    }

    /// Has the API server serve `GitLabCore`.
    pub fn define(&self) -> Result<()> {
        self.told(&["apply", "-f", &self.folder.join("definition.yaml").display().to_string()])?;
        self.told(&["wait", "--for=condition=Established", "crd/gitlabcores.apps.gitlab.com", "--timeout=60s"])?;
        Ok(())
    }

    /// Waits until the API server answers and has loaded what it needs to.
    pub fn ready(&self) -> Result<()> {
        let ready = ["get", "--raw", "/readyz"];
        self.awaited("the API server", || self.kubectl(&ready).output().is_ok_and(|ran| ran.status.success()))
    }

    /// Starts a component that does not run.
    pub fn start(&self, component: Component) -> Result<()> {
        self.processes.start(component)
    }

    /// Kills a component, which loses what it did not write.
    pub fn kill(&self, component: Component) -> Result<()> {
        self.processes.kill(component)
    }

    /// Where everything of the cluster lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The kubeconfig of somebody who may do everything.
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder.join("kubeconfig")
    }

    /// The address of etcd, for what speaks with it directly.
    pub fn etcd(&self) -> String {
        self.ports.etcd_url()
    }

    /// The host and port of the registry, where an image can be pulled from once it was pushed to it.
    pub fn registry(&self) -> String {
        format!("localhost:{}", self.ports.registry)
    }

    /// `kubectl` of the same version, as somebody who may do everything.
    pub fn kubectl(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.processes.binary());
        command.arg("kubectl").args(words).env("KUBECONFIG", self.kubeconfig());
        command
    }

    /// What `kubectl` printed, which has to succeed.
    pub fn told(&self, words: &[&str]) -> Result<String> {
        let ran = self.kubectl(words).output()?;
        let said = String::from_utf8_lossy(&ran.stderr);
        ensure!(ran.status.success(), "kubectl {}: {said}", words.join(" "));
        Ok(String::from_utf8(ran.stdout)?)
    }

    /// The client of containerd.
    pub fn containerd(&self, words: &[&str]) -> Command {
        let mut command = Command::new("ctr");
        command.arg("-a").arg(self.folder.join("containerd.sock")).args(words);
        command
    }

    /// Requests as somebody who may do everything, into one namespace, which is made. The runtime that this is called on
    /// drives the connection.
    pub async fn namespace(&self, name: &str) -> Result<Rest> {
        let rest = Rest::new(&self.kubeconfig(), name).await?;
        rest.create("api/v1/namespaces", &json!({"metadata": {"name": name}})).await?;
        Ok(rest)
    }

    /// Gives a namespace back: what runs in it is ended meanwhile, and burdens no later test.
    pub async fn leave(&self, namespace: &Rest) -> Result<()> {
        namespace.delete(&format!("api/v1/namespaces/{}", namespace.namespace())).await?;
        Ok(())
    }

    fn awaited(&self, what: &str, holds: impl Fn() -> bool) -> Result<()> {
        components::awaited(holds).with_context(|| format!("{what} did not come up\n{}", self.last_words()))
    }

    /// The end of what each component wrote, for whoever has to find out why the cluster is not as it should be.
    pub fn last_words(&self) -> String {
        self.processes.last_words()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Err(error) = remains::remove(&self.folder) {
            eprintln!("the cluster was not removed: {error:#}");
        }
    }
}
