//! A page of the documentation: its blocks of code, what is told of them, and the commands in them.

use std::path::Path;

/// A page.
#[derive(Debug)]
pub struct Page {
    /// Its path from the root of the project.
    pub name: String,
    /// Its blocks of code, in their order.
    pub blocks: Vec<Block>,
    /// What it says of commands in its sentences, in backquotes, with the line.
    pub quoted: Vec<(usize, String)>,
    /// The files of the project that it leads to, with the line.
    pub links: Vec<(usize, String)>,
}

/// A block of code between its fences.
#[derive(Debug)]
pub struct Block {
    /// The line of its first fence.
    pub line: usize,
    /// The word behind the fence.
    pub language: String,
    /// What is told of it in a comment that stands above: `demo` and `file`.
    pub told: Vec<(String, String)>,
    /// Its lines.
    pub text: String,
    /// Whether nothing but blank lines is between it and the block before.
    pub follows: bool,
}

/// A command, and what its comment says of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    pub line: usize,
    /// As a shell takes it, the comment included.
    pub text: String,
    /// `exit code 3`.
    pub code: i32,
    /// `press: ! l Enter`, as a terminal sends them.
    pub keys: Vec<String>,
    /// `until Ctrl-C`: it goes on beside the commands below it.
    pub until_control_c: bool,
}

impl Page {
    pub fn open(root: &Path, name: &str) -> Self {
        let text = std::fs::read_to_string(root.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self::read(name, &text)
    }

    pub fn read(name: &str, text: &str) -> Self {
        let mut page = Self { name: name.to_owned(), blocks: Vec::new(), quoted: Vec::new(), links: Vec::new() };
        let (mut open, mut follows, mut told) = (None::<Block>, false, Vec::new());
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(mut block) = open.take() {
                if line == "```" {
                    page.blocks.push(block);
                    follows = true;
                } else {
                    block.text += &format!("{line}\n");
                    open = Some(block);
                }
            } else if let Some(language) = line.strip_prefix("```") {
                let (language, told) = (language.to_owned(), std::mem::take(&mut told));
                open = Some(Block { line: number, language, told, text: String::new(), follows });
            } else if let Some(comment) = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")) {
                let (name, value) = comment.split_once(": ").unwrap_or((comment, ""));
                told.push((name.to_owned(), value.to_owned()));
            } else if !line.is_empty() {
                follows = false;
                told.clear();
                page.quoted.extend(quoted(line).map(|words| (number, words.to_owned())));
                page.links.extend(links(line).map(|link| (number, link.to_owned())));
            }
        }
        assert!(open.is_none(), "{name} ends within a block of code");
        page
    }

    /// The block whose output or screen stands directly below that one.
    pub fn shown_below(&self, index: usize) -> Option<&Block> {
        self.blocks.get(index + 1).filter(|below| below.follows && below.told.is_empty() && !below.is_commands())
    }
}

impl Block {
    /// Whether its lines are commands that are run.
    pub fn is_commands(&self) -> bool {
        self.language == "sh" || self.language == "console"
    }

    /// What a comment above it tells of that name.
    pub fn told(&self, name: &str) -> Option<&str> {
        self.told.iter().find(|(told, _)| told == name).map(|(_, value)| value.as_str())
    }

    /// The commands in it: one a line, unless a line ends in a backslash. A comment that stands alone is of the command above.
    pub fn commands(&self) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        let mut begun: Option<Command> = None;
        for (index, line) in self.text.lines().enumerate() {
            let number = self.line + 1 + index;
            if let Some(mut command) = begun.take() {
                command.text += &format!("\n{line}");
                begun = Some(command);
            } else if let Some(comment) = line.strip_prefix('#') {
                if let Some(above) = commands.last_mut() {
                    above.note(comment);
                }
                continue;
            } else if !line.trim().is_empty() {
                begun = Some(Command { line: number, text: line.to_owned(), ..Command::default() });
            }
            if !line.ends_with('\\') {
                commands.extend(begun.take().map(Command::noted));
            }
        }
        commands.extend(begun);
        commands
    }
}

impl Command {
    fn noted(mut self) -> Self {
        if let Some((_, comment)) = self.text.clone().rsplit_once(" # ") {
            self.note(comment);
        }
        self
    }

    fn note(&mut self, comment: &str) {
        for part in comment.split(';').map(str::trim) {
            if let Some(code) = part.strip_prefix("exit code ") {
                self.code = code.parse().unwrap_or_else(|_| panic!("line {}: `{code}` is no exit code", self.line));
            } else if let Some(keys) = part.strip_prefix("press: ") {
                self.keys = keys.split(' ').map(typed).collect();
            }
            self.until_control_c |= part.ends_with("until Ctrl-C");
        }
    }
}

/// What a terminal gets of a key that is named as help names it.
fn typed(key: &str) -> String {
    match key {
        "Enter" => "\r".into(),
        "Esc" => "\x1b".into(),
        "Space" => " ".into(),
        "Tab" => "\t".into(),
        one if one.chars().count() == 1 => one.into(),
        other => panic!("no key is called `{other}`"),
    }
}

/// The commands of ours in backquotes.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).filter(|words| words.starts_with("gatewatch ") && !words.contains('…'))
}

/// Where its links lead to within the project, without the place in a file.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.map(|target| target.split('#').next().unwrap_or_default());
    files.filter(|file| !file.is_empty() && !file.contains("://"))
}
