//! Who may ask: whoever has the token.
//!
//! It is taken as a bearer token, and as the password of basic authentication: `kubectl` sends the credentials of a
//! kubeconfig over TLS alone, and without it only those that stand in the address, `http://any:TOKEN@127.0.0.1:8080`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};
use secrecy::{ExposeSecret, SecretString};

/// Whether the headers of a request have that token.
pub(super) fn has(headers: &HeaderMap, token: &SecretString) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(given);
    given.is_some_and(|given| same(&given, token.expose_secret().as_bytes()))
}

/// The token that was given.
fn given(value: &str) -> Option<Vec<u8>> {
    let (scheme, given) = value.split_once(' ')?;
    match scheme.to_ascii_lowercase().as_str() {
        "bearer" => Some(given.trim().as_bytes().to_vec()),
        "basic" => {
            let pair = STANDARD.decode(given.trim()).ok()?;
            let colon = pair.iter().position(|byte| *byte == b':')?;
            Some(pair[colon + 1..].to_vec())
        }
        _ => None,
    }
}

/// Whether both are the same. How long that takes does not tell how much of one is right.
fn same(given: &[u8], token: &[u8]) -> bool {
    let differences = given.iter().zip(token).fold(0, |all, (given, token)| all | (given ^ token));
    given.len() == token.len() && std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_token_is_taken_in_two_ways_and_no_other_is() {
        let has = |value: &str| {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap())]);
            super::has(&headers, &SecretString::from("token"))
        };
        let basic = |pair: &str| format!("Basic {}", STANDARD.encode(pair));
        assert!(has("Bearer token") && has("bearer token") && has(&basic("any:token")) && has(&basic(":token")));
        for wrong in [
            "",
            "token",
            "Bearer",
            "Bearer ",
            "Bearer toke",
            "Bearer tokens",
            "Bearer Token",
            "Basic token",
            "Digest token",
        ] {
            assert!(!has(wrong), "{wrong}");
        }
        assert!(!has(&basic("token")) && !has(&basic("any:toke")) && !has(&basic("token:any")));
        assert!(!super::has(&HeaderMap::new(), &SecretString::from("token")));
    }
}
