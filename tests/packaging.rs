//! What is packaged names what exists: files, options, accounts, versions. No release is built for that.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gatewatch::cli::Cli;
use serde_json::{Value, json};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn documents(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(text).unwrap()
}

/// The only one of a kind.
fn of_kind<'a>(documents: &'a [Value], kind: &str) -> &'a Value {
    let found: Vec<_> = documents.iter().filter(|document| document["kind"] == kind).collect();
    assert_eq!(found.len(), 1, "{kind}");
    found[0]
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

#[test]
fn the_manifest_for_krew_is_of_this_program_and_takes_from_the_archive_what_is_put_into_it() {
    let manifest = &documents(&text("packaging/krew/gatewatch.yaml"))[0];
    assert_eq!(manifest["apiVersion"], "krew.googlecontainertools.github.com/v1alpha2");
    assert_eq!(manifest["kind"], "Plugin");
    // krew wants it to be that of the file.
    assert_eq!(manifest["metadata"]["name"], env!("CARGO_PKG_NAME"));
    let spec = &manifest["spec"];
    assert_eq!(spec["version"], "v@VERSION@");
    let short = spec["shortDescription"].as_str().unwrap();
    assert!(short.len() <= 50 && !short.ends_with('.') && !short.contains('\n'), "{short}");
    let platforms = spec["platforms"].as_array().unwrap();
    assert_eq!(platforms.len(), 1, "the release script repeats it");
    assert_eq!(platforms[0]["bin"], env!("CARGO_PKG_NAME"));
    let release = text("packaging/release");
    for file in platforms[0]["files"].as_array().unwrap() {
        let (folder, name) = file["from"].as_str().unwrap().split_once('/').unwrap();
        assert_eq!(folder, "@ARCHIVE@");
        let is_there = name == env!("CARGO_PKG_NAME") || root().join(name).exists();
        assert!(is_there && release.contains(&format!("{name} ")), "{name}");
    }
}

#[test]
fn the_release_script_fills_in_all_that_is_left_open_and_nothing_else() {
    let release = text("packaging/release");
    for template in ["packaging/krew/gatewatch.yaml", "packaging/debian/control"] {
        let template = text(template);
        let open: Vec<_> = template.lines().filter(|line| !line.starts_with('#')).collect();
        let open: Vec<_> = open.iter().flat_map(|line| line.split('@').skip(1).step_by(2)).collect();
        assert!(open.contains(&"VERSION"));
        for name in open {
            assert!(release.contains(&format!("@{name}@|")), "{name}");
        }
    }
    for line in release.lines().filter(|line| line.contains("packaging/")) {
        let paths = line.split(|c: char| c.is_whitespace() || "\"';()".contains(c));
        for path in paths.filter(|path| path.starts_with("packaging/")) {
            assert!(Path::new(&root()).join(path.trim_end_matches(':')).exists(), "{path}");
        }
    }
}

#[test]
fn the_release_script_is_bash_and_tells_how_it_is_used() {
    let script = root().join("packaging/release");
    let checked = Command::new("bash").arg("-n").arg(&script).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let help = Command::new("bash").arg(&script).arg("--help").output().unwrap();
    assert!(help.status.success());
    assert!(String::from_utf8(help.stdout).unwrap().contains("packaging/release [--url URL] [TARGET...]"));
}

/// Flags in the environment or in `build.rustflags` would replace those of the target, and nobody would see it but by the size.
#[test]
fn the_release_script_keeps_what_cargo_tells_the_linker_and_holds_the_binary_to_its_size() {
    let config = text(".cargo/config.toml");
    assert!(config.starts_with("[target.x86_64-unknown-linux-musl]\nrustflags = ["), "{config}");
    for flag in ["pack-relative-relocs", "--no-eh-frame-hdr", "-T,packaging/musl/no-unwinding.ld"] {
        assert!(config.contains(flag), "{flag}");
    }
    assert!(text("packaging/musl/no-unwinding.ld").contains("INSERT BEFORE .init;"), "it is beside the linker's own");
    let release = text("packaging/release");
    assert!(release.contains("unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS\n"));
    assert!(!release.contains("RUSTFLAGS="));
    assert!(release.contains("--config \"target.$target.rustflags = "));
    assert!(release.contains("-lt 12000000 ] || fail "));
}

#[test]
fn the_image_holds_a_binary_of_its_context_and_is_nobody_by_number() {
    let recipe = text("packaging/container/Containerfile");
    let instructions: Vec<_> = recipe.lines().filter_map(|line| line.split_once(' ')).collect();
    let of = |name: &str| -> Vec<&str> {
        instructions.iter().filter(|(instruction, _)| *instruction == name).map(|(_, rest)| *rest).collect()
    };
    assert_eq!(of("FROM"), ["scratch"]);
    let (user, group) = of("USER")[0].split_once(':').unwrap();
    assert!(user.parse::<u32>().unwrap() > 0 && group.parse::<u32>().unwrap() > 0);
    assert_eq!(of("ENTRYPOINT"), [r#"["/usr/bin/gatewatch"]"#]);
    let words = of("COPY").into_iter().flat_map(|copy| {
        let words: Vec<_> = copy.split(' ').filter(|word| !word.starts_with("--")).collect();
        words[..words.len() - 1].to_vec()
    });
    assert_eq!(
        words.collect::<Vec<_>>(),
        ["linux/${TARGETARCH}/gatewatch", "LICENSE", "linux/${TARGETARCH}/LICENSES-OF-CRATES"]
    );
    assert!(text("packaging/release").contains("\"$work/$context/linux/$arch\" \"$binary\""));
}

#[test]
fn the_kiosk_is_of_this_version_and_its_arguments_are_taken() {
    let kiosk = documents(&text("packaging/kubernetes/kiosk.yaml"));
    let container = &of_kind(&kiosk, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    let image = container["image"].as_str().unwrap();
    assert!(image.ends_with(&format!("/gatewatch:{VERSION}")), "{image}");
    let arguments = std::iter::once("gatewatch").chain(words(&container["args"]));
    let cli = Cli::read(arguments.map(Into::into)).unwrap_or_else(|error| panic!("{error}"));
    assert!(cli.display.kiosk);
    // There is something to attach to only with both.
    assert_eq!((&container["tty"], &container["stdin"]), (&json!(true), &json!(true)));
}

#[test]
fn the_kiosk_has_what_it_names_and_its_selector_finds_it() {
    let kiosk = documents(&text("packaging/kubernetes/kiosk.yaml"));
    let spec = &of_kind(&kiosk, "Deployment")["spec"];
    assert_eq!(spec["selector"]["matchLabels"], spec["template"]["metadata"]["labels"]);
    let pod = &spec["template"]["spec"];
    let account = &of_kind(&kiosk, "ServiceAccount")["metadata"];
    assert_eq!(pod["serviceAccountName"], account["name"]);
    let binding = of_kind(&kiosk, "RoleBinding");
    assert_eq!(binding["subjects"][0]["name"], account["name"]);
    assert_eq!(binding["roleRef"]["name"], of_kind(&kiosk, "Role")["metadata"]["name"]);
    for object in &kiosk {
        assert_eq!(object["metadata"]["namespace"], "gitlab", "{}", object["kind"]);
    }
    let container = &pod["containers"][0];
    let volumes: Vec<_> = pod["volumes"].as_array().unwrap().iter().map(|volume| &volume["name"]).collect();
    let mounts = container["volumeMounts"].as_array().unwrap();
    assert_eq!(volumes, mounts.iter().map(|mount| &mount["name"]).collect::<Vec<_>>());
    let state = container["env"].as_array().unwrap().iter().find(|variable| variable["name"] == "XDG_STATE_HOME");
    assert_eq!(state.unwrap()["value"], mounts[0]["mountPath"], "a file system that can't be written keeps nothing");
}

#[test]
fn the_kiosk_is_let_into_a_namespace_of_the_restricted_standard() {
    let kiosk = documents(&text("packaging/kubernetes/kiosk.yaml"));
    let pod = &of_kind(&kiosk, "Deployment")["spec"]["template"]["spec"];
    assert_eq!(pod["securityContext"], json!({ "runAsNonRoot": true, "seccompProfile": { "type": "RuntimeDefault" } }));
    assert_eq!(
        pod["containers"][0]["securityContext"],
        json!({
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": { "drop": ["ALL"] },
        })
    );
}
