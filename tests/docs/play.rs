//! A page, played: its commands in their order, as somebody types them who reads it.

use std::path::PathBuf;

use gatewatch::cli::{Cli, Command as Subcommand};
use gatewatch::cluster::Pick;

use crate::files::reads_recording;
use crate::page::{Block, Command, Page};
use crate::pty::Terminal;
use crate::shown::{Times, shows};
use crate::stage::{Home, Running};

/// What has to stand on a screen for it to be whole: the version of the instance; where something else was named, that all of
/// it was seen.
fn whole(command: &str) -> &'static str {
    let words = shlex::split(command).unwrap_or_default();
    let asked = ours(&words).and_then(|words| Cli::read(words).ok()?.asked());
    let upgrade = |pick: &Pick| matches!(pick, Pick::GitLabCore(_));
    match asked {
        _ if words.iter().any(|word| word == "jobs.json") => "replay",
        Some(asked) if !asked.picks().iter().any(upgrade) => "● live",
        _ => "18.",
    }
}

/// How many columns and rows a screen has that a page shows.
const SIZE: (u16, u16) = (80, 24);

/// Plays a page: the commands that were left out, each with the program that is not there.
///
/// # Errors
/// The first thing in which page and program differ, with its line.
pub fn play(page: &Page) -> Result<Vec<String>, String> {
    let home = Home::new();
    let mut left_out = Vec::new();
    for (line, words) in &page.quoted {
        is_taken(words).map_err(|error| format!("{}:{line}: `{words}`: {error}", page.name))?;
    }
    for (index, block) in page.blocks.iter().enumerate() {
        let at = |error: String| format!("{}:{}: {error}", page.name, block.line);
        let shown = index.checked_sub(1).and_then(|above| page.shown_below(above)).is_some();
        match block.language.as_str() {
            "sh" => left_out.extend(commands(page, block, block.commands(), page.shown_below(index), &home)?),
            "console" => typed(block).try_for_each(|words| is_sound(&home, words)).map_err(at)?,
            _ if shown && page.blocks[index - 1].language == "sh" => {}
            "text" if shown => {}
            _ => {
                let name = block.told("file").ok_or_else(|| at("nothing is compared with this block".into()))?;
                home.write(name, &block.text);
                if name == ".gitlab-ci.yml" {
                    left_out.extend(commands(page, block, scripts(block).map_err(at)?, None, &home)?);
                }
            }
        }
    }
    Ok(left_out)
}

/// Runs the commands of a block, beside a cluster of its own; what is shown below is what the last of them shows.
fn commands(
    page: &Page,
    block: &Block,
    commands: Vec<Command>,
    shown: Option<&Block>,
    home: &Home,
) -> Result<Vec<String>, String> {
    let _cluster = home.cluster(block.told("demo"));
    let (mut left_out, mut beside) = (Vec::new(), Vec::new());
    let last = commands.len().checked_sub(1);
    for (index, command) in commands.into_iter().enumerate() {
        let at = |error: String| format!("{}:{}: `{}`: {error}", page.name, command.line, command.text);
        if let Some(program) = home.lacks(&command.text) {
            // What follows in the block can need what this would have made.
            left_out.push(format!("{}:{} ({program})", page.name, command.line));
            break;
        }
        let shown = shown.filter(|_| Some(index) == last).map(|block| block.text.as_str());
        if command.until_control_c {
            let mut running = home.start(&format!("exec {}", command.text));
            running.is_under_way(output(home, &command.text).as_deref()).map_err(at)?;
            beside.push((command, running));
        } else if wants_a_terminal(&command.text) {
            on_a_terminal(home, &command, shown).map_err(at)?;
        } else {
            let ran = home.run(&command.text).map_err(at)?;
            held(&command, ran, shown).map_err(at)?;
        }
    }
    let end = |(command, running): (Command, Running)| {
        // Of other programs nothing is said of how they end.
        let asked =
            |(code, printed)| (if command.text.starts_with("gatewatch") { code } else { command.code }, printed);
        let ended = running.end(Some("INT")).and_then(|ran| held(&command, asked(ran), None));
        ended.map_err(|error| format!("{}:{}: `{}`: {error}", page.name, command.line, command.text))
    };
    beside.into_iter().try_for_each(end)?;
    Ok(left_out)
}

/// Holds how a command ended, and what it printed, against what the page says of it.
fn held(command: &Command, (code, printed): (i32, String), shown: Option<&str>) -> Result<(), String> {
    if code != command.code {
        return Err(format!("exit code {code} instead of {}\n{printed}", command.code));
    }
    match shown {
        Some(shown) if !shows(shown, &printed, times(&command.text)) => Err(format!("it prints\n{printed}")),
        _ => Ok(()),
    }
}

/// Times are those of a recording that is read, and else of now.
fn times(command: &str) -> Times {
    if reads_recording(command) { Times::Same } else { Times::Any }
}

/// Starts a screen, presses what the page says, looks for what it shows, and leaves it by its own key.
fn on_a_terminal(home: &Home, command: &Command, shown: Option<&str>) -> Result<(), String> {
    let mut terminal = home.on_a_terminal(&command.text).size(SIZE.0, SIZE.1).start();
    terminal.until("the first whole frame", |screen| {
        screen.alternate_screen() && screen.contents().contains(whole(&command.text))
    });
    for key in &command.keys {
        let before = terminal.text();
        terminal.type_keys(key);
        terminal.until("the moment that the key leads to", |screen| arrived(key, &before, &screen.contents()));
    }
    if let Some(shown) = shown {
        terminal.until(shown, |screen| shows(shown, &screen.contents(), times(&command.text)));
    }
    left(terminal, command.code)
}

/// Whether a screen is of the moment that a key leads to, as the keys that follow are of it. Other keys act at once.
fn arrived(key: &str, before: &str, now: &str) -> bool {
    let failed = |text: &str| text.lines().find(|line| line.contains(" failed, ")).map(str::to_owned);
    match key {
        "!" => failed(now).is_some() && failed(now) != failed(before),
        "$" => now.contains("replay ended"),
        _ => true,
    }
}

fn left(mut terminal: Terminal, code: i32) -> Result<(), String> {
    terminal.type_keys("\x03");
    let ended = terminal.end();
    terminal.assert_restored();
    match i32::try_from(ended.exit_code()) {
        Ok(ended) if ended == code => Ok(()),
        _ => Err(format!("it ended so: {ended}\n{}", terminal.text())),
    }
}

/// The file that a command's output goes to.
fn output(home: &Home, command: &str) -> Option<PathBuf> {
    let name = command.split(" > ").nth(1)?.split_whitespace().next()?;
    Some(home.work().join(name))
}

/// Whether a command shows our screens: then it is ours, and its output goes nowhere else.
fn wants_a_terminal(command: &str) -> bool {
    let words = shlex::split(command).unwrap_or_default();
    if words.iter().any(|word| word == ">" || word == "<") {
        return false;
    }
    match ours(words.rsplit(|word| word == "|").next().unwrap_or_default()).map(Cli::read) {
        Some(Ok(cli)) => match cli.command {
            None | Some(Subcommand::Replay(_)) => true,
            Some(Subcommand::Job(job)) => !job.lists(),
            Some(Subcommand::Rollout(_) | Subcommand::Gluesync(_) | Subcommand::Watch(_)) => true,
            Some(Subcommand::Demo(demo)) => !demo.list && !demo.serve,
            Some(_) => false,
        },
        Some(Err(_)) | None => false,
    }
}

/// The words of our command line, where it is ours.
fn ours(words: &[String]) -> Option<Vec<std::ffi::OsString>> {
    let variable = |word: &&String| {
        word.split_once('=').is_some_and(|(name, _)| name.chars().all(|char| char.is_ascii_uppercase() || char == '_'))
    };
    let words: Vec<String> = words.iter().skip_while(variable).cloned().collect();
    let words = match words.as_slice() {
        [own, ..] if own == "gatewatch" => words,
        [kubectl, own, rest @ ..] if kubectl == "kubectl" && own == "gatewatch" => {
            std::iter::once("kubectl-gatewatch".to_owned()).chain(rest.iter().cloned()).collect()
        }
        _ => return None,
    };
    Some(words.into_iter().map(Into::into).collect())
}

/// The commands of a `console` block, which are typed on another machine: those behind a prompt.
fn typed(block: &Block) -> impl Iterator<Item = &str> {
    block.text.lines().filter_map(|line| line.strip_prefix("$ "))
}

/// Whether a command that is not run could be one.
fn is_sound(home: &Home, command: &str) -> Result<(), String> {
    let quoted = shlex::try_quote(command).map_err(|error| format!("`{command}`: {error}"))?;
    match home.run(&format!("bash -n -c {quoted}"))? {
        (0, _) => is_taken(command),
        (_, printed) => Err(format!("`{command}` is no command: {printed}")),
    }
}

/// Whether our command line is one that the program takes.
fn is_taken(command: &str) -> Result<(), String> {
    let words = shlex::split(command).unwrap_or_default();
    let end = words.iter().position(|word| ["|", ">", "&&", ";"].contains(&word.as_str())).unwrap_or(words.len());
    match ours(&words[..end]).map(Cli::read) {
        Some(Err(error)) if error.use_stderr() => Err(error.to_string().lines().take(1).collect()),
        _ => Ok(()),
    }
}

/// The commands of the jobs of a pipeline.
fn scripts(block: &Block) -> Result<Vec<Command>, String> {
    let jobs: serde_json::Value = serde_saphyr::from_str(&block.text).map_err(|error| error.to_string())?;
    let jobs = jobs.as_object().ok_or("a pipeline is a mapping")?;
    let parts = jobs.values().flat_map(|job| ["script", "after_script"].map(|part| job[part].as_array()));
    let lines = parts.flatten().flatten().filter_map(|line| line.as_str());
    let commands = lines.map(|text| Command { line: block.line, text: text.to_owned(), ..Command::default() });
    let commands: Vec<Command> = commands.collect();
    if commands.is_empty() { Err("a pipeline without a command".into()) } else { Ok(commands) }
}

/// A page that is wrong in one thing fails, and one that is right does not.
pub fn holds_by_itself() {
    let played = |text: &str| play(&Page::read("page", text));
    let shown = "gitlab/gitlab: settled, 18.11.0\n…\n";
    let right = format!("```sh\ngatewatch status -f upgrade.jsonl.gz\n```\n\n```text\n{shown}```\n`gatewatch wait`\n");
    assert_eq!(played(&right), Ok(Vec::new()));
    for (from, to, why) in [
        ("settled", "failed", "it prints"),
        ("upgrade.jsonl.gz", "failed.jsonl.gz", "exit code 1 instead of 0"),
        ("upgrade.jsonl.gz", "another.jsonl.gz", "exit code 2 instead of 0"),
        ("gz\n```\n\n```text\n", "gz --no-such | cat\n```\n\n```text\n", "exit code 2 instead of 0"),
        ("```sh\n", "```\n", "nothing is compared"),
        ("\n```text", "so:\n```text", "nothing is compared"),
        ("`gatewatch wait`", "`gatewatch await`", "unrecognized subcommand"),
        ("```sh\n", "```console\n$ gatewatch status --no-such\n```\n```sh\n", "unexpected argument"),
    ] {
        let error = played(&right.replace(from, to)).expect_err(to);
        assert!(error.starts_with("page:") && error.contains(why), "{to}: {error}");
    }
    assert_eq!(played("```sh\ngatewatch status -f failed.jsonl.gz\n# exit code 1\n```\n"), Ok(Vec::new()));
    assert_eq!(
        played("<!-- demo: exhausted --speed 1e9 -->\n```sh\ngatewatch status   # exit code 1\n```\n"),
        Ok(Vec::new())
    );
}
