//! Draws the help on top of a dashboard.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

use super::super::app::Body;
use super::Theme;

const BOARD: &str = "\
p  Space  pause, go on      Tab  ← →  next page
Esc  back      q  Ctrl-C  quit

moved    from successive counts, or as Rust clients say
offered  the change of pending, and moved
taken    moved, less the change of ready
late     for how long the first element is overdue
claimed  Rust take() has it    in flight  a consumer has it
grouped  waits until another of its group is done";

const TABLE: &str = "\
↑ ↓ PgUp PgDn Home End  choose a queue    Enter  open it
← →  sort by another column    r  reverse
/  filter by name, Esc ends that
p  Space  pause, go on    q  Ctrl-C  quit

Rates are concluded from successive counts. Elements that
come and go between two counts are missing.
FLIGHT  at consumers, and claimed by take()
LISTEN  connections that hear of new elements
New queues are looked for every 30 s.";

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, body: &Body, theme: Theme) {
    let text = match body {
        Body::Board(..) => BOARD,
        Body::Listing(_) => TABLE,
    };
    let lines: Vec<&str> = text.lines().collect();
    let widest = lines.iter().map(|it| it.chars().count()).max().unwrap_or(0);
    let size = (widest as u16 + 4, lines.len() as u16 + 2);
    let width = size.0.min(area.width);
    // Where lines are too long, they need more of them.
    let height = match width < size.0 {
        true => area.height,
        false => size.1.min(area.height),
    };
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    let block = Block::bordered()
        .border_style(theme.title())
        .title(" help, any key closes it ");
    frame.render_widget(Clear, place);
    let text: String = lines.iter().map(|line| format!(" {line}\n")).collect();
    frame.render_widget(
        Paragraph::new(text).wrap(Wrap { trim: false }).block(block),
        place,
    );
}
