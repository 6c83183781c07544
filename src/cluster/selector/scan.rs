//! The words that label selectors are made of, as Kubernetes takes them apart.

/// A word of a label selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    /// One of the signs: `(`, `)`, `,`, `!`, `=`, `==`, `!=`, `<`, `>`.
    Sign(&'a str),
    /// A key, a value, or a word that stands for an operator.
    Name(&'a str),
    /// There is no more.
    End,
}

impl<'a> Word<'a> {
    /// The word as it was written.
    pub(super) fn written(self) -> &'a str {
        match self {
            Self::Sign(text) | Self::Name(text) => text,
            Self::End => "",
        }
    }
}

/// Takes a selector apart.
pub(super) fn words(mut text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    loop {
        text = text.trim_start_matches([' ', '\t', '\r', '\n']);
        if text.is_empty() {
            return words;
        }
        // Longer signs stand before those they begin with.
        let sign = ["==", "!=", "=", "!", "(", ")", ",", "<", ">"].into_iter().find(|sign| text.starts_with(sign));
        let end = match sign {
            Some(sign) => sign.len(),
            None => text.find([' ', '\t', '\r', '\n', '=', '!', '(', ')', ',', '<', '>']).unwrap_or(text.len()),
        };
        let (word, rest) = text.split_at(end);
        words.push(if sign.is_some() { Word::Sign(word) } else { Word::Name(word) });
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_end_a_name_and_need_no_space() {
        let written: Vec<&str> = words("a==b, c!=d,e in(f),!g").into_iter().map(Word::written).collect();
        assert_eq!(written, ["a", "==", "b", ",", "c", "!=", "d", ",", "e", "in", "(", "f", ")", ",", "!", "g"]);
        assert_eq!(words(" \t"), []);
    }
}
