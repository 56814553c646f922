//! Compares whole screens as text.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::super::app::App;
use super::super::reading::Reading;
use super::super::upcoming::Upcoming;
use super::*;
use crate::queue::stats::Stats;

const NOW_MS: u64 = 1_800_000_000_000;

fn screen(app: &App, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let scene = app.scene(Instant::now());
    terminal
        .draw(|frame| draw(frame, &scene, Theme::PLAIN))
        .unwrap();
    let buffer = terminal.backend().buffer();
    let rows = buffer.content().chunks(width.into());
    let row = |cells: &[ratatui::buffer::Cell]| {
        let text: String = cells.iter().map(|it| it.symbol()).collect();
        text.trim_end().to_owned()
    };
    rows.map(row).collect::<Vec<_>>().join("\n")
}

fn stats() -> Stats {
    Stats {
        at_ms: NOW_MS,
        pending: 1_234_567,
        listed: 1_234_567,
        overdue: 2,
        ready: 3,
        in_flight: 4,
        dead: 5,
        subscribers: 3,
        next_due_ms: Some(NOW_MS as f64 - 40.0),
        due_ahead: vec![10, 200, 3_000, 40_000, 500_000, 691_355, 0],
        ..Stats::default()
    }
}

fn board() -> App {
    let mut app = App::of_one(
        "10.0.0.1:6379".to_owned(),
        Duration::from_secs(1),
        "orders".to_owned(),
    );
    let upcoming = |after_ms: u64, value: &str| Upcoming {
        due_ms: NOW_MS - 40 + after_ms,
        value: value.to_owned(),
    };
    let upcoming = vec![
        upcoming(0, "{\"id\":1}"),
        upcoming(5_040, &"long".repeat(60)),
    ];
    app.watched.as_mut().unwrap().note(Reading {
        stats: stats(),
        rust_listeners: 3,
        upcoming: Some(upcoming),
        programs: None,
    });
    app
}

fn table() -> App {
    let mut app = App::of_all("10.0.0.1:6379".to_owned(), Duration::from_secs(2));
    let table = app.table.as_mut().unwrap();
    table.find(["mail".to_owned(), "orders".to_owned()].into());
    let idle = Stats {
        subscribers: 1,
        ..Stats::default()
    };
    table.note(
        [
            ("mail".to_owned(), Ok(idle)),
            ("orders".to_owned(), Ok(stats())),
        ]
        .into(),
    );
    app
}

#[track_caller]
fn assert_screen(app: &App, width: u16, height: u16, expected: &str) {
    let shown = screen(app, width, height);
    assert_eq!(shown.trim_end(), expected.trim_matches('\n'), "\n{shown}\n");
}

#[test]
fn a_queue_fits_80_columns_and_24_lines() {
    assert_screen(&board(), 80, 24, BOARD);
}

#[test]
fn a_queue_fits_60_columns_and_15_lines() {
    assert_screen(&board(), 60, 15, COMPACT);
}

#[test]
fn all_queues_fit_80_columns() {
    assert_screen(&table(), 80, 9, TABLE);
}

/// Numbers that are 0 give way first, and the screen says how many are hidden.
#[test]
fn a_small_screen_shows_what_matters_and_says_how_much_is_hidden() {
    assert_screen(&board(), 60, 12, LOW);
    assert_screen(&board(), 40, 8, LOWEST);
    let mut app = board();
    app.press(KeyEvent::from(KeyCode::Tab), Instant::now());
    let next = screen(&app, 60, 12);
    assert!(next.contains(" due next, 1,234,565 more "), "{next}");
    let lines: Vec<_> = screen(&board(), 60, 15)
        .lines()
        .map(str::to_owned)
        .collect();
    assert!(!lines.iter().any(|it| it.contains("hidden")), "{lines:#?}");
}

/// Its last lines say what the words mean.
#[test]
fn all_of_the_help_fits_12_lines() {
    for (mut app, last) in [(board(), "another of its group"), (table(), "every 30 s")] {
        app.press(KeyEvent::from(KeyCode::Char('?')), Instant::now());
        let shown = screen(&app, 80, 12);
        assert!(shown.contains(last), "\n{shown}");
    }
}

/// A number that is cut is a wrong one.
#[test]
fn a_queue_fits_40_columns_with_all_digits() {
    assert_screen(&board(), 40, 15, SMALL);
    let wide = screen(&board(), 44, 15);
    assert!(wide.contains("1h - 1d  691,355"), "{wide}");
}

/// Names of any length and script leave room for what an operator must know.
#[test]
fn all_queues_fit_40_columns() {
    let mut app = App::of_all("redis.example.com:6379".to_owned(), Duration::from_secs(2));
    let names = [
        "a-name-that-is-long",
        "注文-キュー-長い名前",
        "gnp\u{202e}exe",
    ];
    let names = names.map(str::to_owned);
    let table = app.table.as_mut().unwrap();
    table.find(names.clone().into());
    let stalled = || Stats {
        subscribers: 0,
        next_due_ms: Some(NOW_MS as f64 - 60_000.0),
        ..stats()
    };
    table.note(names.map(|it| (it, Ok(stalled()))).into());
    assert_screen(&app, 40, 8, NARROW);
}

/// Elements that were moved since they were read leave no false word behind.
#[test]
fn a_queue_with_elements_is_not_called_empty() {
    let mut app = board();
    app.watched.as_mut().unwrap().note(Reading {
        stats: stats(),
        rust_listeners: 3,
        upcoming: Some(Vec::new()),
        programs: None,
    });
    assert!(!screen(&app, 80, 24).contains("nothing is pending"));
}

#[test]
fn no_size_is_too_small_or_too_odd_to_draw() {
    for mut app in [board(), table()] {
        for key in [
            KeyCode::Null,
            KeyCode::Tab,
            KeyCode::Tab,
            KeyCode::Char('?'),
        ] {
            app.press(KeyEvent::from(key), Instant::now());
            for width in [1, 20, 39, 40, 41, 75, 76, 77, 300] {
                for height in [1, 7, 8, 9, 15, 20, 21, 24, 60] {
                    screen(&app, width, height);
                }
            }
        }
    }
    assert_eq!(screen(&board(), 30, 2), "rdq needs 40 columns and 8\nlines");
}

#[test]
fn nothing_is_known_before_the_first_reading() {
    let every = Duration::from_secs(1);
    let queue = App::of_one(String::new(), every, "orders".to_owned());
    assert!(screen(&queue, 80, 24).contains("reading…"));
    let mut all = App::of_all(String::new(), every);
    assert!(screen(&all, 80, 24).contains("looking for queues…"));
    all.table.as_mut().unwrap().find([].into());
    assert!(screen(&all, 80, 24).contains("no delayed queues here"));
}

const BOARD: &str = r#"
 orders  10.0.0.1:6379                                           live, every 1s

┌ elements ──────────────────┐┌ due ───────────────────────────────────────────┐
│ pending          1,234,567 ││ overdue          2 ▏                           │
│   overdue                2 ││ now - 1s        10 ▏                           │
│ ready                    3 ││ 1s - 10s       200 ▏                           │
│ claimed                  0 ││ 10s - 1m     3,000 ▏                           │
│ in flight                4 ││ 1m - 10m    40,000 █▌                          │
│ retrying                 0 ││ 10m - 1h   500,000 ███████████████████▌        │
│ grouped                  0 ││ 1h - 1d    691,355 ███████████████████████████ │
│ dead                     5 ││ later            0                             │
│ quarantined              0 ││                                                │
└────────────────────────────┘└────────────────────────────────────────────────┘
┌ a second, estimated ─────────────────┐┌ head overdue ────────────────────────┐
│ offered       -                      ││ now         40ms                     │
│ moved         -                      ││ most in 2m  40ms                     │
│ taken         -                      ││                                    ▇ │
└──────────────────────────────────────┘└──────────────────────────────────────┘
┌ clients ─────────────────────────────┐┌ due next, 1,234,565 more ────────────┐
│ Rust clients  2                      ││     40ms ago  {"id":1}               │
│ Java, others  1                      ││        in 5s  longlonglonglonglongl… │
│ leads         no Rust client so far  ││                                      │
└──────────────────────────────────────┘└──────────────────────────────────────┘
 q quit  ? help  p pause  Tab more  Esc quit
"#;

const COMPACT: &str = r#"
 orders  10.0.0.1:6379                       live, every 1s

 pending      1,234,567    overdue          2 ▏
   overdue            2    now - 1s        10 ▏
 ready                3    1s - 10s       200 ▏
 claimed              0    10s - 1m     3,000 ▏
 in flight            4    1m - 10m    40,000 ▊
 retrying             0    10m - 1h   500,000 █████████▍
 grouped              0    1h - 1d    691,355 █████████████
 dead                 5    later            0
 quarantined          0
 offered -/s  moved -/s  taken -/s
 head overdue 40ms  most in 2m 40ms
     40ms ago  {"id":1}
 q quit  ? help  p pause  Tab more  Esc quit
"#;

const LOW: &str = r#"
 orders  10.0.0.1:6379                       live, every 1s

 pending      1,234,567    now - 1s        10 ▏
   overdue            2    1s - 10s       200 ▏
 ready                3    10s - 1m     3,000 ▏
 claimed              0    1m - 10m    40,000 ▊
 in flight            4    10m - 1h   500,000 █████████▍
 dead                 5    1h - 1d    691,355 █████████████
 offered -/s  moved -/s  taken -/s
 head overdue 40ms  most in 2m 40ms
 4 numbers hidden: all 0; Tab: due next
 q quit  ? help  p pause  Tab more  Esc quit
"#;

const LOWEST: &str = r#"
 orders  10.0.0.1:6379   live, every 1s

 pending      1,234,567  now - 1s  10 ▏
 dead                 5  1s - 10s 200 █
 offered -/s  moved -/s  taken -/s
 head overdue 40ms  most in 2m 40ms
 12 numbers hidden; Tab: due next
 q quit  ? help  p pause  Tab more
"#;

const SMALL: &str = r#"
 orders  10.0.0.1:6379   live, every 1s

 pending      1,234,567  overdue       2
   overdue            2  now - 1s     10
 ready                3  1s - 10s    200
 claimed              0  10s - 1m  3,000
 in flight            4  1m - 10m 40,000
 retrying             0  10m - 1h   500k
 grouped              0  1h - 1d    691k
 dead                 5  later         0
 quarantined          0
 offered -/s  moved -/s  taken -/s
 head overdue 40ms  most in 2m 40ms
     40ms ago  {"id":1}
 q quit  ? help  p pause  Tab more
"#;

const TABLE: &str = r#"
 2 queues  10.0.0.1:6379                                         live, every 2s
 1,234,567 pending, 0 moved/s in all
 QUEUE         PENDING▼   OVERDUE   READY  ~MOVED/s NOTE
▸orders           1.23M         2       3           5 dead
 mail                 0         0       0



 q quit  ? help  Enter open  / filter  ← → sort  r reverse  p pause
"#;

/// The backend of the tests fills the second column of a wide character with a space.
const NARROW: &str = r#"
 3 queues                live, every 2s
 3,703,701 pending, 0 moved/s in all
 QUEUE         PENDING▼ NOTE
▸a-name-that…     1.23M stalled, nobody…
 gnp exe          1.23M stalled, nobody…
 注 文 -キ ュ ー …     1.23M stalled, nobody…

 q quit  ? help  Enter open  / filter
"#;
