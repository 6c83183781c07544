//! What outweighs what, and what is shown of it.

use std::ffi::OsStr;
use std::fs;

use tempfile::TempDir;

use super::*;
use crate::cli::ConnectionArgs;

/// What is set by those words, variables, and a file of that text.
fn read(words: &str, variables: &[(&str, &str)], file: &str) -> Result<Config, String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("c.toml");
    fs::write(&path, file).unwrap();
    let cli = Cli::read(words.split(' ').map(Into::into)).unwrap();
    let config = Config::read(&cli, |name| match name {
        "GATEWATCH_CONFIG" => Some(path.clone().into()),
        name => variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()),
    });
    config.map_err(|error| error.message.replace(&path.display().to_string(), "c.toml"))
}

fn connection(words: &str, variables: &[(&str, &str)], file: &str) -> ConnectionArgs {
    read(words, variables, file).unwrap().connection(&ConnectionArgs::default(), Some(OsStr::new("/home/a")))
}

#[test]
fn flags_outweigh_the_environment_and_that_the_file() {
    let (variables, file) = ([("GATEWATCH_CONTEXT", "of-variable")], "context = \"of-file\"");
    let context = |words, variables: &[_], file| connection(words, variables, file).only_context().cloned();
    assert_eq!(context("gatewatch --context of-flag", &variables, file).as_deref(), Some("of-flag"));
    assert_eq!(context("gatewatch", &variables, file).as_deref(), Some("of-variable"));
    assert_eq!(context("gatewatch", &[("GATEWATCH_CONTEXT", "")], file).as_deref(), Some("of-file"));
    assert_eq!(context("gatewatch", &[], ""), None);
}

#[test]
fn a_namespace_outweighs_all_of_them_that_were_said_further_away_and_the_other_way_round() {
    let watched = |words, variables: &[_], file| {
        let connection = connection(words, variables, file);
        (connection.all_namespaces, connection.namespace)
    };
    let one = |name: &str| (false, Some(name.to_owned()));
    assert_eq!(watched("gatewatch -n a", &[("GATEWATCH_NAMESPACE", "*")], ""), one("a"));
    assert_eq!(watched("gatewatch -A", &[("GATEWATCH_NAMESPACE", "b")], "namespace = \"c\""), (true, None));
    assert_eq!(watched("gatewatch", &[("GATEWATCH_NAMESPACE", "b")], "namespace = \"*\""), one("b"));
    assert_eq!(watched("gatewatch", &[], "namespace = \"*\""), (true, None));
}

#[test]
fn no_undoes_what_the_file_says() {
    let redact = |variables: &[_], file| read("gatewatch", variables, file).unwrap().redact();
    assert!(redact(&[], "redact = true"));
    assert!(!redact(&[("GATEWATCH_REDACT", "false")], "redact = true"));
    assert!(redact(&[("GATEWATCH_REDACT", "1")], ""));
}

#[test]
fn a_kubeconfig_in_the_home_is_found_there() {
    let kubeconfig = connection("gatewatch", &[], "kubeconfig = \"~/.kube/prod\"").kubeconfig;
    assert_eq!(kubeconfig.as_deref(), Some("/home/a/.kube/prod".as_ref()));
}

#[test]
fn a_wall_and_notices_are_chosen_for_a_cluster_and_on_a_recording_by_a_flag_alone() {
    let set = read("gatewatch", &[("GATEWATCH_KIOSK", "true")], "notify = \"all\"").unwrap();
    assert_eq!((set.kiosk(true), set.notify(true)), (true, Some(Notify::All)));
    assert_eq!((set.kiosk(false), set.notify(false)), (false, None));
    let flags = read("gatewatch replay x --kiosk --notify all", &[], "").unwrap();
    assert_eq!((flags.kiosk(false), flags.notify(false)), (true, Some(Notify::All)));
}

#[test]
fn a_variable_that_says_nothing_known_is_told() {
    let told = |variable| read("gatewatch", &[variable], "").err().unwrap();
    assert_eq!(
        told(("GATEWATCH_KIOSK", "maybe")),
        "$GATEWATCH_KIOSK takes true or false, not `maybe`; set another, or unset it"
    );
    // Kubernetes sets it in every pod beside a Service of that name.
    assert!(read("gatewatch", &[("GATEWATCH_PORT", "tcp://10.0.0.1:80")], "").is_ok());
    // Neither are colours and keys: they are of the file alone.
    assert!(read("gatewatch", &[("GATEWATCH_QUIT", "no key"), ("GATEWATCH_DONE", "no colour")], "").is_ok());
}

#[test]
fn a_file_that_is_wrong_is_told_also_where_something_outweighs_it() {
    let told = read("gatewatch -n a", &[], "namespace = 1").err().unwrap();
    assert_eq!(told, "c.toml:1: `namespace` takes the name of a namespace, or \"*\" for all of them, not 1");
}

#[test]
fn what_a_file_holds_reaches_no_terminal_unclean() {
    let told = read("gatewatch", &[], "\"a\\u001b]52;c;eA==\\u0007\" = 1").err().unwrap();
    assert!(!told.contains(char::is_control), "{told:?}");
}

#[test]
fn a_clash_of_keys_is_told_with_both_actions_and_the_line() {
    let told = |file| read("gatewatch", &[], file).err().unwrap();
    assert_eq!(
        told("[keys]\ncopy = \"l\""),
        "c.toml:2: in [keys] `l` would mean both `copy` (line 2) and `logs` (default) (Dashboard); give one of them another \
         key, or none with []"
    );
    assert_eq!(
        told("[keys]\ncopy = \"X\"\nlogs = \"X\""),
        "c.toml:3: in [keys] `X` would mean both `copy` (line 2) and `logs` (line 3) (Dashboard); give one of them another \
         key, or none with []"
    );
    assert_eq!(
        told("[keys]\nkeep-filter = \"x\""),
        "c.toml:2: in [keys] `x` can't be a key of `keep-filter`, as it is typed there; give one that types nothing, like F2"
    );
}

#[test]
fn what_is_shown_says_where_each_value_came_from_and_is_a_file_that_sets_the_same() {
    let file = "namespace = \"gitlab\"\n[colours]\ndone = \"blue\"\n[keys]\nquit = [\"Q\"]\n";
    let config = read("gatewatch --redact", &[("GATEWATCH_THEME", "light")], file).unwrap();
    let shown = config.show();
    let path = config.place.path().unwrap().display().to_string();
    let line = |name: &str| {
        let starts = |line: &&str| line.trim_start_matches("# ").starts_with(&format!("{name} ="));
        let line = shown.lines().find(starts).unwrap();
        line.replace(&path, "c.toml").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("namespace"), "namespace = \"gitlab\" # c.toml:1");
    assert_eq!(line("redact"), "redact = true # --redact");
    assert_eq!(line("theme"), "theme = \"light\" # GATEWATCH_THEME");
    assert_eq!(line("context"), "# context = # default: the current one");
    assert_eq!(line("notify"), "# notify = \"failures\" # default");
    assert_eq!(line("done"), "done = \"blue\" # c.toml:3");
    assert_eq!(line("running"), "# running = \"#0969da\" # default", "of the light theme");
    assert_eq!(line("quit"), "quit = [\"Q\"] # c.toml:5");
    assert_eq!(line("back"), "# back = [\"Esc\"] # default");
    let again = read("gatewatch", &[], &shown).unwrap();
    // Where it came from differs, and the first lines name the file.
    let values = |config: &Config| {
        let shown = config.show();
        let values =
            shown.lines().skip(2).map(|line| line.split("  #").next().unwrap_or_default().trim_end().to_owned());
        values.collect::<Vec<_>>()
    };
    assert_eq!(values(&again), values(&config));
}

#[test]
fn the_defaults_that_are_shown_are_taken_as_they_stand() {
    let shown = read("gatewatch", &[], "").unwrap().show();
    let set = shown.lines().skip(2).filter_map(|line| match line.strip_prefix("# ") {
        Some(line) if line.contains(" = ") && !line.trim_end().contains("default: ") => Some(line),
        Some(_) => None,
        None => Some(line),
    });
    let text = set.collect::<Vec<_>>().join("\n");
    assert!(text.lines().count() > 55, "{text}");
    let taken = read("gatewatch", &[], &text).unwrap_or_else(|told| panic!("{told}\n{text}"));
    assert!(taken.keys.iter().all(|(_, keys)| keys.is_some()) && taken.colours.iter().all(|(_, one)| one.is_some()));
}
