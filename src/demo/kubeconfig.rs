//! How a client finds the server in the box, and proves that it may.

use std::net::SocketAddr;

/// The name of the context.
pub const CONTEXT: &str = "demo";

/// A token that nobody guesses: 32 random bytes in hexadecimal digits.
pub fn token() -> String {
    rand::random::<[u8; 32]>().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A kubeconfig, in YAML. The token stands in the address as well: over plain HTTP, `kubectl` sends none but that.
pub fn kubeconfig(server: SocketAddr, token: &str, namespace: &str) -> String {
    format!(
        "\
apiVersion: v1
kind: Config
current-context: {CONTEXT}
contexts:
- name: {CONTEXT}
  context:
    cluster: {CONTEXT}
    user: {CONTEXT}
    namespace: {namespace}
clusters:
- name: {CONTEXT}
  cluster:
    server: http://{CONTEXT}:{token}@{server}
users:
- name: {CONTEXT}
  user:
    token: {token}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_and_never_the_same() {
        let (one, other) = (token(), token());
        assert!(one.len() == 64 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
        assert_ne!(one, other);
    }
}
