//! Draws the dashboard of all queues.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row, Table, TableState};
use unicode_width::UnicodeWidthStr;

use super::super::column::Column;
use super::super::table::{Listing, Severity};
use super::Theme;
use super::plot::{cut, cut_line};
use crate::screen::{clean, number};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, listing: &Listing, theme: Theme) {
    let rows = [Constraint::Length(1), Constraint::Fill(1)];
    let [above, below] = Layout::vertical(rows).areas(area);
    let summary = cut_line(summary(listing, theme), above.width.into());
    frame.render_widget(summary, above);
    if !listing.is_found {
        frame.render_widget(Line::styled(" looking for queues…", theme.quiet()), below);
        return;
    }
    if listing.lines.is_empty() {
        let text = match listing.all {
            0 => " no delayed queues here",
            _ => " no queue has such a name",
        };
        frame.render_widget(Line::styled(text, theme.quiet()), below);
        return;
    }
    let columns = columns(listing, below.width);
    let name_room = name_room(&columns, listing, below.width);
    let before_note = columns.iter().map(|it| match it {
        Column::Note => 0,
        Column::Queue => name_room + 1,
        column => width(*column) + 1,
    });
    // In front of the names, a column says which line is selected.
    let note_room = below.width.saturating_sub(1 + before_note.sum::<u16>());
    let heading = |it: &Column| {
        let mark = match (*it == listing.sort, listing.is_reversed) {
            (false, _) => "",
            (true, false) => "▼",
            (true, true) => "▲",
        };
        let line = Line::from(format!("{}{mark}", it.heading()));
        let line = if is_text(*it) {
            line
        } else {
            line.right_aligned()
        };
        let style = if mark.is_empty() {
            theme.quiet()
        } else {
            theme.title()
        };
        Cell::from(line.style(style))
    };
    let row = |line: &super::super::table::Line| {
        let cells = columns.iter().map(|column| {
            let text = line.cells[column.place()].clone();
            let shown = match column {
                Column::Queue => Line::from(cut(&clean(&text), name_room.into())),
                Column::Note => Line::from(cut(&text, note_room.into())),
                _ => Line::from(text),
            };
            match column {
                Column::Queue => Cell::from(shown),
                Column::Note => Cell::from(shown.style(style(line.severity, theme))),
                _ => Cell::from(shown.right_aligned()),
            }
        });
        Row::new(cells.collect::<Vec<_>>())
    };
    let widths = columns.iter().map(|it| match it {
        Column::Queue => Constraint::Length(name_room),
        Column::Note => Constraint::Fill(1),
        column => Constraint::Length(width(*column)),
    });
    let table = Table::new(listing.lines.iter().map(row), widths)
        .header(Row::new(columns.iter().map(heading)))
        .row_highlight_style(theme.selected())
        .highlight_symbol("▸")
        .column_spacing(1);
    let mut state = TableState::new().with_selected(listing.selected);
    frame.render_stateful_widget(table, below, &mut state);
}

fn summary<'a>(listing: &'a Listing, theme: Theme) -> Line<'a> {
    if let Some(trouble) = &listing.trouble {
        return Line::styled(format!(" {trouble}"), theme.bad());
    }
    let mut spans = vec![Span::raw(" ")];
    if listing.is_typing || !listing.filter.is_empty() {
        let cursor = if listing.is_typing { "▏" } else { "" };
        let filter = format!("/{}{cursor}", listing.filter);
        spans.push(Span::styled(filter, theme.title()));
        let shown = format!("  {} of {}  ", listing.lines.len(), listing.all);
        spans.push(Span::styled(shown, theme.quiet()));
    }
    spans.push(Span::styled(
        number::grouped(listing.pending),
        theme.number(),
    ));
    spans.push(Span::styled(" pending, ", theme.quiet()));
    spans.push(Span::styled(number::rate(listing.moved), theme.number()));
    spans.push(Span::styled(" moved/s in all", theme.quiet()));
    Line::from(spans)
}

/// Returns the columns for which there is room.
fn columns(listing: &Listing, room: u16) -> Vec<Column> {
    let mut columns = Column::ALL.to_vec();
    let longest = longest_name(listing).min(40);
    for dispensable in Column::DISPENSABLE {
        let needed: u16 = columns
            .iter()
            .map(|it| match it {
                Column::Queue => longest + 1,
                column => width(*column) + 1,
            })
            .sum();
        if needed < room {
            break;
        }
        columns.retain(|it| *it != dispensable);
    }
    // The note says more than the count.
    if room < NARROW {
        columns.retain(|it| *it != Column::Overdue);
    }
    columns
}

/// Returns how many characters of names have room beside the other columns.
fn name_room(columns: &[Column], listing: &Listing, room: u16) -> u16 {
    let others = columns.iter().filter(|it| **it != Column::Queue);
    let others: u16 = others.map(|it| width(*it) + 1).sum();
    // In front of the names, a column says which line is selected.
    let left = room.saturating_sub(others + 1);
    longest_name(listing).min(left).max(SHORTEST)
}

fn longest_name(listing: &Listing) -> u16 {
    let names = listing.lines.iter().map(|it| it.queue.width());
    let longest = names.max().unwrap_or(0).clamp(SHORTEST.into(), 1_000);
    longest as u16
}

/// The column of names has at least so many characters.
const SHORTEST: u16 = 12;

/// A screen with fewer columns has no room for names, two counts and half a note.
const NARROW: u16 = 52;

/// Returns how many characters a column needs.
fn width(column: Column) -> u16 {
    match column {
        Column::Note => 24,
        Column::Next => 12,
        Column::Ready | Column::InFlight | Column::Dead | Column::Listeners => 7,
        _ => 9,
    }
}

fn is_text(column: Column) -> bool {
    matches!(column, Column::Queue | Column::Note)
}

fn style(severity: Severity, theme: Theme) -> ratatui::style::Style {
    match severity {
        Severity::None => theme.quiet(),
        Severity::Note => theme.note(),
        Severity::Bad => theme.bad(),
    }
}
