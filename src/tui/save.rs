//! A text becomes a file: under a name that is free, so that nothing is ever overwritten.

use std::fs::{File, remove_file};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The longest name, in bytes: file systems end at 255, and a number may be added.
const LONGEST: usize = 200;
/// How many names are tried.
const TRIES: u32 = 1000;

/// Saves a text in a folder under that name, or with `-2`, `-3`, … before the name's ending where that is taken. Says which
/// file it is, or in words why it could not be saved.
pub fn save(folder: &Path, name: &str, text: &str) -> Result<String, String> {
    let name = file_name(name);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, "txt"));
    for number in 1..=TRIES {
        let name = if number == 1 { format!("{stem}.{ending}") } else { format!("{stem}-{number}.{ending}") };
        let path = folder.join(&name);
        match File::create_new(&path) {
            Ok(mut file) => {
                return match file.write_all(text.as_bytes()) {
                    Ok(()) => Ok(format!("./{name}")),
                    Err(error) => {
                        // Half a log would pass for a whole one.
                        let _ = remove_file(&path);
                        Err(why(&error))
                    }
                };
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(why(&error)),
        }
    }
    Err(format!("`{stem}.{ending}` and {TRIES} names like it are taken"))
}

/// Why nothing was saved, in so few words that a narrow terminal shows them: the name would take all of its room.
fn why(error: &std::io::Error) -> String {
    let words = error.to_string();
    format!("not saved in the current directory: {}", words.split(" (os error ").next().unwrap_or(&words))
}

/// A name that stays in its folder, and that a shell takes for a file.
fn file_name(name: &str) -> String {
    let kept = |character: char| match character {
        '/' | '\\' | ':' => '_',
        character if character.is_control() || character.is_whitespace() => '_',
        character => character,
    };
    let mut name: String = name.chars().map(kept).collect();
    if name.starts_with(['.', '-', '~']) {
        name.insert(0, '_');
    }
    if name.len() > LONGEST {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, "txt"));
        let mut end = LONGEST.saturating_sub(ending.len() + 1).min(stem.len());
        while !stem.is_char_boundary(end) {
            end -= 1;
        }
        name = format!("{}.{ending}", &stem[..end]);
    }
    name
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let saved = |text| save(folder.path(), "mig-attempt-3-migrations.log", text);
        assert_eq!(saved("one"), Ok("./mig-attempt-3-migrations.log".into()));
        assert_eq!(saved("two"), Ok("./mig-attempt-3-migrations-2.log".into()));
        assert_eq!(saved("three"), Ok("./mig-attempt-3-migrations-3.log".into()));
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("mig-attempt-3-migrations.log"), "one");
        assert_eq!(read("mig-attempt-3-migrations-2.log"), "two");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_nowhere_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("elsewhere");
        std::os::unix::fs::symlink(&target, folder.path().join("mig.log")).unwrap();
        assert_eq!(save(folder.path(), "mig.log", "x"), Ok("./mig-2.log".into()));
        assert!(!target.exists());
    }

    #[test]
    fn a_hostile_name_stays_in_the_folder() {
        for (name, kept) in [
            ("../../etc/passwd.log", "_.._.._etc_passwd.log"),
            ("-rf.log", "_-rf.log"),
            ("a\u{1b}[2J\nb.log", "a_[2J_b.log"),
            ("c:\\x.log", "c__x.log"),
        ] {
            assert_eq!(file_name(name), kept);
        }
        let long = file_name(&format!("{}.log", "ä".repeat(400)));
        assert!(long.len() <= LONGEST && long.ends_with("ä.log"), "{long}");
    }

    #[test]
    fn what_cannot_be_saved_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let told = save(&folder.path().join("missing"), "mig.log", "x").unwrap_err();
        assert_eq!(told, "not saved in the current directory: No such file or directory");
    }
}
