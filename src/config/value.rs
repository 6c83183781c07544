//! How each kind of value is written, in the file and in a variable.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use toml::de::DeValue;

use crate::cluster::{Colour, is_namespace};
use crate::notify::Notify;
use crate::tui::{Background, Key};

/// A value of a setting.
pub(super) trait Value: Sized + Clone {
    /// What is taken, after "takes".
    fn takes() -> String;

    /// Reads it as a variable of the environment holds it, and the file where it holds a text; `None` where it takes
    /// something else.
    fn of_text(text: &str) -> Option<Self>;

    /// Reads it as the file holds it.
    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().and_then(Self::of_text)
    }

    /// It as the file would hold it.
    fn toml(&self) -> String;
}

/// Which namespaces are watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watched {
    /// All of them.
    All,
    /// That one.
    One(String),
}

/// The keys of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys(pub Vec<Key>);

/// A file, as its path was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File(pub(super) PathBuf);

impl Value for Watched {
    fn takes() -> String {
        "the name of a namespace, or \"*\" for all of them".into()
    }

    fn of_text(text: &str) -> Option<Self> {
        match text {
            "*" => Some(Self::All),
            name => is_namespace(name).then(|| Self::One(name.to_owned())),
        }
    }

    fn toml(&self) -> String {
        match self {
            Self::All => quoted("*"),
            Self::One(name) => quoted(name),
        }
    }
}

impl Value for String {
    fn takes() -> String {
        "a name".into()
    }

    fn of_text(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn toml(&self) -> String {
        quoted(self)
    }
}

impl Value for File {
    fn takes() -> String {
        "an absolute path, or one that begins with ~/".into()
    }

    /// As in `$KUBECONFIG` a path may be one from the current folder here, but in a file it would be another file each time.
    fn of_text(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self(text.into()))
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        let text = value.as_str()?;
        (Path::new(text).is_absolute() || text.starts_with("~/")).then(|| Self(text.into()))
    }

    fn toml(&self) -> String {
        quoted(&self.0.to_string_lossy())
    }
}

impl Value for bool {
    fn takes() -> String {
        "true or false".into()
    }

    fn of_text(text: &str) -> Option<Self> {
        match text {
            "true" | "1" | "yes" => Some(true),
            "false" | "0" | "no" => Some(false),
            _ => None,
        }
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_bool()
    }

    fn toml(&self) -> String {
        self.to_string()
    }
}

/// What is one of a few words takes those that its flag takes.
macro_rules! words {
    ($type:ty) => {
        impl Value for $type {
            fn takes() -> String {
                let words = Self::value_variants().iter().map(Value::toml);
                words.collect::<Vec<_>>().join(" or ")
            }

            fn of_text(text: &str) -> Option<Self> {
                <Self as ValueEnum>::from_str(text, false).ok()
            }

            fn toml(&self) -> String {
                quoted(self.to_possible_value().as_ref().map_or("", |value| value.get_name()))
            }
        }
    };
}

words!(Notify);
words!(Background);

/// The 16 colours that terminals have names for, in the order in which they number them.
const COLOURS: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

impl Value for Colour {
    fn takes() -> String {
        format!("\"#rrggbb\", or one of {} and bright-red etc.", COLOURS[..8].join(", "))
    }

    fn of_text(text: &str) -> Option<Self> {
        if let Some(digits) = text.strip_prefix('#').filter(|digits| digits.len() == 6) {
            let number = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
            let [_, red, green, blue] = number.to_be_bytes();
            return Some(Self::Rgb(red, green, blue));
        }
        let index = COLOURS.iter().position(|name| *name == text)?;
        Some(Self::Indexed(index.try_into().ok()?))
    }

    fn toml(&self) -> String {
        match *self {
            Self::Rgb(red, green, blue) => format!("\"#{red:02x}{green:02x}{blue:02x}\""),
            Self::Indexed(index) => quoted(COLOURS.get(usize::from(index)).copied().unwrap_or_default()),
        }
    }
}

impl Value for Keys {
    fn takes() -> String {
        "a key or a list of keys, as in \"c\", \"Space\", \"Ctrl-F\", \"F5\", \"PgUp\"".into()
    }

    fn of_text(text: &str) -> Option<Self> {
        Some(Self(vec![text.parse().ok()?]))
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        let Some(keys) = value.as_array() else { return value.as_str().and_then(Self::of_text) };
        let keys = keys.iter().map(|key| key.get_ref().as_str()?.parse().ok());
        keys.collect::<Option<_>>().map(Self)
    }

    fn toml(&self) -> String {
        let keys: Vec<String> = self.0.iter().map(|key| quoted(&key.label(true))).collect();
        format!("[{}]", keys.join(", "))
    }
}

/// A text as a basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            character if character.is_control() => quoted += &format!("\\u{:04X}", u32::from(character)),
            character => quoted.push(character),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    fn read<T: Value>(toml: &str) -> Option<T> {
        T::of_toml(DeValue::parse(toml).unwrap().get_ref())
    }

    fn comes_back<T: Value + Debug + PartialEq>(value: T) {
        assert_eq!(read(&value.toml()), Some(value));
    }

    #[test]
    fn what_is_shown_is_read_as_the_same() {
        comes_back(Watched::All);
        comes_back(Watched::One("gitlab".into()));
        for name in ["arn:aws:eks:eu-west-1:1:cluster/a", "a \"b\" \\ c", "\u{7f}\u{1b}\n\u{85}é"] {
            comes_back(name.to_owned());
        }
        comes_back(File("/home/a b/\"x\"".into()));
        comes_back(true);
        Notify::value_variants().iter().for_each(|notify| comes_back(*notify));
        Background::value_variants().iter().for_each(|background| comes_back(*background));
        (0..16).for_each(|index| comes_back(Colour::Indexed(index)));
        comes_back(Colour::Rgb(1, 0xab, 255));
        comes_back(Keys(vec![]));
        comes_back(Keys(["\"", "\\", "Space", "Ctrl-F", "PgUp", "F5", "é"].map(|key| key.parse().unwrap()).into()));
    }

    #[test]
    fn a_value_of_another_type_is_none() {
        assert_eq!(read::<Watched>("\"Not_A_Name\""), None);
        assert_eq!(read::<Watched>("1"), None);
        assert_eq!(read::<bool>("\"true\""), None);
        assert_eq!(read::<Notify>("\"sometimes\""), None);
        assert_eq!(read::<File>("\"kubeconfig\""), None, "it would be another file in every folder");
        for wrong in ["\"#12345\"", "\"#+12345\"", "\"#1234567\"", "\"pink\"", "7"] {
            assert_eq!(read::<Colour>(wrong), None, "{wrong}");
        }
        for wrong in ["\"cc\"", "[\"c\", 1]", "\"\"", "1"] {
            assert_eq!(read::<Keys>(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_variable_says_yes_and_no_in_several_ways() {
        for (text, means) in [("true", Some(true)), ("1", Some(true)), ("no", Some(false)), ("0", Some(false))] {
            assert_eq!(bool::of_text(text), means);
        }
        assert_eq!(bool::of_text("on please"), None);
    }
}
