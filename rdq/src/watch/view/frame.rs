//! Draws what stands around a dashboard: a line above, a line below, and help on top of it.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};
use unicode_width::UnicodeWidthStr;

use super::super::app::{Body, Page, Scene};
use super::plot::cut;
use super::{Theme, board, help, table};
use crate::screen::clean;

/// A smaller screen cannot show a dashboard.
pub(super) const LEAST: (u16, u16) = (40, 8);

/// Draws everything.
pub(crate) fn draw(frame: &mut Frame<'_>, scene: &Scene, theme: Theme) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("rdq needs {} columns and {} lines", LEAST.0, LEAST.1);
        let text = Paragraph::new(text).wrap(Wrap { trim: true });
        frame.render_widget(text, area);
        return;
    }
    let rows = [
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ];
    let [top, middle, bottom] = Layout::vertical(rows).areas(area);
    draw_top(frame, top, scene, theme);
    match &scene.body {
        Body::Board(it, page) => board::draw(frame, middle, it, *page, theme),
        Body::Listing(it) => table::draw(frame, middle, it, theme),
    }
    draw_bottom(frame, bottom, scene, theme);
    if scene.is_help {
        help::draw(frame, area, &scene.body, theme);
    }
}

fn draw_top(frame: &mut Frame<'_>, area: Rect, scene: &Scene, theme: Theme) {
    let trouble = match &scene.body {
        Body::Board(it, _) => &it.trouble,
        Body::Listing(it) => &it.trouble,
    };
    let state = match (scene.is_paused, trouble) {
        (true, _) => Span::styled("display paused", theme.note()),
        (false, Some(_)) => Span::styled("not live", theme.bad()),
        (false, None) => Span::styled(format!("live, every {}", scene.every), theme.good()),
    };
    let state = Line::from(vec![state, Span::raw(" ")]).right_aligned();
    let width = state.width() as u16;
    let [left, right] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(width)]).areas(area);
    let name = match &scene.body {
        Body::Board(it, _) => clean(&it.queue),
        Body::Listing(it) => match it.is_found {
            true if it.all == 1 => "1 queue".to_owned(),
            true => format!("{} queues", it.all),
            false => "all queues".to_owned(),
        },
    };
    // One column is free on each side.
    let room = usize::from(left.width).saturating_sub(2);
    let name = cut(&name, room);
    let has_room = name.width() + 2 + scene.server.width() <= room;
    let mut spans = vec![Span::raw(" "), Span::styled(name, theme.title())];
    if has_room {
        spans.push(Span::raw("  "));
        spans.push(Span::styled(scene.server.clone(), theme.quiet()));
    }
    frame.render_widget(Line::from(spans), left);
    frame.render_widget(state, right);
}

fn draw_bottom(frame: &mut Frame<'_>, area: Rect, scene: &Scene, theme: Theme) {
    let escape = match (&scene.body, scene.has_list) {
        (Body::Board(_, Page::Overview), true) => "all queues",
        (Body::Board(_, Page::Overview), false) => "quit",
        _ => "overview",
    };
    let keys: &[(&str, &str)] = match &scene.body {
        Body::Board(..) => &[
            ("q", "quit"),
            ("?", "help"),
            ("p", "pause"),
            ("Tab", "more"),
            ("Esc", escape),
        ],
        Body::Listing(it) if it.is_typing => &[("Enter", "done"), ("Esc", "no filter")],
        Body::Listing(_) => &[
            ("q", "quit"),
            ("?", "help"),
            ("Enter", "open"),
            ("/", "filter"),
            ("← →", "sort"),
            ("r", "reverse"),
            ("p", "pause"),
        ],
    };
    let mut spans = vec![Span::raw(" ")];
    let mut room = usize::from(area.width);
    for (key, meaning) in keys {
        // A part of a hint helps nobody.
        let needed = key.width() + meaning.width() + 2;
        if needed > room {
            break;
        }
        room = room.saturating_sub(needed + 1);
        spans.push(Span::styled(*key, theme.number()));
        spans.push(Span::styled(format!(" {meaning}  "), theme.quiet()));
    }
    frame.render_widget(Line::from(spans), area);
}
