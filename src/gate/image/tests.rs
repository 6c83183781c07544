use super::{Class, TABLE, brief, class};

const PREFIX: &str = r#"failed to pull and unpack image "r.io/a:v403": failed to resolve reference "r.io/a:v403": "#;

/// A test for each row of what runtimes are known to say, `PREFIX` standing for what containerd puts before it.
macro_rules! rows {
    ($($name:ident: $class:ident, $message:literal;)*) => {
        $(#[test]
        fn $name() {
            assert_eq!(class(&$message.replace("PREFIX", PREFIX)), Class::$class);
        })*
    };
}

#[rustfmt::skip]
rows! {
    a_tag_that_is_not_there: Permanent, "rpc error: code = NotFound desc = PREFIXr.io/a:v403: not found";
    pull_access_denied: Permanent, "PREFIXpull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed";
    no_basic_auth_credentials: Permanent, "PREFIXpull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials";
    a_token_that_is_forbidden: Permanent, "PREFIXfailed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://auth.io/token?scope=x: 403 Forbidden";
    the_authorize_trap_a_server_of_tokens_that_does_not_answer: Transient, r#"PREFIXfailed to authorize: failed to fetch anonymous token: Get "https://auth.io/token": dial tcp 10.0.0.1:443: i/o timeout"#;
    a_server_of_tokens_that_hangs_up: Transient, r#"PREFIXfailed to authorize: failed to fetch anonymous token: Get "https://auth.io/token": EOF"#;
    an_answer_401: Permanent, "PREFIXunexpected status code https://r.io/v2/a/manifests/v1: 401 Unauthorized";
    a_host_that_dns_does_not_know: Transient, r#"PREFIXfailed to do request: Head "https://r.io/v2/a": dial tcp: lookup r.io on 10.0.0.10:53: no such host"#;
    a_dns_server_that_misbehaves: Transient, "lookup r.io on 10.0.0.10:53: server misbehaving";
    a_temporary_failure_in_name_resolution: Transient, "Temporary failure in name resolution";
    a_lookup_that_says_try_again: Transient, "lookup r.io: Try again";
    a_connection_refused: Transient, "dial tcp 127.0.0.1:5999: connect: connection refused";
    a_connection_timed_out: Transient, "dial tcp 10.0.0.1:443: connect: connection timed out";
    no_route_to_host: Transient, "dial tcp 10.0.0.1:443: connect: no route to host";
    a_connection_reset: Transient, "read tcp 10.0.0.2:40312->10.0.0.1:443: read: connection reset by peer";
    an_unexpected_end: Transient, "httpReadSeeker: failed open: unexpected EOF";
    the_tls_trap_a_handshake_that_times_out: Transient, "net/http: TLS handshake timeout";
    an_unknown_certificate_authority: Permanent, "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    a_registry_without_tls: Permanent, "http: server gave HTTP response to HTTPS client";
    an_answer_500: Transient, "unexpected status from HEAD request to https://r.io/v2/a/manifests/v1: 500 Internal Server Error";
    an_answer_502: Transient, "unexpected status from HEAD request to https://r.io/v2/a/manifests/v1: 502 Bad Gateway";
    an_answer_503: Transient, "unexpected status from HEAD request to https://r.io/v2/a/manifests/v1: 503 Service Unavailable";
    an_answer_504: Transient, "unexpected status from HEAD request to https://r.io/v2/a/manifests/v1: 504 Gateway Timeout";
    the_authenticating_trap_an_answer_429: Transient, "429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating and upgrading";
    the_denied_trap_a_quota_exceeded: Transient, "denied: Quota exceeded for quota metric 'Requests per project per region'";
    a_network_policy_that_denies: Transient, "dial tcp 10.0.0.1:443: connect: permission denied";
    a_proxy_that_forbids: Transient, r#"PREFIXfailed to do request: Head "https://r.io/v2/a/manifests/v1": Forbidden"#;
    no_match_for_the_platform: Permanent, r#"failed to pull and unpack image "r.io/a:v1": no match for platform in manifest: not found"#;
    a_part_that_the_store_of_the_node_lost: Transient, "failed to extract layer: failed to get reader from content store: content digest sha256:00ff: not found";
    a_lease_that_the_store_of_the_node_lost: Transient, r#"failed to prepare extraction snapshot "extract-1-ab": lease does not exist: not found"#;
    a_node_that_is_full: Transient, "write /var/lib/containerd/io.containerd: no space left on device";
    a_manifest_that_is_unknown: Permanent, "Error reading manifest v1 in r.io/a: manifest unknown: manifest unknown";
    a_password_that_is_wrong: Permanent, "unable to retrieve auth token: invalid username/password: unauthorized: access denied";
    a_bearer_token_that_is_forbidden: Permanent, "Requesting bearer token: invalid status code from registry 403 (Forbidden)";
    a_manifest_that_docker_does_not_find: Permanent, "manifest for r.io/a:v1 not found: manifest unknown";
    headers_that_do_not_come: Transient, "net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)";
    a_kubelet_that_pulls_too_often: Transient, "pull QPS exceeded";
    a_runtime_that_restarts: Transient, "dial unix /run/containerd/containerd.sock: connect: connection refused";
    what_nobody_has_seen: Transient, "something nobody has seen";
    what_says_nothing: Transient, "";
}

#[test]
fn numbers_and_words_in_names_say_nothing() {
    let named = |name: &str, said: &str| class(&format!(r#"failed to resolve reference "{name}": {name}: {said}"#));
    assert_eq!(named("r.io/a:500", "not found"), Class::Permanent);
    assert_eq!(named("r.io/denied/not found:401", "weather"), Class::Transient);
    assert_eq!(class("Get https://r.io/403/x509:/: weather"), Class::Transient);
    assert_eq!(class("failed commit on ref sha256:403: weather"), Class::Transient);
    assert_eq!(
        class("copied 4031 of 5000 bytes: weather, not found"),
        Class::Permanent,
        "a part of a number is no answer"
    );
}

#[test]
fn a_tag_that_is_a_number_is_no_answer_of_a_registry_where_it_is_not_quoted_either() {
    for unknown in [
        "manifest for r.io/app:18.500.0 not found: manifest unknown",
        "manifest for r.io/app:503 not found: manifest unknown",
        "Error reading manifest 503 in r.io/app: manifest unknown: manifest unknown",
        "reading manifest 429 in r.io/app: manifest unknown",
    ] {
        assert_eq!(class(unknown), Class::Permanent, "{unknown}");
    }
    for unclear in ["manifest for r.io/app:18.401.0: weather", "Error reading manifest 403 in r.io/app: weather"] {
        assert_eq!(class(unclear), Class::Transient, "{unclear}");
    }
    for (answer, expected) in [
        ("API error (500): manifest unknown", Class::Transient),
        ("status 503, manifest unknown", Class::Transient),
        ("StatusCode: 403, RequestID: 1", Class::Permanent),
        ("it answers 401: weather", Class::Permanent),
    ] {
        assert_eq!(class(answer), expected, "{answer}");
    }
}

#[test]
fn any_transient_part_of_an_aggregate_makes_it_transient() {
    let mirrors = "(Mirrors also failed: [m.io/a:v1: manifest unknown]): r.io/a:v1: dial tcp 10.0.0.1:443: i/o timeout";
    assert_eq!(class(mirrors), Class::Transient);
}

#[test]
fn the_end_of_a_connection_is_told_also_where_the_url_is_not_quoted() {
    let message = "Get https://r.io/v2/: EOF, and before that: manifest unknown";
    assert_eq!(class(message), Class::Transient);
}

/// What containerd, CRI-O and Docker said to people who reported it.
const CORPUS: &str = include_str!("../../../tests/data/image-pulls.tsv");

#[test]
fn every_message_that_was_reported_has_its_class() {
    let mut runtimes = std::collections::BTreeMap::new();
    for line in CORPUS.lines().skip(1) {
        let [runtime, expected, source, message] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}")
        };
        let told = match class(&message.replace("\\n", "\n")) {
            Class::Transient => "transient",
            Class::Permanent => "permanent",
        };
        assert_eq!(told, expected, "{source}: {message}");
        *runtimes.entry(runtime).or_insert(0) += 1;
    }
    assert!(runtimes.values().sum::<i32>() >= 60, "{runtimes:?}");
    assert!(["containerd", "CRI-O", "Docker"].iter().all(|runtime| runtimes.get(runtime) >= Some(&10)), "{runtimes:?}");
}

#[test]
fn each_row_decides_a_message_that_says_nothing_else() {
    for row in TABLE {
        assert_eq!(class(&format!("it says {}", row.said)), row.class, "{}", row.said);
        assert_eq!(row.said, row.said.to_lowercase(), "it is looked for in lower case");
    }
}

#[test]
fn the_documentation_has_the_same_table() {
    let page = include_str!("../../../docs/image-pulls.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")).collect::<Vec<_>>();
    let expected = TABLE.iter().map(|row| {
        let class = if row.class == Class::Transient { "can clear by itself" } else { "cannot" };
        format!("{}` | {class} | {} |", row.said, row.why)
    });
    assert_eq!(rows, expected.collect::<Vec<_>>());
}

#[test]
fn what_is_wrong_stands_at_the_end_of_what_a_runtime_says() {
    let said = |rest: &str| brief(&format!("rpc error: code = NotFound desc = {PREFIX}{rest}")).to_owned();
    assert_eq!(said("r.io/a:v403: not found"), "r.io/a:v403: not found");
    let refused = "dial tcp 127.0.0.1:5777: connect: connection refused";
    assert_eq!(said(&format!(r#"failed to do request: Head "http://r.io/v2/a": {refused}"#)), refused);
    for message in ["", "rpc error: code = ", "failed to copy: ", "weather", "Error response from daemon"] {
        assert_eq!(brief(message), message);
    }
}
