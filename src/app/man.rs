//! The manual: a page for each command, made of its help; the first one also of the settings.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};

use super::printed;
use crate::cli::{Cli, ManArgs, Program};
use crate::config::{Config, Described, described};
use crate::error::{ExitCode, ExpectedError};

/// What it is, in one line.
const ABOUT: &str = "watch zero-downtime GitLab upgrades on Kubernetes";

/// Prints the first page, or writes all of them.
pub(super) fn man(cli: &Cli, args: &ManArgs) -> Result<ExitCode, ExpectedError> {
    let settings = described(Config::of_flags(cli));
    let mut command = Program::running().command().disable_help_subcommand(true);
    // What it is becomes the description, and one line of it the name.
    let described = command.get_about().cloned().unwrap_or_default();
    command = command.about(ABOUT).long_about(described);
    command.build();
    let Some(folder) = &args.dir else {
        let page = page(&command, &settings).map_err(cannot)?;
        return printed(io::stdout().lock().write_all(&page), ExitCode::Settled);
    };
    let into = |error: io::Error| ExpectedError::usage(format!("cannot write into `{}`: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(into)?;
    write(folder, &command, &settings).map_err(into)?;
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write(folder, subcommand, &[]).map_err(into)?;
    }
    Ok(ExitCode::Settled)
}

fn cannot(error: io::Error) -> ExpectedError {
    ExpectedError::usage(format!("cannot make the manual: {error}"))
}

fn write(folder: &Path, command: &Command, settings: &[Described]) -> io::Result<()> {
    let name = Man::new(command.clone()).get_filename();
    fs::write(folder.join(name), page(command, settings)?)
}

/// The page of a command, with the settings where there are any.
fn page(command: &Command, settings: &[Described]) -> io::Result<Vec<u8>> {
    // A date would make each build another one.
    let man = Man::new(command.clone()).manual("gatewatch").source(concat!("gatewatch ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut more = Roff::default();
    if let Some(help) = command.get_after_help() {
        below(&help.to_string(), &mut more);
    }
    if !settings.is_empty() {
        configuration(settings, &mut more);
    }
    more.to_writer(&mut page)?;
    Ok(page)
}

/// What stands below the options in help: each paragraph under a heading of its own.
fn below(help: &str, roff: &mut Roff) {
    for paragraph in help.split("\n\n") {
        if let Some(examples) = paragraph.strip_prefix("Examples:\n") {
            roff.control("SH", ["EXAMPLES"]);
            roff.control("nf", []);
            for line in examples.lines() {
                roff.text([roman(line.trim_start())]);
            }
            roff.control("fi", []);
            continue;
        }
        let (heading, text) = match paragraph.strip_prefix("Exit codes: ") {
            Some(codes) => ("EXIT STATUS", codes),
            None => ("NOTES", paragraph),
        };
        roff.control("SH", [heading]);
        roff.text([roman(text.replace('\n', " "))]);
    }
}

/// The settings, where they are read from, and what else is read and kept.
fn configuration(settings: &[Described], roff: &mut Roff) {
    roff.control("SH", ["CONFIGURATION"]);
    roff.text([roman(
        "A file of TOML sets what need not be said each time. A flag outweighs a variable of the environment, and that the \
         file. A name that is no setting, a value that it does not take and keys that clash are errors. gatewatch config shows \
         what is set, and where that came from.",
    )]);
    let mut section = None;
    for setting in settings {
        if setting.section != section {
            section = setting.section;
            roff.control("SS", [format!("[{}]", section.unwrap_or_default()).as_str()]);
        }
        roff.control("TP", []);
        roff.text([bold(setting.name)]);
        let variable = setting.variable.as_ref().map(|name| format!("; ${name} sets the same")).unwrap_or_default();
        let text = match section {
            // What they take is said once.
            Some(_) => format!("{}. Default: {}", setting.tells, setting.default),
            None => format!("{}. Takes {}{variable}. Default: {}", setting.tells, setting.takes, setting.default),
        };
        roff.text([roman(text)]);
    }
    for section in ["colours", "keys"] {
        if let Some(setting) = settings.iter().find(|setting| setting.section == Some(section)) {
            roff.control("PP", []);
            roff.text([roman(format!("Each of [{section}] takes {}.", setting.takes))]);
        }
    }
    roff.control("SH", ["ENVIRONMENT"]);
    for (name, tells) in [
        ("GATEWATCH_…", "see CONFIGURATION; GATEWATCH_CONFIG names the file"),
        ("KUBECONFIG", "where clusters are found, as kubectl finds them"),
        ("NO_COLOR", "where it is set, there are no colours"),
        ("COLORTERM, TERM", "how many colours there are"),
        ("LC_ALL, LC_CTYPE, LANG", "whether more than ASCII can be drawn"),
    ] {
        roff.control("TP", []);
        roff.text([bold(name)]);
        roff.text([roman(tells)]);
    }
    roff.control("SH", ["FILES"]);
    for (path, tells) in [
        ("$XDG_CONFIG_HOME/gatewatch/config.toml", "the settings; without that variable, under ~/.config"),
        ("$XDG_STATE_HOME/gatewatch", "what is kept of each upgrade; without that variable, under ~/.local/state"),
    ] {
        roff.control("TP", []);
        roff.text([italic(path)]);
        roff.text([roman(tells)]);
    }
    roff.control("SH", ["SEE ALSO"]);
    roff.text([bold("kubectl"), roman("(1)")]);
}
