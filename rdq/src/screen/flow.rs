//! A table whose rows are printed as they come.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Stdout, Write};

use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::words::wrapped;
use super::{clean, harmless, json};
use crate::failure::{Failure, Result};

/// A table whose rows are printed as they come or, with `--json`, lines of JSON.
///
/// Rows reach the reader with [`flush`](Self::flush), or when many have gathered.
pub(crate) struct Flow {
    is_json: bool,
    columns: Vec<Column>,
    /// How wide a line may be.
    width: usize,
    has_heading: bool,
    out: BufWriter<Stdout>,
}

struct Column {
    heading: &'static str,
    width: usize,
    to_the_right: bool,
}

/// How wide a line is that no terminal shows.
const WIDE: usize = 1_000;

/// The indent of a line that belongs to the row above.
const INDENT: &str = "  ";

/// How many such lines a row may have.
const MOST_BELOW: usize = 3;

impl Flow {
    pub(super) fn new(is_json: bool, columns: &[(&'static str, usize)]) -> Self {
        let column = |&(heading, width): &(&'static str, usize)| Column {
            heading: heading.trim_start_matches('>'),
            width,
            to_the_right: heading.starts_with('>'),
        };
        Self {
            is_json,
            columns: columns.iter().map(column).collect(),
            width: super::width().map_or(WIDE, usize::from),
            has_heading: is_json,
            out: BufWriter::new(io::stdout()),
        }
    }

    /// Prints a row: `value` as JSON, or the cells for people.
    pub(crate) fn row<const N: usize>(
        &mut self,
        value: &impl Serialize,
        cells: impl FnOnce() -> [String; N],
    ) -> Result {
        if self.is_json {
            return self.line(&json(value));
        }
        if !self.has_heading {
            self.has_heading = true;
            let headings: Vec<_> = self.columns.iter().map(|it| it.heading).collect();
            self.line(&self.laid_out(&headings))?;
        }
        let cells = cells();
        let cells: Vec<_> = cells.iter().map(String::as_str).collect();
        self.line(&self.laid_out(&cells))
    }

    /// Prints for people what belongs to the last row, in lines below it: three at most.
    pub(crate) fn below(&mut self, text: &str) -> Result {
        if self.is_json {
            return Ok(());
        }
        let room = self.width.saturating_sub(INDENT.len());
        let mut lines = wrapped(&clean(text), room);
        if lines.len() > MOST_BELOW {
            lines.truncate(MOST_BELOW);
            lines[MOST_BELOW - 1].push_str(" …");
        }
        let mut lines = lines.iter();
        lines.try_for_each(|it| self.line(&format!("{INDENT}{}", cut(it, room))))
    }

    /// Prints one line: the text, or `value` as JSON.
    pub(crate) fn say(&mut self, text: &str, value: &impl Serialize) -> Result {
        match self.is_json {
            true => self.line(&json(value)),
            false => self.line(&harmless(text)),
        }
    }

    /// Prints a line of text.
    pub(crate) fn line(&mut self, text: &str) -> Result {
        writeln!(self.out, "{text}").map_err(Failure::stdout)
    }

    /// Shows everything that was printed.
    pub(crate) fn flush(&mut self) -> Result {
        self.out.flush().map_err(Failure::stdout)
    }

    fn laid_out(&self, cells: &[&str]) -> String {
        let mut line = String::new();
        for (cell, column) in cells.iter().zip(&self.columns) {
            let left = self.width.saturating_sub(line.width());
            let cell = cut(cell, left);
            let gap = " ".repeat(column.width.saturating_sub(cell.width()));
            // Writing to a text cannot fail.
            _ = match column.to_the_right {
                true => write!(line, "{gap}{cell}  "),
                false => write!(line, "{cell}{gap}  "),
            };
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// The beginning of a text, in one line of at most `width` columns.
fn cut(text: &str, width: usize) -> String {
    let mut shown = String::new();
    let mut free = width;
    for character in clean(text).chars() {
        let columns = character.width().unwrap_or(0);
        if columns > free {
            while !shown.is_empty() && shown.width() >= width {
                shown.pop();
            }
            shown.push_str(if width > 0 { "…" } else { "" });
            return shown;
        }
        free -= columns;
        shown.push(character);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_to_its_columns() {
        assert_eq!(cut("order 17", 8), "order 17");
        assert_eq!(cut("order 17", 7), "order …");
        assert_eq!(cut("order 17", 0), "");
        assert_eq!(cut("a\nb\u{9b}c\u{202e}d", 9), "a b c d");
        // These characters have two columns each.
        assert_eq!(cut("注文注文", 8), "注文注文");
        assert_eq!(cut("注文注文", 7), "注文注…");
        assert_eq!(cut("注文注文", 6), "注文…");
    }

    #[test]
    fn cells_stand_under_their_headings() {
        let mut flow = Flow::new(false, &[("ID", 4), (">SIZE", 6), ("VALUE", 5)]);
        flow.width = 20;
        assert_eq!(flow.laid_out(&["ab", "17", "x"]), "ab        17  x");
        assert_eq!(
            flow.laid_out(&["ab", "17", "123456789"]),
            "ab        17  12345…"
        );
        assert_eq!(flow.laid_out(&["abcdef", "17", ""]), "abcdef      17");
    }
}
