//! What can go wrong with a request or a watch, told apart by what it asks of us.

use std::error::Error;
use std::io;
use std::time::Duration;

use kube::client::AuthError;
use kube::config::LoadDataError;
use kube::core::Status;

use crate::cluster::clean;

/// How rustls words that it does not trust a server.
const UNTRUSTED: &str = "invalid peer certificate: ";
const NO_ANSWER: &str = "no answer from the server";

/// Why a request or a watch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The server ended the watch, as it does after a while.
    Ended,
    /// What we had is too old to go on from (410), so everything is listed anew.
    Expired,
    /// The server doesn't serve the kind (404).
    Undefined,
    /// We may not (403), in the server's words.
    Forbidden(String),
    /// The server doesn't take our credentials (401).
    Unauthorized,
    /// Its certificate is not to be trusted, in words for a person.
    Untrusted(String),
    /// Nothing came in time.
    Silent,
    /// The server has too much to do.
    Busy {
        /// What it says, in words for a person.
        words: String,
        /// How long it wants to be left alone.
        after: Duration,
    },
    /// Anything else, in words for a person.
    Broken(String),
}

impl Fault {
    /// The fault behind an error of the client.
    pub(super) fn of(error: &kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => Self::of_status(status),
            kube::Error::SerdeError(_) | kube::Error::FromUtf8(_) => {
                Self::Broken(format!("the answer is not Kubernetes': {}", cause(error)))
            }
            _ => {
                let words = cause(error);
                match words.strip_prefix(UNTRUSTED) {
                    Some("UnknownIssuer") => Self::Untrusted("whoever signed it is not known here".to_owned()),
                    Some(why) => Self::Untrusted(why.to_owned()),
                    None => Self::Broken(words),
                }
            }
        }
    }

    /// The fault behind a refusal of the server.
    pub(super) fn of_status(status: &Status) -> Self {
        let message = clean(&status.message);
        let words = |code| match message.as_str() {
            "" => format!("the server answered {code}"),
            message => format!("the server answered {code}: {message}"),
        };
        let after = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
        match status.code {
            401 => Self::Unauthorized,
            403 => Self::Forbidden(message),
            404 => Self::Undefined,
            410 => Self::Expired,
            code if after > 0 => Self::Busy { words: words(code), after: Duration::from_secs(after.into()) },
            code => Self::Broken(words(code)),
        }
    }

    /// The fault in words for a person, without what was tried and where.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Ended => "the server ends the watch again and again".to_owned(),
            Self::Expired => "the server forgets again and again where the watch was (410 Gone)".to_owned(),
            Self::Undefined => "the server does not serve this kind (404 Not Found)".to_owned(),
            Self::Forbidden(message) => message.clone(),
            Self::Unauthorized => "the token was refused (401 Unauthorized); log in again".to_owned(),
            Self::Untrusted(why) => format!("the server's certificate cannot be trusted: {why}"),
            Self::Silent => NO_ANSWER.to_owned(),
            Self::Busy { words, .. } | Self::Broken(words) => words.clone(),
        }
    }
}

/// What is at the bottom of an error, in words: `Connection refused` rather than that a service failed.
pub(super) fn cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    loop {
        match cause.downcast_ref() {
            // What a credential plugin said is what helps; the error's own words hold its command and environment.
            Some(AuthError::AuthExecRun { out, .. }) => {
                let said = clean(&String::from_utf8_lossy(&out.stderr));
                let last = said.lines().last().unwrap_or("it said nothing");
                return format!("the credential plugin failed: {last} ({})", out.status);
            }
            Some(AuthError::AuthExecParse(_)) => return "the credential plugin printed no credential".to_owned(),
            Some(AuthError::ReadTokenFile(error, file)) => {
                return format!("the token file {} cannot be read: {}", file.display(), first_line(error));
            }
            _ => {}
        }
        if let Some(LoadDataError::ReadFile(error, file)) = cause.downcast_ref() {
            return format!("the file {} cannot be read: {}", file.display(), first_line(error));
        }
        match cause.source() {
            Some(source) => cause = source,
            None => break,
        }
    }
    if cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut) {
        return NO_ANSWER.to_owned();
    }
    first_line(cause)
}

/// The first line of an error, without the number of an error of the system, which says nothing that its words don't.
fn first_line(error: &dyn Error) -> String {
    let words = clean(&error.to_string());
    let line = words.lines().next().unwrap_or_default();
    line.split(" (os error ").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_apart_by_its_code() {
        let fault = |code| Fault::of(&kube::Error::Api(Status::failure("why\u{1b}[31m", "").with_code(code).boxed()));
        assert_eq!(fault(401), Fault::Unauthorized);
        assert_eq!(fault(403), Fault::Forbidden("why".into()));
        assert_eq!(fault(404), Fault::Undefined);
        assert_eq!(fault(410), Fault::Expired);
        assert_eq!(fault(503), Fault::Broken("the server answered 503: why".into()));
    }

    #[test]
    fn an_error_of_the_connection_is_told_by_what_lies_at_its_bottom() {
        let refused = io::Error::from_raw_os_error(111);
        let error = kube::Error::Service(Box::new(kube::Error::ReadEvents(refused)));
        assert_eq!(cause(&error), "Connection refused");
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_that_timed_out_is_told_in_words() {
        let elapsed = tokio::time::timeout(std::time::Duration::ZERO, std::future::pending::<()>()).await.unwrap_err();
        let error = kube::Error::Service(Box::new(io::Error::new(io::ErrorKind::TimedOut, elapsed)));
        assert_eq!(cause(&error), "no answer from the server");
    }

    #[test]
    fn of_a_failed_credential_plugin_only_its_last_word_is_told() {
        let out = std::process::Output {
            status: std::process::ExitStatus::default(),
            stdout: Vec::new(),
            stderr: b"warning\nlogin expired\n".to_vec(),
        };
        let error = kube::Error::Auth(AuthError::AuthExecRun { cmd: "TOKEN=secret plugin".into(), out: Box::new(out) });
        assert_eq!(cause(&error), "the credential plugin failed: login expired (exit status: 0)");
    }
}
