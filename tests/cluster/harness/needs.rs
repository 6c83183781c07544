//! What has to be on the machine.

use std::path::Path;

/// The programs, and the Debian packages that have them. Go is none of Debian's: its release is older than the sources want.
const PROGRAMS: [(&str, &str); 7] = [
    ("go", "Go 1.26 or newer"),
    ("containerd", "the package containerd"),
    ("ctr", "the package containerd"),
    ("runc", "the package runc"),
    ("docker-registry", "the package docker-registry"),
    ("openssl", "the package openssl"),
    ("umount", "the package mount"),
];

/// What is missing for a cluster, in one line; nothing where one can be raised.
pub fn missing() -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let mut wanted: Vec<&str> = PROGRAMS.iter().filter(|(name, _)| !found(name)).map(|(_, from)| *from).collect();
    if !Path::new("/bin/busybox").is_file() {
        wanted.push("the package busybox-static");
    }
    if !is_root() {
        wanted.push("root");
    }
    wanted.dedup();
    (!wanted.is_empty()).then(|| format!("no cluster can be raised without {}", wanted.join(", ")))
}

/// Whether this process may make containers: the kernel tells of the user in the second line that names one.
fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("Uid:"))
        .is_some_and(|ids| ids.split_whitespace().nth(1) == Some("0"))
}
