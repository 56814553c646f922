//! Makes bars and plots of characters.

use ratatui::text::{Line, Span};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Makes a bar for `value`. A bar for `most` has `width` characters. Bars are exact to an eighth of a
/// character, and a value that is not 0 has one.
pub(super) fn bar(value: u64, most: u64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if value == 0 || most == 0 || width == 0 {
        return String::new();
    }
    let share = value as f64 / most as f64 * width as f64 * 8.0;
    let eighths = (share.round() as usize).clamp(1, width * 8);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Plots the last values of a series in one line of this width, the latest at the right. The highest
/// of them almost fills the line, so that plots one above the other stay apart.
pub(super) fn spark(series: &[u64], width: usize) -> String {
    const LEVELS: [char; 8] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇'];
    let shown = &series[series.len().saturating_sub(width)..];
    let most = shown.iter().copied().max().unwrap_or(0).max(1);
    let level = |value: &u64| {
        let level = (*value as f64 / most as f64 * 7.0).round() as usize;
        LEVELS[level.max(usize::from(*value > 0))]
    };
    let line: String = shown.iter().map(level).collect();
    format!("{line:>width$}")
}

/// Returns the beginning of a text, in at most so many columns.
pub(super) fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut columns = 1;
    let kept = text.chars().take_while(|it| {
        columns += it.width().unwrap_or(0);
        columns <= room
    });
    kept.chain(['…']).collect()
}

/// Returns the beginning of a line, in at most so many columns.
pub(super) fn cut_line(mut line: Line<'_>, room: usize) -> Line<'_> {
    if line.width() <= room {
        return line;
    }
    let mut left = room;
    let mut kept = Vec::new();
    for span in line.spans {
        let width = span.width();
        if width >= left {
            // More stands behind it.
            let text = cut(&format!("{} ", span.content), left);
            kept.push(Span::styled(text, span.style));
            break;
        }
        left -= width;
        kept.push(span);
    }
    line.spans = kept;
    line
}

/// Joins the first parts of a text, as many as have room. Two spaces separate them.
pub(super) fn parts(text: &str, room: usize) -> String {
    let mut text = text;
    while text.width() > room
        && let Some((before, _)) = text.rsplit_once("  ")
    {
        text = before;
    }
    cut(text, room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_their_share_and_show_the_smallest_value() {
        assert_eq!(bar(0, 100, 10), "");
        assert_eq!(bar(1, 1_000_000, 10), "▏");
        assert_eq!(bar(50, 100, 10), "█████");
        assert_eq!(bar(55, 100, 10), "█████▌");
        assert_eq!(bar(100, 100, 10), "██████████");
    }

    #[test]
    fn what_has_no_room_is_left_out_or_cut() {
        assert_eq!(parts("abc  de  f", 10), "abc  de  f");
        assert_eq!(parts("abc  de  f", 9), "abc  de");
        assert_eq!(parts("abc  de", 2), "a…");
        // These characters have two columns each.
        assert_eq!(cut("注文注文", 8), "注文注文");
        assert_eq!(cut("注文注文", 6), "注文…");
        let line = |room| {
            cut_line(
                Line::from(vec![Span::raw("12 "), Span::raw("orders")]),
                room,
            )
        };
        let lines = [9, 8, 3, 2].map(|room| line(room).to_string());
        assert_eq!(lines, ["12 orders", "12 orde…", "12…", "1…"]);
    }

    #[test]
    fn the_latest_value_of_a_plot_is_at_the_right() {
        assert_eq!(spark(&[9, 0, 4, 8], 3), " ▄▇");
        assert_eq!(spark(&[8], 3), "  ▇");
        assert_eq!(spark(&[0, 0], 2), "  ");
        assert_eq!(spark(&[1, 1_000], 2), "▁▇");
    }
}
