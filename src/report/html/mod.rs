//! A report as one HTML file: no script, no network, and a policy that forbids both.
//!
//! | file | holds |
//! |---|---|
//! | `markup` | elements, and the one place that escapes |
//! | `timeline` | the time line, as a picture in SVG |
//! | `style.css` | how it looks: on paper, on a phone, in the dark |

mod markup;
mod timeline;

use self::markup::Markup;
use super::document::{Block, Document, Piece, Text, Times};

/// Nothing is loaded from anywhere, and nothing runs, whatever stands in the file.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The document as a file.
pub(super) fn write(document: &Document<'_>) -> String {
    let mut page = Page { times: document.times, pictures: 0 };
    let title = document.times.line(&document.title);
    let mut markup = Markup::default();
    markup.doctype();
    markup.element("html", &[("lang", "en")], |html| {
        html.element("head", &[], |head| {
            head.empty("meta", &[("charset", "utf-8")]);
            head.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
            head.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            head.empty("meta", &[("name", "referrer"), ("content", "no-referrer")]);
            head.empty("meta", &[("name", "color-scheme"), ("content", "light dark")]);
            head.leaf("title", &[], &title);
            head.style(include_str!("style.css"));
        });
        html.line();
        html.element("body", &[], |body| {
            body.element("main", &[], |main| {
                document.blocks.iter().for_each(|block| page.block(main, block));
            });
        });
    });
    markup.line();
    markup.finish()
}

struct Page {
    times: Times,
    /// How many pictures there are: names in them have to differ.
    pictures: usize,
}

impl Page {
    fn block(&mut self, markup: &mut Markup, block: &Block<'_>) {
        let times = self.times;
        match block {
            Block::Heading(level, text) => {
                let name = match level {
                    1 => "h1",
                    2 => "h2",
                    _ => "h3",
                };
                markup.element(name, &[], |heading| write_text(heading, times, text));
            }
            Block::Paragraph(text) => markup.element("p", &[], |paragraph| write_text(paragraph, times, text)),
            Block::Facts(facts) => markup.element("dl", &[], |list| {
                for (name, text) in facts {
                    list.leaf("dt", &[], name);
                    list.element("dd", &[], |value| write_text(value, times, text));
                }
            }),
            Block::Table { columns, rows } => table(markup, times, columns, rows),
            Block::Log(lines) => markup.leaf("pre", &[], &lines.join("\n")),
            Block::Tail(summary, lines) => markup.element("details", &[], |details| {
                details.element("summary", &[], |line| write_text(line, times, summary));
                details.leaf("pre", &[], &lines.join("\n"));
            }),
            Block::Command(command) => markup.leaf("pre", &[("class", "command")], command),
            Block::TimeLine(line) => {
                timeline::draw(markup, line, times, self.pictures);
                self.pictures += 1;
            }
        }
        markup.line();
    }
}

fn table(markup: &mut Markup, times: Times, columns: &[&'static str], rows: &[Vec<Text<'_>>]) {
    // A wide table scrolls by itself, and not the page.
    markup.element("div", &[("class", "wide"), ("tabindex", "0")], |wide| {
        wide.element("table", &[], |table| {
            table.element("thead", &[], |head| {
                head.element("tr", &[], |row| {
                    columns.iter().for_each(|name| row.leaf("th", &[("scope", "col")], name))
                });
            });
            table.element("tbody", &[], |body| {
                for row in rows {
                    body.element("tr", &[], |line| {
                        for cell in row {
                            line.element("td", &[], |cell_of| write_text(cell_of, times, cell));
                        }
                    });
                    body.line();
                }
            });
        });
    });
}

fn write_text(markup: &mut Markup, times: Times, text: &Text<'_>) {
    for piece in text {
        let words = times.text(piece);
        match piece {
            Piece::State(word) => markup.element("span", &[("class", &format!("state {word}"))], |state| {
                state.leaf("span", &[("aria-hidden", "true")], sign(word));
                state.text(" ");
                state.text(word);
            }),
            Piece::Time(time) | Piece::Date(time) => {
                let exact = time.to_string();
                markup.leaf("time", &[("datetime", &exact), ("title", &exact)], &words);
            }
            Piece::Theirs(_) => markup.leaf("span", &[("class", "theirs")], &words),
            Piece::Word(_) | Piece::Count(_) | Piece::Took(_) => markup.text(&words),
        }
    }
}

/// The sign of a state: colour is never the only difference.
fn sign(state: &str) -> &'static str {
    match state {
        "done" | "settled" | "live" => "✔",
        "failed" | "failing" | "stale" | "gone" => "✖",
        "retrying" => "↻",
        "blocked" | "stuck" => "■",
        "suspended" => "‖",
        "running" | "upgrading" | "updating" | "under way" => "▸",
        "unknown" => "?",
        _ => "○",
    }
}
