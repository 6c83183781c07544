//! Text that came from elsewhere, as code: what stands in code is shown as it is, by every reader of Markdown.

/// As code within a line.
pub(super) fn inline(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return String::new();
    }
    let longest = line.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A backquote at an end would become part of the fence.
    let room = if longest > 0 { " " } else { "" };
    format!("{fence}{room}{line}{room}{fence}")
}

/// As code within a cell of a table, where a bar ends the cell unless a backslash stands before it. Between a backslash of
/// the text and a bar comes a space: two backslashes would let the bar end the cell.
pub(super) fn inline_in_table(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '|' {
            escaped.push_str(if escaped.ends_with('\\') { " \\" } else { "\\" });
        }
        escaped.push(character);
    }
    inline(&escaped)
}

/// As a block of code. Each line is indented by four spaces: no line in it can end the block, and none begins with a slash.
pub(super) fn block<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let lines = lines.into_iter().flat_map(|line| line.split('\n'));
    lines.map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_fenced_by_more_backquotes_than_it_holds() {
        assert_eq!(inline("PG::Bad: @root <b> [x](y)"), "`PG::Bad: @root <b> [x](y)`");
        assert_eq!(inline("a `b` c"), "`` a `b` c ``");
        assert_eq!(inline("``"), "``` `` ```");
        assert_eq!(inline("one\n/close\n"), "`one /close`");
        assert_eq!(inline(" \n"), "");
    }

    #[test]
    fn a_bar_never_ends_a_cell() {
        assert_eq!(inline_in_table("a|b||c"), r"`a\|b\|\|c`");
        assert_eq!(inline_in_table(r"a\|b"), r"`a\ \|b`");
        assert_eq!(inline_in_table(r"a\\|b\"), r"`a\\ \|b\`");
    }

    #[test]
    fn no_line_of_a_block_can_end_it() {
        assert_eq!(block(["```", "/close", "two\nof them"]), "    ```\n    /close\n    two\n    of them\n");
        assert_eq!(block(["a", "", "b"]), "    a\n\n    b\n");
    }
}
