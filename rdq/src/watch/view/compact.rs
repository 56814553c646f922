//! Draws the dashboard of one queue on a small screen: no frames, and no row that is not needed.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::super::board::{Board, Count};
use super::Theme;
use super::board::{ahead, counts, late_text, next, rate_text};
use super::frame::LEAST;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, board: &Board, theme: Theme) {
    let chosen = Chosen::of(board, area.height);
    let numbers = chosen.counts.len().max(chosen.ahead.len()) as u16;
    let rows = [
        Constraint::Length(numbers),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
    ];
    let [first, second, third, fourth] = Layout::vertical(rows).areas(area);
    let columns = [
        Constraint::Length(24),
        // On the narrowest screen, numbers need it.
        Constraint::Length(area.width.saturating_sub(LEAST.0).min(2)),
        Constraint::Fill(1),
    ];
    let [left, _, right] = Layout::horizontal(columns).areas(first);
    frame.render_widget(counts(&chosen.counts, left.width, theme), left);
    frame.render_widget(ahead(&chosen.ahead, right.width, theme), right);
    let rates = board.rates.iter().enumerate().map(|(i, rate)| {
        let gap = if i == 0 { " " } else { "  " };
        vec![
            Span::styled(format!("{gap}{} ", rate.label), theme.quiet()),
            Span::styled(rate_text(rate), theme.number()),
            Span::styled("/s", theme.quiet()),
        ]
    });
    frame.render_widget(whole(rates, second.width), second);
    let late = [
        (" head overdue ", board.late_ms),
        ("  most in 2m ", board.latest_ms),
    ];
    let late = late.map(|(label, ms)| {
        let label = Span::styled(label, theme.quiet());
        vec![label, Span::styled(late_text(ms), theme.number())]
    });
    frame.render_widget(whole(late, third.width), third);
    match chosen.hidden() {
        None => frame.render_widget(next(board, fourth.width, theme), fourth),
        Some(hidden) => {
            let hidden = [format!(" {hidden}"), "; Tab: due next".to_owned()];
            let hidden = hidden.map(|it| vec![Span::styled(it, theme.note())]);
            frame.render_widget(whole(hidden, fourth.width), fourth);
        }
    }
}

/// The first of these groups, as many as have room as a whole.
fn whole<'a>(groups: impl IntoIterator<Item = Vec<Span<'a>>>, width: u16) -> Line<'a> {
    let mut line = Line::default();
    for group in groups {
        let needed: usize = group.iter().map(Span::width).sum();
        if line.width() + needed > width.into() {
            break;
        }
        line.spans.extend(group);
    }
    line
}

/// The numbers that have room, in their usual order.
struct Chosen {
    counts: Vec<Count>,
    ahead: Vec<(String, u64)>,
    /// The numbers that have none.
    hidden: Vec<u64>,
}

impl Chosen {
    /// Chooses for a screen with so many lines: what should be 0 and is not comes first, and what is 0
    /// last.
    fn of(board: &Board, height: u16) -> Self {
        let (counts, ahead) = (board.counts.clone(), board.ahead.clone());
        let height = usize::from(height);
        if height >= counts.len().max(ahead.len()) + REST {
            return Self {
                counts,
                ahead,
                hidden: Vec::new(),
            };
        }
        let room = height.saturating_sub(REST);
        let rank = |place: usize, count: &Count| match (place, count.is_bad, count.number) {
            (0, ..) => 0,
            (_, true, _) => 1,
            (_, false, 1..) => 2,
            (_, false, 0) => 3,
        };
        let (counts, hidden_counts) = parted(counts, room, rank);
        // The first, overdue, stands among the counts, too.
        let ahead = ahead.into_iter().skip(1).collect();
        let rank = |_, (_, number): &(String, u64)| u8::from(*number == 0);
        let (ahead, hidden_ahead) = parted(ahead, room, rank);
        let hidden = hidden_counts.into_iter().map(|it| it.number);
        Self {
            counts,
            ahead,
            hidden: hidden
                .chain(hidden_ahead.into_iter().map(|it| it.1))
                .collect(),
        }
    }

    /// Says how many numbers have no room; `None` if all have.
    fn hidden(&self) -> Option<String> {
        let is_nothing = self.hidden.iter().all(|it| *it == 0);
        match (self.hidden.len(), is_nothing) {
            (0, _) => None,
            (1, true) => Some("1 number hidden: 0".to_owned()),
            (1, false) => Some("1 number hidden".to_owned()),
            (some, true) => Some(format!("{some} numbers hidden: all 0")),
            (some, false) => Some(format!("{some} numbers hidden")),
        }
    }
}

/// The `room` items of the lowest ranks, and the others, in their order. `rank` gets the place of an item,
/// too.
fn parted<T>(all: Vec<T>, room: usize, rank: impl Fn(usize, &T) -> u8) -> (Vec<T>, Vec<T>) {
    let mut places: Vec<usize> = (0..all.len()).collect();
    places.sort_by_key(|it| rank(*it, &all[*it]));
    places.truncate(room);
    let (shown, hidden): (Vec<_>, Vec<_>) = all
        .into_iter()
        .enumerate()
        .partition(|(place, _)| places.contains(place));
    let items = |some: Vec<(usize, T)>| some.into_iter().map(|it| it.1).collect();
    (items(shown), items(hidden))
}

/// How many lines the rates, the lateness, and either the next element or what is hidden need.
const REST: usize = 3;
