//! What a file sets, and what is told of one that is wrong.

use super::*;
use crate::cli::Cli;
use crate::cluster::Colour;
use crate::config::{Keys, Watched};
use crate::notify::Notify;
use crate::tui::{Action, Background, Mark};

fn taken(text: &str) -> Result<Config, String> {
    let cli = Cli::read(["gatewatch".into()]).unwrap();
    let mut config = Config::of_flags(&cli);
    take(&mut config, Path::new("c.toml"), text).map(|()| config)
}

#[test]
fn a_file_sets_what_it_names_and_each_value_knows_its_line() {
    let config = taken(
        "# mine\nnamespace = \"gitlab\"\ncontext = 'prod'\nkubeconfig = \"~/.kube/prod\"\nnotify = \"all\"\nkiosk = true\n\
         theme = \"light\"\n\n[colours]\nretrying = \"#ff8000\"\n[keys]\ncopy = \"C\"\nquit = [\"Q\",\n\"F10\"]\n",
    )
    .unwrap();
    let line = |origin| match origin {
        Origin::File { line } => line,
        other => panic!("{other:?}"),
    };
    let namespace = config.namespace.unwrap();
    assert_eq!((namespace.value, line(namespace.origin)), (Watched::One("gitlab".into()), 2));
    assert_eq!(config.context.unwrap().value, "prod");
    assert_eq!(config.kubeconfig.unwrap().value.0, Path::new("~/.kube/prod"));
    assert_eq!(config.notify.unwrap().value, Notify::All);
    assert!(config.kiosk.unwrap().value && config.redact.is_none());
    assert_eq!(config.theme.unwrap().value, Background::Light);
    let (_, retrying) = config.colours.into_iter().find(|(state, _)| *state == Mark::Retrying).unwrap();
    let retrying = retrying.unwrap();
    assert_eq!((retrying.value, line(retrying.origin)), (Colour::Rgb(255, 128, 0), 10));
    let keys = |wanted| config.keys.iter().find(|(action, _)| *action == wanted).unwrap().1.clone();
    assert_eq!(keys(Action::Copy).unwrap().value, Keys(vec!["C".parse().unwrap()]));
    let quit = keys(Action::Quit).unwrap();
    assert_eq!((quit.value, line(quit.origin)), (Keys(vec!["Q".parse().unwrap(), "F10".parse().unwrap()]), 13));
    assert_eq!(keys(Action::Logs), None);
}

#[test]
fn an_empty_file_sets_nothing() {
    for text in ["", "# only a comment\n", "[keys]\n"] {
        let config = taken(text).unwrap();
        assert!(config.namespace.is_none() && config.keys.iter().all(|(_, keys)| keys.is_none()), "{text:?}");
    }
}

#[track_caller]
fn told(text: &str, fault: &str) {
    assert_eq!(taken(text).err().as_deref(), Some(fault));
}

#[test]
fn an_unknown_name_is_told_with_its_line_and_the_nearest_one() {
    told("\nnamespce = \"a\"", "c.toml:2: `namespce` is no setting; did you mean `namespace`?");
    told("[colors]\ndone = \"red\"", "c.toml:1: `colors` is no setting; did you mean [colours]?");
    told("[colours]\n\nretry = \"red\"", "c.toml:3: `retry` is no setting of [colours]; did you mean `retrying`?");
    told("[keys]\ncpoy = \"c\"", "c.toml:2: `cpoy` is no setting of [keys]; did you mean `copy`?");
    told("xyzzy = 1", "c.toml:1: `xyzzy` is no setting; `gatewatch config` lists them all");
    // The first one is told.
    told("kiosk = true\nzz = 1\naa = 1", "c.toml:2: `zz` is no setting; `gatewatch config` lists them all");
}

#[test]
fn a_name_in_the_wrong_table_is_told_where_it_belongs() {
    told("retrying = \"red\"", "c.toml:1: `retrying` is no setting; did you mean `retrying` in [colours]?");
    told(
        "[keys]\nascii = true",
        "c.toml:2: `ascii` is no setting of [keys]; did you mean `ascii` before the first table?",
    );
    told("keys = 3", "c.toml:1: `keys` is a table: write [keys] on a line of its own");
}

#[test]
fn a_wrong_value_is_told_with_its_line_and_what_is_taken() {
    told("kiosk = \"yes\"", "c.toml:1: `kiosk` takes true or false, not \"yes\"");
    told("\nnotify = \"some\"", "c.toml:2: `notify` takes \"never\" or \"failures\" or \"all\", not \"some\"");
    told("theme = 2", "c.toml:1: `theme` takes \"dark\" or \"light\", not 2");
    told(
        "namespace = \"a/b\"",
        "c.toml:1: `namespace` takes the name of a namespace, or \"*\" for all of them, not \"a/b\"",
    );
    told(
        "kubeconfig = \"prod\"",
        "c.toml:1: `kubeconfig` takes an absolute path, or one that begins with ~/, not \"prod\"",
    );
    told(
        "[colours]\ndone = \"pink\"",
        "c.toml:2: `done` takes \"#rrggbb\", or one of black, red, green, yellow, blue, magenta, cyan, white and \
         bright-red etc., not \"pink\"",
    );
    told(
        "[keys]\ncopy = [\"c\", \"Meta-c\"]",
        "c.toml:2: `copy` takes a key or a list of keys, as in \"c\", \"Space\", \"Ctrl-F\", \"F5\", \"PgUp\", not \
         [\"c\", \"Meta-c\"]",
    );
}

#[test]
fn what_is_not_toml_is_told_with_its_line() {
    for (text, line) in
        [("\nnamespace = gitlab\n", 2), ("kiosk = true\nkiosk = false", 2), ("[keys", 1), ("\n\n= 1", 3)]
    {
        let fault = taken(text).err().unwrap();
        assert!(fault.starts_with(&format!("c.toml:{line}: this is not TOML: ")), "{text:?}: {fault}");
    }
}
