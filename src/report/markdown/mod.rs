//! A report as Markdown, for an issue or a change ticket. Only what every dialect knows is used.
//!
//! Whatever came from elsewhere stands as code, where neither GitLab nor another reader of it looks for mentions, links,
//! HTML or quick actions; lines of a log are indented by four spaces, which nothing in them can end.
//!
//! | file | holds |
//! |---|---|
//! | `code` | text as code |
//! | `chart` | the time line, in characters |

mod chart;
mod code;

use self::code::{inline, inline_in_table};
use super::document::{Block, Document, Piece, Text, Times};

/// The most lines of the end of a log: a ticket is no log.
const MOST_LINES: usize = 20;

/// The document as a file.
pub(super) fn write(document: &Document<'_>) -> String {
    let parts: Vec<String> = document.blocks.iter().map(|block| block_text(block, document.times)).collect();
    parts.join("\n")
}

fn block_text(block: &Block<'_>, times: Times) -> String {
    match block {
        Block::Heading(level, text) => format!("{} {}\n", "#".repeat(usize::from(*level)), line(text, times, inline)),
        Block::Paragraph(text) => line(text, times, inline) + "\n",
        Block::Facts(facts) => {
            let rows = facts.iter().map(|(name, text)| row(&[(*name).to_owned(), cell(text, times)]));
            "| | |\n|---|---|\n".to_owned() + &rows.collect::<String>()
        }
        Block::Table { columns, rows } => {
            let head: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
            let rows = rows.iter().map(|cells| row(&cells.iter().map(|text| cell(text, times)).collect::<Vec<_>>()));
            row(&head) + &"|---".repeat(head.len()) + "|\n" + &rows.collect::<String>()
        }
        Block::Log(lines) => code::block(lines.iter().map(String::as_str)),
        Block::Tail(summary, lines) => {
            let last = lines.iter().skip(lines.len().saturating_sub(MOST_LINES));
            line(summary, times, inline) + ":\n\n" + &code::block(last.map(String::as_str))
        }
        Block::Command(command) => code::block([*command]),
        Block::TimeLine(timeline) => {
            let lines = chart::lines(timeline, times);
            code::block(lines.iter().map(String::as_str))
        }
    }
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn cell(text: &Text<'_>, times: Times) -> String {
    line(text, times, inline_in_table)
}

fn line(text: &Text<'_>, times: Times, code: fn(&str) -> String) -> String {
    let word = |piece: &Piece<'_>| match piece {
        Piece::Theirs(theirs) => code(theirs),
        piece => times.text(piece).into_owned(),
    };
    text.iter().map(word).collect()
}
