//! Whether an image pull that failed can ever succeed by itself.
//!
//! The error is an aggregate in free text, of containerd, CRI-O or the kubelet. What is quoted, URLs and digests are taken
//! out first: they hold numbers and words (`403`, `denied`) that say nothing about the error. Transient causes come first,
//! for any transient part makes the whole transient; and what has no clear class is transient too, as Kubernetes keeps
//! pulling: declaring an upgrade dead because a registry timed out is the worse fault.

/// Causes that pass: the network, the registry's load, a proxy, the node.
const TRANSIENT: &[&str] = &[
    "i/o timeout",
    "handshake timeout",
    "connection timed out",
    "client.timeout",
    "context deadline exceeded",
    "request canceled",
    "unexpected eof",
    ": eof",
    "no such host",
    "server misbehaving",
    "temporary failure in name resolution",
    "try again",
    "connection refused",
    "connection reset",
    "no route to host",
    "network is unreachable",
    "connect: permission denied",
    "toomanyrequests",
    "too many requests",
    "quota exceeded",
    "pull qps exceeded",
    "content store",
    "no space left on device",
];

/// Answers of a registry that pass.
const TRANSIENT_STATUS: &[&str] = &["429", "500", "502", "503", "504"];

/// Causes that somebody has to mend. An unknown certificate authority is one, although the kubelet keeps trying.
const PERMANENT: &[&str] = &[
    "not found",
    "manifest unknown",
    "pull access denied",
    "insufficient_scope",
    "no basic auth credentials",
    "invalid username/password",
    "401 unauthorized",
    "403 forbidden",
    "403 (forbidden)",
    "x509:",
    "server gave http response to https client",
    "no match for platform",
];

/// Whether the error of a pull can't clear by itself.
pub(super) fn permanent(message: &str) -> bool {
    let plain = without_names(message).to_lowercase();
    let has = |causes: &[&str]| causes.iter().any(|cause| plain.contains(cause));
    let answers = |word: &str| TRANSIENT_STATUS.contains(&word);
    let transient = has(TRANSIENT) || plain.split(|character: char| !character.is_ascii_alphanumeric()).any(answers);
    !transient && has(PERMANENT)
}

/// The message without what is quoted (also where it stands unquoted), URLs and digests.
fn without_names(message: &str) -> String {
    let mut plain = String::with_capacity(message.len());
    let mut names = Vec::new();
    for (position, part) in message.split('"').enumerate() {
        match position % 2 {
            0 => plain.push_str(part),
            _ => names.push(part),
        }
    }
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        plain = plain.replace(name, "");
    }
    let named = |word: &&str| !word.contains("://") && !word.contains("sha256:");
    plain.split(' ').filter(named).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::permanent;

    const PREFIX: &str =
        r#"failed to pull and unpack image "r.io/a:v403": failed to resolve reference "r.io/a:v403": "#;

    /// The table of what runtimes say, each with its class.
    #[test]
    fn each_known_message_has_its_class() {
        let table: &[(&str, bool)] = &[
            (r#"rpc error: code = NotFound desc = PREFIXr.io/a:v403: not found"#, true),
            (
                "PREFIXpull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed",
                true,
            ),
            (
                "PREFIXpull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials",
                true,
            ),
            (
                "PREFIXfailed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://auth.io/token?scope=x: 403 Forbidden",
                true,
            ),
            (
                r#"PREFIXfailed to authorize: failed to fetch anonymous token: Get "https://auth.io/token": dial tcp 10.0.0.1:443: i/o timeout"#,
                false,
            ),
            (r#"PREFIXfailed to authorize: failed to fetch anonymous token: Get "https://auth.io/token": EOF"#, false),
            ("PREFIXunexpected status code https://r.io/v2/a/manifests/v1: 401 Unauthorized", true),
            (
                r#"PREFIXfailed to do request: Head "https://r.io/v2/a": dial tcp: lookup r.io on 10.0.0.10:53: no such host"#,
                false,
            ),
            ("lookup r.io on 10.0.0.10:53: server misbehaving", false),
            ("Temporary failure in name resolution", false),
            ("lookup r.io: Try again", false),
            ("dial tcp 127.0.0.1:5999: connect: connection refused", false),
            ("dial tcp 10.0.0.1:443: connect: connection timed out", false),
            ("dial tcp 10.0.0.1:443: connect: no route to host", false),
            ("read tcp 10.0.0.1:443: read: connection reset by peer", false),
            ("httpReadSeeker: failed open: unexpected EOF", false),
            ("net/http: TLS handshake timeout", false),
            ("tls: failed to verify certificate: x509: certificate signed by unknown authority", true),
            ("http: server gave HTTP response to HTTPS client", true),
            ("unexpected status from HEAD request to https://r.io/v2/a/manifests/v1: 500 Internal Server Error", false),
            ("unexpected status from HEAD request to https://r.io/v2/a/manifests/v1: 503 Service Unavailable", false),
            (
                "429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating and upgrading",
                false,
            ),
            ("denied: Quota exceeded for quota metric 'Requests per project per region'", false),
            ("dial tcp 10.0.0.1:443: connect: permission denied", false),
            (r#"PREFIXfailed to do request: Head "https://r.io/v2/a/manifests/v1": Forbidden"#, false),
            (r#"failed to pull and unpack image "r.io/a:v1": no match for platform in manifest: not found"#, true),
            (
                r#"failed to extract layer: failed to get reader from content store: content digest sha256:00ff: not found"#,
                false,
            ),
            ("write /var/lib/containerd/io.containerd: no space left on device", false),
            ("Error reading manifest v1 in r.io/a: manifest unknown: manifest unknown", true),
            ("unable to retrieve auth token: invalid username/password: unauthorized: access denied", true),
            ("Requesting bearer token: invalid status code from registry 403 (Forbidden)", true),
            ("manifest for r.io/a:v1 not found: manifest unknown", true),
            (
                "net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)",
                false,
            ),
            ("pull QPS exceeded", false),
            ("dial unix /run/containerd/containerd.sock: connect: connection refused", false),
            ("something nobody has seen", false),
            ("", false),
        ];
        for (message, expected) in table {
            let message = message.replace("PREFIX", PREFIX);
            assert_eq!(permanent(&message), *expected, "{message}");
        }
    }

    #[test]
    fn numbers_in_names_say_nothing() {
        assert!(permanent(r#"failed to resolve reference "r.io/a:500": r.io/a:500: not found"#));
        assert!(!permanent(r#"failed to resolve reference "r.io/denied/not found:401": weather"#));
    }
}
