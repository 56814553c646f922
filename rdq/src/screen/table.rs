//! A table that is there as a whole.

use unicode_width::UnicodeWidthStr;

use super::words::wrapped;

/// Lays rows out under their headings. Those that begin with `>` have their columns at the right.
///
/// A terminal of this width gets no columns without content, and the last column is wrapped. Where
/// that has no room, its cells stand below their rows. Nothing else is broken or cut: a part of a name or
/// of a number is another one.
pub(super) fn laid_out(headings: &[&str], rows: &[Vec<String>], width: Option<usize>) -> String {
    let is_shown = |place: &usize| {
        width.is_none() || rows.is_empty() || rows.iter().any(|row| !row[*place].is_empty())
    };
    let mut columns: Vec<usize> = (0..headings.len()).filter(is_shown).collect();
    let title = |place: usize| headings[place].trim_start_matches('>');
    let widths: Vec<usize> = (0..headings.len())
        .map(|place| {
            let cells = rows.iter().map(|row| row[place].width());
            cells.max().unwrap_or(0).max(title(place).width())
        })
        .collect();
    let needed = |columns: &[usize]| columns.iter().map(|it| widths[*it] + GAP).sum::<usize>();
    let all = needed(&columns).saturating_sub(GAP);
    // The last column gives way if the table is too wide.
    let last = columns.last().copied();
    let last =
        last.filter(|it| width.is_some_and(|width| all > width) && !headings[*it].starts_with('>'));
    let before = last.map_or(0, |_| needed(&columns[..columns.len() - 1]));
    let width = width.unwrap_or(usize::MAX);
    let room = width.saturating_sub(before);
    let below = last.filter(|_| room < LEAST);
    columns.retain(|it| Some(*it) != below);

    let mut lines = Vec::new();
    let mut put = |cells: &dyn Fn(usize) -> String| {
        let wrap = last.filter(|_| below.is_none());
        let wrapped_cell = wrap.map(|it| wrapped(&cells(it), room)).unwrap_or_default();
        let mut line = String::new();
        for place in &columns {
            let cell = match wrap == Some(*place) {
                true => wrapped_cell[0].clone(),
                false => cells(*place),
            };
            let gap = " ".repeat(widths[*place].saturating_sub(cell.width()));
            line += &match headings[*place].starts_with('>') {
                true => format!("{gap}{cell}  "),
                false => format!("{cell}{gap}  "),
            };
        }
        lines.push(line);
        let rest = wrapped_cell.into_iter().skip(1);
        lines.extend(rest.map(|it| format!("{}{it}", " ".repeat(before))));
        if let Some(text) = below.map(cells).filter(|it| !it.is_empty()) {
            let text = wrapped(&text, width.saturating_sub(GAP));
            lines.extend(text.into_iter().map(|it| format!("  {it}")));
        }
    };
    // A heading of what stands below rows would stand below nothing.
    let heading = |place: usize| match below == Some(place) {
        true => String::new(),
        false => title(place).to_owned(),
    };
    put(&heading);
    rows.iter().for_each(|row| put(&|place| row[place].clone()));
    let lines: Vec<_> = lines.iter().map(|it| it.trim_end()).collect();
    lines.join("\n")
}

/// How many blanks stand between two columns.
const GAP: usize = 2;

/// In fewer columns, a text is hard to read.
const LEAST: usize = 20;

#[cfg(test)]
mod tests {
    use super::laid_out;

    const HEADINGS: [&str; 4] = ["QUEUE", ">IN FLIGHT", "NEXT DUE", "NOTE"];

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        vec![
            row([
                "orders-copy",
                "1234567",
                "",
                "stalled: nobody has listened to it",
            ]),
            row(["mails", "0", "", ""]),
        ]
    }

    #[test]
    fn without_a_terminal_everything_is_in_one_line() {
        let text = laid_out(&HEADINGS, &rows(), None);
        assert_eq!(
            text,
            "QUEUE        IN FLIGHT  NEXT DUE  NOTE\n\
             orders-copy    1234567            stalled: nobody has listened to it\n\
             mails                0"
        );
    }

    #[test]
    fn a_terminal_breaks_no_name_and_no_number() {
        let wrapped = laid_out(&HEADINGS, &rows(), Some(55));
        assert_eq!(
            wrapped,
            "QUEUE        IN FLIGHT  NOTE\n\
             orders-copy    1234567  stalled: nobody has listened to\n                        \
             it\n\
             mails                0"
        );
        let below = laid_out(&HEADINGS, &rows(), Some(40));
        assert_eq!(
            below,
            "QUEUE        IN FLIGHT\n\
             orders-copy    1234567\n  \
             stalled: nobody has listened to it\n\
             mails                0"
        );
    }
}
