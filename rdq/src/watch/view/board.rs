//! Draws the dashboard of one queue.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Paragraph};

use super::super::app::Page;
use super::super::board::{Board, Count, Next, Rate};
use super::plot::{bar, cut, cut_line, parts, spark};
use super::{Theme, compact};
use crate::screen::{brief, number};

/// On a screen with fewer lines, panels have no frames.
const ROOMY: (u16, u16) = (76, 20);

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, board: &Board, page: Page, theme: Theme) {
    let rows = [Constraint::Length(1), Constraint::Fill(1)];
    let [above, below] = Layout::vertical(rows).areas(area);
    let notices = cut_line(notices(board, theme), above.width.into());
    frame.render_widget(notices, above);
    if !board.is_known {
        frame.render_widget(Line::styled(" reading…", theme.quiet()), below);
        return;
    }
    let is_roomy = area.width >= ROOMY.0 && area.height >= ROOMY.1;
    match (page, is_roomy) {
        (Page::Overview, true) => draw_roomy(frame, below, board, theme),
        (Page::Overview, false) => compact::draw(frame, below, board, theme),
        (Page::Next, _) => draw_next(frame, below, board, theme),
        (Page::Clients, _) => panel(frame, below, "clients", theme, |width| {
            clients(board, width, theme)
        }),
    }
}

fn draw_roomy(frame: &mut Frame<'_>, area: Rect, board: &Board, theme: Theme) {
    let rows = [
        Constraint::Length(board.counts.len() as u16 + 2),
        Constraint::Length(5),
        Constraint::Fill(1),
    ];
    let [first, second, third] = Layout::vertical(rows).areas(area);
    let halves = |area| {
        let columns = [Constraint::Percentage(50), Constraint::Percentage(50)];
        Layout::horizontal(columns).areas::<2>(area)
    };
    let columns = [Constraint::Length(30), Constraint::Fill(1)];
    let [left, right] = Layout::horizontal(columns).areas(first);
    panel(frame, left, "elements", theme, |width| {
        counts(&board.counts, width, theme)
    });
    panel(frame, right, "due", theme, |width| {
        ahead(&board.ahead, width, theme)
    });
    let [left, right] = halves(second);
    panel(frame, left, "a second, estimated", theme, |width| {
        rates(board, width, theme)
    });
    panel(frame, right, "head overdue", theme, |width| {
        late(board, width, theme)
    });
    let [left, right] = halves(third);
    panel(frame, left, "clients", theme, |width| {
        clients(board, width, theme)
    });
    draw_next(frame, right, board, theme);
}

fn draw_next(frame: &mut Frame<'_>, area: Rect, board: &Board, theme: Theme) {
    // Only the first of them were read.
    let pending = board.counts.first().map_or(0, |it| it.number);
    let all = if board.upcoming.is_empty() {
        0
    } else {
        pending
    };
    let text = |width| next(board, width, theme);
    list(frame, area, ("due next", all), theme, text);
}

/// Draws a frame with a title. `text` makes what stands in it, for the width that is left.
fn panel<'a>(
    frame: &mut Frame<'_>,
    area: Rect,
    title: &str,
    theme: Theme,
    text: impl FnOnce(u16) -> Text<'a>,
) {
    list(frame, area, (title, 0), theme, text);
}

/// The same for so many rows, of which the text may have only the first. The title says how many are not
/// shown.
fn list<'a>(
    frame: &mut Frame<'_>,
    area: Rect,
    (title, all): (&str, u64),
    theme: Theme,
    text: impl FnOnce(u16) -> Text<'a>,
) {
    let block = Block::bordered().border_style(theme.quiet());
    let inner = block.inner(area);
    let text = text(inner.width);
    let rows = text.lines.len();
    let shown = rows.min(inner.height.into()) as u64;
    let title = match all.max(rows as u64) - shown {
        0 => format!(" {title} "),
        more => format!(" {title}, {} more ", number::grouped(more)),
    };
    let block = block.title(Line::styled(title, theme.title()));
    frame.render_widget(Paragraph::new(text).block(block), area);
}

/// A number in at most so many columns, 6 at the least.
fn number_in(number: u64, room: usize) -> String {
    let all = number::grouped(number);
    match all.len() <= room {
        true => all,
        false => number::short(number),
    }
}

fn notices<'a>(board: &'a Board, theme: Theme) -> Line<'a> {
    if let Some(trouble) = &board.trouble {
        return Line::styled(format!(" {trouble}"), theme.bad());
    }
    let mut spans = vec![Span::raw(" ")];
    for (i, notice) in board.notices.iter().enumerate() {
        if i > 0 {
            spans.push(Span::styled("  ·  ", theme.quiet()));
        }
        let style = if notice.is_bad {
            theme.bad()
        } else {
            theme.note()
        };
        spans.push(Span::styled(&*notice.text, style));
    }
    Line::from(spans)
}

pub(super) fn counts<'a>(counts: &[Count], width: u16, theme: Theme) -> Text<'a> {
    let line = |count: &Count| {
        let room = usize::from(width).saturating_sub(count.label.len() + 2);
        let number = number_in(count.number, room);
        let style = match (count.is_bad, count.number) {
            (true, _) => theme.bad(),
            (false, 0) => theme.quiet(),
            (false, _) => theme.number(),
        };
        Line::from(vec![
            Span::styled(format!(" {}", count.label), theme.quiet()),
            Span::styled(format!("{number:>room$} "), style),
        ])
    };
    counts.iter().map(line).collect()
}

pub(super) fn ahead<'a>(spans: &[(String, u64)], width: u16, theme: Theme) -> Text<'a> {
    let most = spans.iter().map(|it| it.1).max().unwrap_or(0);
    // The longest label has 8 characters.
    let label = if width < 24 { 8 } else { 10 };
    // A blank on either side of the label.
    let left = usize::from(width).saturating_sub(label + 2);
    let numbers = spans.iter().map(|it| number_in(it.1, left));
    let digits = numbers.map(|it| it.len()).max().unwrap_or(1);
    let room = left.saturating_sub(digits + 2);
    let lines = spans.iter().map(|(text, count)| {
        Line::from(vec![
            Span::styled(format!(" {text:<label$} "), theme.quiet()),
            Span::raw(format!("{:>digits$} ", number_in(*count, left))),
            Span::styled(bar(*count, most, room), theme.plot()),
        ])
    });
    lines.collect()
}

fn rates<'a>(board: &Board, width: u16, theme: Theme) -> Text<'a> {
    let room = usize::from(width).saturating_sub(18);
    let line = |rate: &Rate| {
        Line::from(vec![
            Span::styled(format!(" {:<8}", rate.label), theme.quiet()),
            Span::styled(format!("{:>7} ", rate_text(rate)), theme.number()),
            Span::styled(spark(&rate.series, room), theme.plot()),
        ])
    };
    board.rates.iter().map(line).collect()
}

pub(super) fn rate_text(rate: &Rate) -> String {
    rate.now.map_or_else(|| "-".to_owned(), number::rate)
}

pub(super) fn late_text(ms: u64) -> String {
    brief(Duration::from_millis(ms))
}

fn late<'a>(board: &Board, width: u16, theme: Theme) -> Text<'a> {
    let room = usize::from(width).saturating_sub(2);
    let line = |label: &'static str, ms: u64| {
        Line::from(vec![
            Span::styled(label, theme.quiet()),
            Span::styled(late_text(ms), theme.number()),
        ])
    };
    Text::from(vec![
        line(" now         ", board.late_ms),
        line(" most in 2m  ", board.latest_ms),
        Line::styled(
            format!(" {}", spark(&board.late_series, room)),
            theme.plot(),
        ),
    ])
}

fn clients<'a>(board: &Board, width: u16, theme: Theme) -> Text<'a> {
    let room = usize::from(width).saturating_sub(16);
    let mut lines: Vec<Line<'a>> = Vec::new();
    let mut say = |label: &str, text: &str| {
        lines.push(Line::from(vec![
            Span::styled(format!(" {label:<14}"), theme.quiet()),
            Span::raw(parts(text, room)),
        ]));
    };
    let listeners = board.listeners.iter().chain(&board.movers);
    listeners.for_each(|(label, text)| say(label, text));
    for (i, program) in board.programs.iter().enumerate() {
        say(if i == 0 { "on the server" } else { "" }, program);
    }
    lines.into()
}

pub(super) fn next<'a>(board: &Board, width: u16, theme: Theme) -> Text<'a> {
    if board.upcoming.is_empty() {
        // All that the last reading found may have been moved since.
        let text = match board.ahead.iter().all(|(_, count)| *count == 0) {
            true => " nothing is pending",
            false => " reading…",
        };
        return Line::styled(text, theme.quiet()).into();
    }
    let line = |next: &Next| {
        let style = if next.is_overdue {
            theme.note()
        } else {
            theme.number()
        };
        let room = usize::from(width).saturating_sub(16);
        Line::from(vec![
            Span::styled(format!(" {:>12}  ", next.due), style),
            Span::raw(cut(&next.value, room)),
        ])
    };
    board.upcoming.iter().map(line).collect()
}
