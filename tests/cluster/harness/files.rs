//! What the components of the cluster read.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::IMAGE;

/// Where the components listen, on the loopback address.
#[derive(Clone)]
pub struct Ports {
    pub etcd: u16,
    pub api: u16,
    pub registry: u16,
    pub kubelet: u16,
}

impl Ports {
    /// Four that nobody listens on.
    pub fn free() -> Result<Self> {
        // All are held until the last is known, so that none comes twice.
        let held: Vec<TcpListener> = (0..4).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
        let ports: Vec<u16> = held.iter().map(|held| Ok(held.local_addr()?.port())).collect::<Result<_>>()?;
        Ok(Self { etcd: ports[0], api: ports[1], registry: ports[2], kubelet: ports[3] })
    }

    pub fn etcd_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.etcd)
    }
}

/// The users: whoever may do everything, and whoever may do what a Role binds to the user `viewer`.
const USERS: [(&str, &str, &str); 2] =
    [("admin", "kubeconfig", ",system:masters"), ("viewer", "kubeconfig-viewer", "")];

/// Writes all of it into that folder.
pub fn write(folder: &Path, ports: &Ports) -> Result<()> {
    for inside in ["pki", "cni", "cni.d", "state"] {
        fs::create_dir_all(folder.join(inside))?;
    }
    let key = folder.join("pki/sa.key");
    let made = Command::new("openssl").args(["genrsa", "-out"]).arg(&key).arg("2048").output()?;
    ensure!(made.status.success(), "no key for tokens was made");
    let tokens = USERS.map(|(user, _, groups)| format!("{user}-token,{user},{user}{groups}\n"));
    fs::write(folder.join("pki/tokens.csv"), tokens.concat())?;
    for (user, file, _) in USERS {
        fs::write(folder.join(file), kubeconfig(ports, user, &format!("token: {user}-token")))?;
    }
    let place = folder.display().to_string();
    for (name, text) in [
        ("containerd.toml", include_str!("files/containerd.toml")),
        ("kubelet.yaml", include_str!("files/kubelet.yaml")),
        ("registry.yaml", include_str!("files/registry.yaml")),
        ("definition.yaml", include_str!("files/definition.yaml")),
        ("cni.d/10-fixed.conflist", r#"{"cniVersion":"0.4.0","name":"fixed","plugins":[{"type":"fixed"}]}"#),
    ] {
        let text = text.replace("{folder}", &place).replace("{image}", IMAGE);
        let text = text.replace("{registry}", &ports.registry.to_string());
        fs::write(folder.join(name), text.replace("{kubelet}", &ports.kubelet.to_string()))?;
    }
    for plugin in ["cni/fixed", "cni/loopback"] {
        let path = folder.join(plugin);
        fs::write(&path, include_str!("files/cni.sh"))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// A kubeconfig of the cluster, with what shows who that user is.
pub fn kubeconfig(ports: &Ports, user: &str, shown: &str) -> String {
    format!(
        "apiVersion: v1
kind: Config
clusters: [{{name: test, cluster: {{server: \"https://127.0.0.1:{}\", insecure-skip-tls-verify: true}}}}]
users: [{{name: {user}, user: {{{shown}}}}}]
contexts: [{{name: test, context: {{cluster: test, user: {user}}}}}]
current-context: test
",
        ports.api
    )
}
