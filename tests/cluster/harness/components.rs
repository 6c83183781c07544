//! The binary of all components, and the processes that run of it.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};

use super::files::Ports;

/// The version that the components say they are: that of the module they are compiled from.
const VERSION: &str = "v1.37.2";

/// A process of the cluster that can be started and killed.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Component {
    /// What keeps the objects.
    Etcd,
    /// `kube-apiserver`.
    ApiServer,
    /// `kube-controller-manager`, and in it the Job controller.
    Controllers,
    /// `kube-scheduler`.
    Scheduler,
    /// Runs the containers.
    Containerd,
    /// Where images are pulled from.
    Registry,
    /// The node's agent.
    Kubelet,
}

impl Component {
    fn name(self) -> &'static str {
        match self {
            Self::Etcd => "etcd",
            Self::ApiServer => "kube-apiserver",
            Self::Controllers => "kube-controller-manager",
            Self::Scheduler => "kube-scheduler",
            Self::Containerd => "containerd",
            Self::Registry => "docker-registry",
            Self::Kubelet => "kubelet",
        }
    }
}

/// The path of the binary, compiled unless it was from the same sources: `~/.cache/gatewatch/controlplane-…`.
pub fn binary() -> Result<PathBuf> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/controlplane");
    let mut files: Vec<PathBuf> = fs::read_dir(&sources)?.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
    files.sort();
    let mut hasher = DefaultHasher::new();
    VERSION.hash(&mut hasher);
    for file in files {
        fs::read(file)?.hash(&mut hasher);
    }
    let home = std::env::var_os("HOME").context("HOME is not set: it has the folder of what is compiled")?;
    let binary = Path::new(&home).join(".cache/gatewatch").join(format!("controlplane-{:016x}", hasher.finish()));
    if !binary.exists() {
        eprintln!("compiling Kubernetes {VERSION} into {}: about ten minutes, once", binary.display());
        // What is compiled into another name and moved is never half there.
        let half = binary.with_extension(std::process::id().to_string());
        let package = "k8s.io/component-base/version";
        let flags = format!("-s -w -X {package}.gitVersion={VERSION} -X {package}.gitMajor=1 -X {package}.gitMinor=37");
        let compiled = Command::new("go")
            .current_dir(sources)
            .args(["build", "-ldflags", &flags, "-o"])
            .arg(&half)
            .arg(".")
            .env("GOFLAGS", "-buildvcs=false")
            .status()?;
        ensure!(compiled.success(), "the components of the cluster do not compile");
        fs::rename(half, &binary)?;
    }
    Ok(binary)
}

/// The processes of a cluster.
pub struct Processes {
    binary: PathBuf,
    folder: PathBuf,
    ports: Ports,
    running: Mutex<BTreeMap<Component, Child>>,
}

impl Processes {
    pub fn new(binary: PathBuf, folder: PathBuf, ports: Ports) -> Self {
        Self { binary, folder, ports, running: Mutex::default() }
    }

    pub fn binary(&self) -> &Path {
        &self.binary
    }

    pub fn start(&self, component: Component) -> Result<()> {
        let log = OpenOptions::new().create(true).append(true).open(self.log(component))?;
        let child = self
            .command(component)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("{} does not start", component.name()))?;
        let mut running = self.running.lock().map_err(|_| anyhow!("a start was interrupted"))?;
        if let Some(before) = running.insert(component, child) {
            bail!("{} was started twice: process {} runs", component.name(), before.id());
        }
        Ok(())
    }

    pub fn kill(&self, component: Component) -> Result<()> {
        let mut running = self.running.lock().map_err(|_| anyhow!("a start was interrupted"))?;
        let mut child = running.remove(&component).with_context(|| format!("{} does not run", component.name()))?;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    fn command(&self, component: Component) -> Command {
        let (folder, ports) = (self.folder.display(), &self.ports);
        let configuration = format!("--kubeconfig={folder}/kubeconfig");
        let words = match component {
            Component::Containerd => return command("containerd", &[format!("-c={folder}/containerd.toml")]),
            Component::Registry => {
                return command("docker-registry", &["serve".into(), format!("{folder}/registry.yaml")]);
            }
            Component::Etcd => vec![format!("{folder}/etcd"), ports.etcd_url()],
            Component::ApiServer => vec![
                format!("--etcd-servers={}", ports.etcd_url()),
                // Only what a test compacts is compacted.
                "--etcd-compaction-interval=0".into(),
                format!("--secure-port={}", ports.api),
                "--bind-address=127.0.0.1".into(),
                "--advertise-address=127.0.0.1".into(),
                "--endpoint-reconciler-type=none".into(),
                format!("--cert-dir={folder}/pki"),
                format!("--token-auth-file={folder}/pki/tokens.csv"),
                "--authorization-mode=RBAC".into(),
                "--service-account-issuer=https://kubernetes.default.svc".into(),
                format!("--service-account-key-file={folder}/pki/sa.key"),
                format!("--service-account-signing-key-file={folder}/pki/sa.key"),
                "--service-cluster-ip-range=10.96.0.0/16".into(),
                "--disable-admission-plugins=ServiceAccount".into(),
                "--allow-privileged=true".into(),
                "--kubelet-preferred-address-types=InternalIP".into(),
            ],
            Component::Controllers => vec![
                configuration,
                "--leader-elect=false".into(),
                "--secure-port=0".into(),
                format!("--service-account-private-key-file={folder}/pki/sa.key"),
                // A node that is silent is not ready after 8 seconds instead of 50, so that a test of it is short.
                "--node-monitor-period=1s".into(),
                "--node-monitor-grace-period=8s".into(),
            ],
            Component::Scheduler => vec![configuration, "--leader-elect=false".into(), "--secure-port=0".into()],
            Component::Kubelet => vec![
                configuration,
                format!("--config={folder}/kubelet.yaml"),
                format!("--root-dir={folder}/kubelet"),
                format!("--cert-dir={folder}/kubelet/pki"),
                format!("--hostname-override={}", super::NODE),
                "--node-ip=127.0.0.1".into(),
            ],
        };
        let mut all = vec![component.name().to_owned()];
        all.extend(words);
        command(&self.binary, &all)
    }

    fn log(&self, component: Component) -> PathBuf {
        self.folder.join(component.name()).with_extension("log")
    }

    /// The end of what each component wrote.
    pub fn last_words(&self) -> String {
        let logs = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|file| file.path());
        let logs = logs.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
        logs.map(|path| {
            let text = fs::read(&path).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            format!("== {}\n{}\n", path.display(), lines[lines.len().saturating_sub(15)..].join("\n"))
        })
        .collect()
    }
}

fn command(program: impl AsRef<std::ffi::OsStr>, words: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(words);
    command
}

/// Asks until it holds, up to a bound that is far more than it ever takes. These are other programs' states, of which
/// nothing tells.
pub fn awaited(holds: impl Fn() -> bool) -> Result<()> {
    let begun = Instant::now();
    while !holds() {
        ensure!(begun.elapsed() < Duration::from_secs(120), "two minutes have passed");
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}
