//! Label selectors: their grammar, what they say, and the words in which Kubernetes refuses one.

mod scan;

use std::collections::BTreeSet;

use serde_json::Value;

use scan::{Word, words};

/// A label selector: all of its requirements have to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelSelector {
    text: String,
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Test {
    Exists,
    Missing,
    In(BTreeSet<String>),
    NotIn(BTreeSet<String>),
    MoreThan(i64),
    LessThan(i64),
}

/// What a name is made of; the words are those of Kubernetes.
const NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
    alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
/// The same of a value.
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
    must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
    validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

impl LabelSelector {
    /// Reads a selector.
    ///
    /// # Errors
    /// What is wrong with it, in the words of Kubernetes.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut parser = Parser { words: words(text), at: 0 };
        let mut requirements = Vec::new();
        loop {
            match parser.peek() {
                Word::Name(_) | Word::Sign("!") => {
                    let requirement =
                        parser.requirement().map_err(|error| format!("unable to parse requirement: {error}"))?;
                    requirements.push(requirement);
                    match parser.next() {
                        Word::End => break,
                        Word::Sign(",") => match parser.peek() {
                            Word::Name(_) | Word::Sign("!") => {}
                            other => {
                                return Err(format!("found '{}', expected: identifier after ','", other.written()));
                            }
                        },
                        other => {
                            return Err(format!("found '{}', expected: ',' or 'end of string'", other.written()));
                        }
                    }
                }
                Word::End => break,
                other => {
                    return Err(format!("found '{}', expected: !, identifier, or 'end of string'", other.written()));
                }
            }
        }
        Ok(Self { text: text.to_owned(), requirements })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it selects everything.
    pub fn is_all(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether it selects an object.
    pub fn select(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.holds(|key| labels.get(key).and_then(Value::as_str))
    }

    /// Whether it selects what has these labels.
    pub fn holds<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| requirement.holds(label(&requirement.key)))
    }
}

impl Requirement {
    fn holds(&self, label: Option<&str>) -> bool {
        let number = label.and_then(|label| label.parse::<i64>().ok());
        match &self.test {
            Test::Exists => label.is_some(),
            Test::Missing => label.is_none(),
            Test::In(values) => label.is_some_and(|label| values.contains(label)),
            Test::NotIn(values) => label.is_none_or(|label| !values.contains(label)),
            Test::MoreThan(than) => number.is_some_and(|number| number > *than),
            Test::LessThan(than) => number.is_some_and(|number| number < *than),
        }
    }
}

struct Parser<'a> {
    words: Vec<Word<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Word<'a> {
        self.words.get(self.at).copied().unwrap_or(Word::End)
    }

    fn next(&mut self) -> Word<'a> {
        let word = self.peek();
        self.at += 1;
        word
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let missing = self.peek() == Word::Sign("!");
        if missing {
            self.next();
        }
        let key = match self.next() {
            Word::Name(name) => name,
            other => return Err(format!("found '{}', expected: identifier", other.written())),
        };
        check_key(key)?;
        if missing {
            return Ok(Requirement { key: key.to_owned(), test: Test::Missing });
        }
        let test = match self.peek() {
            Word::End | Word::Sign(",") => Test::Exists,
            _ => self.test(key)?,
        };
        Ok(Requirement { key: key.to_owned(), test })
    }

    fn test(&mut self, key: &str) -> Result<Test, String> {
        let operator = self.next();
        let test = match operator {
            Word::Name("in") => Test::In(self.values(key)?),
            Word::Name("notin") => Test::NotIn(self.values(key)?),
            Word::Sign("=" | "==") => Test::In(BTreeSet::from([self.value(key)?])),
            Word::Sign("!=") => Test::NotIn(BTreeSet::from([self.value(key)?])),
            Word::Sign(">") => Test::MoreThan(self.number(key)?),
            Word::Sign("<") => Test::LessThan(self.number(key)?),
            other => {
                return Err(format!("found '{}', expected: in, notin, =, ==, !=, gt, lt", other.written()));
            }
        };
        Ok(test)
    }

    fn value(&mut self, key: &str) -> Result<String, String> {
        let value = match self.peek() {
            Word::End | Word::Sign(",") => "",
            Word::Name(name) => {
                self.next();
                name
            }
            other @ Word::Sign(_) => return Err(format!("found '{}', expected: identifier", other.written())),
        };
        check_value(0, key, value)?;
        Ok(value.to_owned())
    }

    fn number(&mut self, key: &str) -> Result<i64, String> {
        let value = self.value(key)?;
        value.parse().map_err(|_| {
            format!("values[0]: Invalid value: {value:?}: for 'Gt', 'Lt' operators, the value must be an integer")
        })
    }

    fn values(&mut self, key: &str) -> Result<BTreeSet<String>, String> {
        match self.next() {
            Word::Sign("(") => {}
            other => return Err(format!("found '{}' expected: '('", other.written())),
        }
        let mut values = Vec::new();
        loop {
            match self.next() {
                Word::Name(name) => {
                    values.push(name);
                    match self.next() {
                        Word::Sign(",") => {}
                        Word::Sign(")") => break,
                        other => return Err(format!("found '{}', expected: ',' or ')'", other.written())),
                    }
                }
                // An empty value, between commas or at either end.
                Word::Sign(",") => values.push(""),
                Word::Sign(")") => {
                    values.push("");
                    break;
                }
                other => return Err(format!("found '{}', expected: ',', ')' or identifier", other.written())),
            }
        }
        for (at, value) in values.iter().enumerate() {
            check_value(at, key, value)?;
        }
        Ok(values.into_iter().map(str::to_owned).collect())
    }
}

fn check_key(key: &str) -> Result<(), String> {
    let name = key.rsplit_once('/').map_or(key, |(_, name)| name);
    if name.is_empty() || !is_name(name) {
        return Err(format!("<nil>: Invalid value: {key:?}: {NAME}"));
    }
    Ok(())
}

fn check_value(at: usize, key: &str, value: &str) -> Result<(), String> {
    if value.is_empty() || is_name(value) {
        return Ok(());
    }
    Err(format!("values[{at}][{key}]: Invalid value: {value:?}: {VALUE}"))
}

fn is_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let outer = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    bytes.len() <= 63 && bytes.iter().all(|byte| inner(*byte)) && outer(bytes.first()) && outer(bytes.last())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn selects(selector: &str, labels: &[(&str, &str)]) -> bool {
        let labels: Value = labels.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
        LabelSelector::read(selector).unwrap().select(&json!({"metadata": {"labels": labels}}))
    }

    #[test]
    fn every_operator_selects_as_it_says() {
        let app = [("app", "web"), ("n", "5")];
        for selector in [
            "",
            "app",
            "app=web",
            "app == web",
            "app!=db",
            "app in (db, web)",
            "app notin (db)",
            "!tier",
            "tier!=a",
            "tier notin (a)",
            "n>4",
            "n<6",
            "app=web,n=5,!tier",
            "app in (web,)",
        ] {
            assert!(selects(selector, &app), "{selector}");
        }
        for selector in
            ["tier", "app=", "app=db", "app!=web", "app in (db)", "!app", "app notin (db,web)", "n>5", "app>1", "tier="]
        {
            assert!(!selects(selector, &app), "{selector}");
        }
        assert!(selects("tier=", &[("tier", "")]));
        assert!(selects("tier in ()", &[("tier", "")]));
        assert!(selects("a.example/tier=x", &[("a.example/tier", "x")]));
    }

    #[test]
    fn an_object_without_labels_has_none() {
        assert!(LabelSelector::read("!app").unwrap().select(&json!({"metadata": {}})));
        assert!(!LabelSelector::read("app").unwrap().select(&json!({})));
    }

    #[test]
    fn what_is_no_selector_is_refused_in_the_words_of_kubernetes() {
        // Seen on Kubernetes 1.37.
        for (selector, expected) in [
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("!!a", "unable to parse requirement: found '!', expected: identifier"),
            ("a=b=c", "found '=', expected: ',' or 'end of string'"),
            (
                "a<b",
                "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
            ("a,,b", "found ',', expected: identifier after ','"),
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
            ("(", "found '(', expected: !, identifier, or 'end of string'"),
        ] {
            assert_eq!(LabelSelector::read(selector), Err(expected.to_owned()), "{selector}");
        }
        let key = LabelSelector::read("-a").unwrap_err();
        assert!(
            key.starts_with("unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist"),
            "{key}"
        );
        let value = LabelSelector::read("a=-b").unwrap_err();
        assert!(
            value.starts_with("unable to parse requirement: values[0][a]: Invalid value: \"-b\": a valid label"),
            "{value}"
        );
    }
}
