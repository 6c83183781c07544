//! What the operator of Gluesync does about a pod of a new version that waits: the rule of its own page, "How an update runs",
//! under "Errors that fail at once" and "Errors that are retried".
//!
//! It goes by words alone, and so it differs from what is known of image pulls here: `denied: Quota exceeded` passes, and is
//! failed at once by it; an unknown certificate authority does not pass, and is waited for.

use crate::run::Fate;

/// Reasons that fail at once, whatever their message.
const AT_ONCE: [&str; 4] =
    ["CrashLoopBackOff", "InvalidImageName", "CreateContainerConfigError", "CreateContainerError"];
/// Reasons of an image pull.
const PULL: [&str; 2] = ["ErrImagePull", "ImagePullBackOff"];
/// What the error of a pull says where it fails at once: the image is not found, or access is refused.
const FINAL: [&str; 5] = ["not found", "manifest unknown", "unauthorized", "denied", "forbidden"];

/// What it does about a container that waits with that reason.
pub(super) fn fate(reason: &str, message: &str) -> Fate {
    if AT_ONCE.contains(&reason) {
        return Fate::FailsAtOnce;
    }
    if !PULL.contains(&reason) {
        return Fate::Waited;
    }
    let message = message.to_lowercase();
    if FINAL.iter().any(|word| message.contains(word)) { Fate::FailsAtOnce } else { Fate::Retried }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_the_page_says_fail_at_once_do() {
        for reason in ["CrashLoopBackOff", "InvalidImageName", "CreateContainerConfigError", "CreateContainerError"] {
            assert_eq!(fate(reason, ""), Fate::FailsAtOnce, "{reason}");
        }
        for message in [
            "rpc error: code = NotFound desc = failed to pull and unpack image \"r.io/a:1\": r.io/a:1: not found",
            "Error reading manifest 1 in r.io/a: manifest unknown: manifest unknown",
            "unable to retrieve auth token: invalid username/password: unauthorized: …",
            "unexpected status code https://r.io/v2/a: 401 Unauthorized",
            "pull access denied, repository does not exist or may require authorization",
            "failed to fetch anonymous token: unexpected status from GET request: 403 Forbidden",
        ] {
            for reason in ["ErrImagePull", "ImagePullBackOff"] {
                assert_eq!(fate(reason, message), Fate::FailsAtOnce, "{message}");
            }
        }
    }

    #[test]
    fn errors_that_the_page_says_are_retried_are() {
        for message in [
            "failed to do request: Head \"https://r.io\": dial tcp 10.0.0.1:443: i/o timeout",
            "unexpected status from HEAD request to https://r.io/v2/a: 504 Gateway Timeout",
            "read tcp 10.0.0.1:443: read: connection reset by peer",
            "net/http: TLS handshake timeout",
            "",
        ] {
            assert_eq!(fate("ErrImagePull", message), Fate::Retried, "{message}");
        }
    }

    #[test]
    fn what_waits_for_another_reason_is_no_error_to_it() {
        for reason in ["ContainerCreating", "PodInitializing", "Unschedulable", "RunContainerError", ""] {
            assert_eq!(fate(reason, "not found"), Fate::Waited, "{reason}");
        }
    }
}
