//! What runs of a cluster: found by its folder, which every process of it names in its command line, and ended.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::components::awaited;

/// How the folder of every cluster begins; the process that raised it follows. It is short: the path of a socket may have
/// 107 bytes.
const PREFIX: &str = "gatewatch-cluster-of-";

/// The folder of this process's cluster.
pub fn folder() -> PathBuf {
    std::env::temp_dir().join(format!("{PREFIX}{}", std::process::id()))
}

/// Removes the clusters of processes that are no more.
pub fn sweep() -> Result<()> {
    for entry in fs::read_dir(std::env::temp_dir())? {
        let path = entry?.path();
        let owner = path.file_name().and_then(|name| name.to_str()?.strip_prefix(PREFIX)?.parse::<u32>().ok());
        if owner.is_some_and(|owner| owner == std::process::id() || !Path::new(&format!("/proc/{owner}")).exists()) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Ends all that runs of the cluster in that folder, and removes it.
pub fn remove(folder: &Path) -> Result<()> {
    let containers = containers(folder);
    // What a kubelet or a containerd starts while it is ended is found in the next round.
    awaited(|| {
        let (shims, others): (Vec<_>, Vec<_>) = processes(folder).into_iter().partition(|process| process.is_shim());
        // A container outlives its shim: its first process goes before.
        let inside = shims.iter().flat_map(|shim| children(shim.id));
        let all: Vec<u32> = others.iter().map(|process| process.id).chain(inside).collect();
        kill(&all);
        kill(&shims.iter().map(|shim| shim.id).collect::<Vec<_>>());
        shims.is_empty() && others.is_empty()
    })
    .context("its processes do not end")?;
    let mounts = fs::read_to_string("/proc/mounts")?;
    let inside = format!("{}/", folder.display());
    for mount in mounts.lines().rev().filter_map(|line| line.split(' ').nth(1)).filter(|at| at.starts_with(&inside)) {
        Command::new("umount").args(["-l", mount]).status()?;
    }
    containers.iter().for_each(Container::forget);
    fs::remove_dir_all(folder).with_context(|| format!("{} can't be removed", folder.display()))
}

/// What a container that was killed leaves outside of the folder. Hundreds of them make every later one slower.
struct Container {
    id: String,
    /// Where its shim listened.
    socket: Option<PathBuf>,
}

/// The containers that were not ended by containerd.
fn containers(folder: &Path) -> Vec<Container> {
    let bundles = fs::read_dir(folder.join("containerd-state/io.containerd.runtime.v2.task/k8s.io"));
    let bundles = bundles.into_iter().flatten().flatten();
    bundles
        .filter_map(|bundle| {
            let address = fs::read_to_string(bundle.path().join("address")).unwrap_or_default();
            let socket = address.strip_prefix("unix://").map(PathBuf::from);
            Some(Container { id: bundle.file_name().into_string().ok()?, socket })
        })
        .collect()
}

impl Container {
    /// Removes it; what is gone already is as good.
    fn forget(&self) {
        if let Some(socket) = &self.socket {
            let _ = fs::remove_file(socket);
        }
        // One hierarchy, or one for each controller.
        let root = PathBuf::from("/sys/fs/cgroup");
        let controllers = fs::read_dir(&root).into_iter().flatten().flatten().map(|entry| entry.path());
        for hierarchy in controllers.chain([root]) {
            let _ = fs::remove_dir(hierarchy.join("k8s.io").join(&self.id));
        }
    }
}

struct Process {
    id: u32,
    command: String,
}

impl Process {
    fn is_shim(&self) -> bool {
        self.command.contains("containerd-shim")
    }
}

/// The processes whose command line names that folder.
fn processes(folder: &Path) -> Vec<Process> {
    let named = format!("{}/", folder.display());
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| *id != std::process::id())
        .filter_map(|id| {
            let command = fs::read_to_string(format!("/proc/{id}/cmdline")).ok()?.replace('\0', " ");
            command.contains(&named).then_some(Process { id, command })
        })
        .collect()
}

/// The processes that a process started itself.
fn children(id: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let of_threads = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let all = of_threads.collect::<String>() + &listed;
    all.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Kills those processes; one that is gone already is as good.
pub fn kill(ids: &[u32]) {
    if !ids.is_empty() {
        let words = ids.iter().map(u32::to_string);
        let _ = Command::new("kill").arg("-KILL").args(words).stderr(std::process::Stdio::null()).status();
    }
}
