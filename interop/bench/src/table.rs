//! Tables and figures as text, the same on a terminal and in Markdown.

use std::fmt;

/// A table of Markdown whose columns are padded.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(heading: impl IntoIterator<Item = S>) -> Self {
        let mut table = Self { rows: Vec::new() };
        table.row(heading);
        table
    }

    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (i, row) in self.rows.iter().enumerate() {
            for (cell, width) in row.iter().zip(&widths) {
                write!(f, "| {cell:<width$} ")?;
            }
            writeln!(f, "|")?;
            if i == 0 {
                for width in &widths {
                    write!(f, "|{}", "-".repeat(width + 2))?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// Three digits that count, or all of a larger number, in groups.
pub(crate) fn figure(number: f64) -> String {
    match number.abs() {
        _ if !number.is_finite() => "-".to_owned(),
        size if size >= 100.0 => grouped(number.round() as i64),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 0.1 || size == 0.0 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}

/// How many times as much.
pub(crate) fn ratio(amount: f64, of: f64) -> String {
    match figure(amount / of) {
        nothing if nothing == "-" => nothing,
        times => format!("{times} x"),
    }
}

/// A number in groups of three digits.
pub(crate) fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0 { format!("-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        assert_eq!(figure(1_234_567.8), "1,234,568");
        assert_eq!(figure(12.345), "12.3");
        assert_eq!(figure(0.1234), "0.12");
        assert_eq!(figure(0.01234), "0.0123");
        assert_eq!(figure(0.0), "0.00");
        assert_eq!(figure(f64::NAN), "-");
    }
}
