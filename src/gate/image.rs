//! Whether an image pull that failed can ever succeed by itself.
//!
//! The error is an aggregate in free text, of containerd, CRI-O, Docker or the kubelet. What is quoted, URLs and digests are
//! taken out first: they hold numbers and words (`403`, `denied`) that say nothing about the error. Transient causes come
//! first, for any transient part makes the whole transient; and what has no clear class is transient too, as Kubernetes keeps
//! pulling: declaring an upgrade dead because a registry timed out is the worse fault. The gRPC code says nothing.
//!
//! `docs/image-pulls.md` has the same table.

/// What becomes of a pull that failed so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// It can succeed: the kubelet keeps pulling, and so does the wait.
    Transient,
    /// Somebody has to mend something, although the kubelet keeps pulling.
    Permanent,
}

/// What an error says, its class, and why.
#[derive(Debug)]
struct Row {
    /// In lower case. A number is the answer of a registry; see [`answers`].
    said: &'static str,
    class: Class,
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation says it"))]
    why: &'static str,
}

const fn transient(said: &'static str, why: &'static str) -> Row {
    Row { said, class: Class::Transient, why }
}

const fn permanent(said: &'static str, why: &'static str) -> Row {
    Row { said, class: Class::Permanent, why }
}

/// Every cause that has a class.
const TABLE: &[Row] = &[
    transient("i/o timeout", "the network, the registry or the server of its tokens does not answer"),
    transient("handshake timeout", "too slow an answer, which is no fault of TLS"),
    transient("connection timed out", "the registry cannot be reached"),
    transient("client.timeout", "the registry is too slow"),
    transient("context deadline exceeded", "the runtime gave up waiting"),
    transient("context canceled", "the runtime gave up: nothing came for a while"),
    transient("request canceled", "the runtime gave up waiting"),
    transient("unexpected eof", "the connection broke"),
    transient(": eof", "the connection broke"),
    transient("no such host", "a typo or an outage of DNS: nobody can tell which"),
    transient("server misbehaving", "an outage of DNS"),
    transient("temporary failure in name resolution", "an outage of DNS"),
    transient(": try again", "an outage of DNS"),
    transient("connection refused", "nothing listens at the registry, or the runtime itself restarts"),
    transient("connection reset", "the connection broke"),
    transient("no route to host", "the registry cannot be reached"),
    transient("network is unreachable", "the registry cannot be reached"),
    transient("connect: permission denied", "a network policy of the node, not the registry"),
    transient("toomanyrequests", "the registry limits how often it is asked"),
    transient("too many requests", "the registry limits how often it is asked"),
    transient("429", "the registry limits how often it is asked"),
    transient("quota exceeded", "a quota of the registry, which is given anew"),
    transient("pull qps exceeded", "the kubelet limits how often it pulls"),
    transient("content store", "the store of the node lost a part"),
    transient("does not exist: not found", "the store of the node lost a part"),
    transient("no space left on device", "the node is full until images are removed"),
    transient("500", "the registry fails"),
    transient("502", "the registry cannot be reached behind its proxy"),
    transient("503", "the registry is overloaded or restarts"),
    transient("504", "the registry is too slow behind its proxy"),
    permanent("not found", "the registry has no such image"),
    permanent("manifest unknown", "the registry has no such tag"),
    permanent("name unknown", "the registry has no such repository"),
    permanent("no match for platform", "the image is not made for the node's platform"),
    permanent("no matching manifest", "the image is not made for the node's platform"),
    permanent("pull access denied", "the registry refuses: the image is not there, or needs a login"),
    permanent("insufficient_scope", "the login may not pull the image"),
    permanent("requested access to the resource is denied", "the login may not pull the image"),
    permanent("no basic auth credentials", "there is no login for the registry"),
    permanent("invalid username/password", "the login is wrong"),
    permanent("unauthorized:", "the registry wants another login"),
    permanent("401", "the registry wants another login"),
    permanent("403", "the login may not pull the image"),
    permanent("x509:", "the registry's certificate is not trusted: an administrator mends it"),
    permanent("server gave http response to https client", "the runtime is not told that the registry has no TLS"),
    permanent("source image rejected", "a signature is missing or wrong"),
    permanent("short name mode is enforcing", "the name has no registry, and several are possible"),
    permanent("did not resolve to an alias", "the name has no registry"),
    permanent("invalid reference format", "the name is none of an image"),
];

/// The class of the error of a pull.
pub(super) fn class(message: &str) -> Class {
    let plain = without_names(message).to_lowercase();
    let said = |row: &Row| match row.said.bytes().all(|byte| byte.is_ascii_digit()) {
        true => answers(&plain).any(|word| word == row.said),
        false => plain.contains(row.said),
    };
    let any = |class: Class| TABLE.iter().filter(|row| row.class == class).any(said);
    match !any(Class::Transient) && any(Class::Permanent) {
        true => Class::Permanent,
        false => Class::Transient,
    }
}

/// The words that may be the answer of a registry: `500`, `(500):`. A tag can be a number too: it stands in the name of its
/// image, or behind `manifest`.
fn answers(plain: &str) -> impl Iterator<Item = &str> {
    let words = || plain.split_whitespace();
    let before = std::iter::once("").chain(words());
    let answers = before.zip(words()).filter(|(before, _)| *before != "manifest");
    answers.map(|(_, word)| word.trim_start_matches('(').trim_end_matches([')', ':', ',']))
}

/// The error without what a runtime puts before every one: the gRPC code, which image it pulls, and what it asks for.
pub(super) fn brief(message: &str) -> &str {
    const CODE: &str = "rpc error: code = ";
    const GENERAL: [&str; 7] = [
        "Error response from daemon",
        "failed to pull and unpack image ",
        "failed to resolve reference ",
        "failed to copy",
        "failed to do request",
        "Head \"",
        "Get \"",
    ];
    let mut rest = message;
    loop {
        let tail = match rest.strip_prefix(CODE) {
            Some(code) => code.split_once(" desc = "),
            // A name in quotes has colons, but none with a blank behind it.
            None => rest.split_once(": ").filter(|_| GENERAL.iter().any(|start| rest.starts_with(start))),
        };
        match tail.map(|(_, tail)| tail).filter(|tail| !tail.is_empty()) {
            Some(tail) => rest = tail,
            None => return rest,
        }
    }
}

/// The message without what is quoted (also where it stands unquoted), URLs and digests. The colon behind a URL stays.
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
    let word = |word: &str| match word.contains("://") || word.contains("sha256:") {
        true if word.ends_with(':') => ":".to_owned(),
        true => String::new(),
        false => word.to_owned(),
    };
    plain.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
