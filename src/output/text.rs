//! Words for people, wrapped at a width.

use unicode_width::UnicodeWidthStr;

/// How wide a line for people may be. Only a command, and a word that is longer, are wider: they are never cut.
pub(super) const WIDTH: usize = 80;

/// `text` in lines no wider than `width` columns. A word is never broken, so that a name can be copied: one that is
/// wider stands on a line of its own. Line breaks of the text stay, blank lines go.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// Lines, each with its end.
pub(super) fn lines(lines: Vec<String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_by_columns_and_never_inside_a_word() {
        assert_eq!(wrap("one two three\n\nfour", 8), ["one two", "three", "four"]);
        assert_eq!(wrap("日本 日本", 8), ["日本", "日本"]);
        assert_eq!(wrap("registry.test/gitlab/toolbox:v1 x", 8), ["registry.test/gitlab/toolbox:v1", "x"]);
    }
}
