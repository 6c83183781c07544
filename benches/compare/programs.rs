//! What is compared, how each is run, and where those come from that are not ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::cluster::{NAMESPACE, SELECTOR};

/// A program that watches a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Gatewatch,
    Kubectl,
    K9s,
}

/// Something of each program.
#[derive(Clone, Debug, Default)]
pub struct Each<T> {
    pub gatewatch: T,
    pub kubectl: T,
    pub k9s: T,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gatewatch, Self::Kubectl, Self::K9s];
}

impl<T> Each<T> {
    /// That of each.
    ///
    /// # Errors
    /// The first that is met.
    pub fn of(mut of: impl FnMut(Program) -> Result<T>) -> Result<Self> {
        Ok(Self { gatewatch: of(Program::Gatewatch)?, kubectl: of(Program::Kubectl)?, k9s: of(Program::K9s)? })
    }

    /// That of one.
    pub fn get(&self, program: Program) -> &T {
        match program {
            Program::Gatewatch => &self.gatewatch,
            Program::Kubectl => &self.kubectl,
            Program::K9s => &self.k9s,
        }
    }

    /// That of one, to change it.
    pub fn get_mut(&mut self, program: Program) -> &mut T {
        match program {
            Program::Gatewatch => &mut self.gatewatch,
            Program::Kubectl => &mut self.kubectl,
            Program::K9s => &mut self.k9s,
        }
    }
}

/// The programs, compiled, and a home for them that is nobody's.
pub struct Programs {
    home: TempDir,
    kubectl: Compiled,
    k9s: Compiled,
}

/// A program of a Go module in this folder.
struct Compiled {
    path: PathBuf,
    version: String,
}

impl Programs {
    /// Compiles what is not ours from its published modules, which takes minutes the first time.
    ///
    /// # Errors
    /// If there is no Go, or its modules can't be had.
    pub fn compile() -> Result<Self> {
        let home = TempDir::new()?;
        let kubectl = compile("kubectl", ".", "k8s.io/kubectl")?;
        Ok(Self { home, kubectl, k9s: compile("k9s", "github.com/derailed/k9s", "github.com/derailed/k9s")? })
    }

    /// Removes what they keep on disk.
    ///
    /// # Errors
    /// If the disk refuses it.
    pub fn forget(&self) -> Result<()> {
        let home = self.home.path();
        fs::remove_dir_all(home)?;
        fs::create_dir_all(home.join("k9s"))?;
        // It would ask the network for a newer k9s.
        Ok(fs::write(home.join("k9s/config.yaml"), "k9s:\n  skipLatestRevCheck: true\n")?)
    }

    /// Which versions they are, in words.
    pub fn versions(&self) -> String {
        // The module of kubectl 1.37.2 has version 0.37.2.
        let kubectl = self.kubectl.version.replacen("v0", "1", 1);
        format!("gatewatch {}, kubectl {kubectl}, k9s {}", env!("CARGO_PKG_VERSION"), self.k9s.version)
    }

    /// How one is told to watch the gate, over the cluster of that kubeconfig.
    pub fn command(&self, program: Program, kubeconfig: &Path) -> CommandBuilder {
        let (path, arguments): (&Path, &[&str]) = match program {
            Program::Gatewatch => (Path::new(env!("CARGO_BIN_EXE_gatewatch")), &[]),
            Program::Kubectl => (&self.kubectl.path, &["get", "pods", "-l", SELECTOR, "-w"]),
            // Its own default of a look every two seconds is the fastest that it takes.
            Program::K9s => (
                &self.k9s.path,
                &["--command", &format!("pods {SELECTOR}"), "--headless", "--splashless", "--readonly"],
            ),
        };
        let mut command = CommandBuilder::new(path);
        command.args(arguments);
        command.args(["-n", NAMESPACE, "--kubeconfig"]);
        command.arg(kubeconfig);
        command.env_clear();
        command.cwd(self.home.path());
        for (name, value) in
            [("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("LANG", "C.UTF-8"), ("TZ", "UTC")]
        {
            command.env(name, value);
        }
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            command.env(name, self.home.path());
        }
        command
    }
}

/// Compiles a package of the module in the folder of that name; its version is that of the dependency.
fn compile(name: &str, package: &str, dependency: &str) -> Result<Compiled> {
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/compare").join(name);
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"))).context("no $HOME")?;
    let path = cache.join("gatewatch/compare").join(name);
    let mut go = Command::new("go");
    go.arg("build").arg("-C").arg(&module).args(["-ldflags", "-s -w", "-o"]).arg(&path).arg(package);
    let status = go.status().context("cannot run `go`; install Go")?;
    ensure!(status.success(), "{name} was not compiled: {status}");
    let manifest = fs::read_to_string(module.join("go.mod"))?;
    let required = |line: &str| line.trim().strip_prefix(dependency)?.trim().split(' ').next().map(str::to_owned);
    let version = manifest.lines().find_map(required).context("no version in go.mod")?;
    Ok(Compiled { path, version })
}
