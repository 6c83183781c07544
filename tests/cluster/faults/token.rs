//! Tokens of a service account that expire when a test wants them to.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::scene::Scene;
use crate::harness::Rest;
use crate::stage::witness::until;

/// How much longer than it says a token is taken: what clocks may differ by.
const LEEWAY: SignedDuration = SignedDuration::from_secs(60);

/// A service account that may see what gatewatch looks at.
pub struct Account {
    uid: Value,
}

const NAME: &str = "watcher";

impl Account {
    pub async fn make(scene: &Scene<'_>) -> Result<Self> {
        let path = scene.rest.path("v1/serviceaccounts");
        let made = scene.rest.create(&path, &json!({"metadata": {"name": NAME}})).await?;
        scene.let_view("--serviceaccount", NAME).await?;
        Ok(Self { uid: made["metadata"]["uid"].clone() })
    }

    /// A token that the server takes for so much longer, signed with the cluster's own key.
    pub fn token(&self, scene: &Scene<'_>, longer: SignedDuration) -> Result<String> {
        let namespace = scene.rest.namespace();
        let expires = (Timestamp::now() + longer - LEEWAY).as_second();
        let issuer = "https://kubernetes.default.svc";
        let claims = json!({
            "iss": issuer, "aud": [issuer], "sub": format!("system:serviceaccount:{namespace}:{NAME}"),
            "exp": expires, "iat": expires - 3600, "nbf": expires - 3600,
            "kubernetes.io": {"namespace": namespace, "serviceaccount": {"name": NAME, "uid": self.uid}},
        });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({"alg": "RS256", "typ": "JWT"})), part(&claims));
        let mut signing = Command::new("openssl")
            .args(["dgst", "-sha256", "-sign"])
            .arg(scene.cluster.folder().join("pki/sa.key"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        signing.stdin.take().context("no input")?.write_all(signed.as_bytes())?;
        let signature = signing.wait_with_output()?;
        ensure!(signature.status.success(), "the token was not signed");
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.stdout)))
    }
}

/// Waits until the server refuses that token.
pub async fn expires(scene: &Scene<'_>, token: &str) -> Result<()> {
    let rest = Rest::with_token(&scene.cluster.kubeconfig(), token, scene.rest.namespace()).await?;
    let path = rest.path("v1/pods");
    until("the token expires", async || {
        Ok(rest.get(&path).await.is_err_and(|error| format!("{error:#}").contains("Unauthorized")))
    })
    .await
}
