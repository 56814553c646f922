//! Runs the dashboards: reads keys and Redis, and draws.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{Event, EventStream, KeyEventKind};
use futures::StreamExt;
use tokio::time::{MissedTickBehavior, interval};

use super::app::{App, Command};
use super::terminal::Terminal;
use super::view;
use super::work::{Done, Work};
use crate::failure::{Failure, Result};
use crate::session::Session;

/// The loop draws so often even if nothing happens, because times go on.
const REDRAW: Duration = Duration::from_millis(500);

/// Shows the dashboard of a queue, or of all queues, until the user has seen enough.
pub(crate) async fn run(session: &Session, queue: Option<String>, every: Duration) -> Result {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err(Failure::usage("a dashboard needs a terminal; try --json"));
    }
    let server = session.address();
    let mut app = match &queue {
        Some(queue) => App::of_one(server, every, queue.clone()),
        None => App::of_all(server, every),
    };
    let mut work = Work::new(session.client.clone(), every);
    if let Some(queue) = queue {
        open(session, &mut work, queue)?;
    }

    let theme = view::Theme::of_environment();
    let mut terminal = Terminal::take()?;
    let mut events = EventStream::new();
    let mut redraw = interval(REDRAW);
    redraw.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_stale = true;
    loop {
        work.go_on(&app, Instant::now());
        if is_stale {
            terminal.draw(|frame| view::draw(frame, &app.scene(Instant::now()), theme))?;
        }
        is_stale = true;
        tokio::select! {
            event = events.next() => match event {
                Some(Ok(Event::Key(key))) if key.kind != KeyEventKind::Release => {
                    match app.press(key, Instant::now()) {
                        Command::Nothing => {}
                        Command::Open(queue) => open(session, &mut work, queue)?,
                        Command::Close => work.close(),
                        Command::Quit => return Ok(()),
                    }
                }
                // A resize, for example. It is drawn anew in any case.
                Some(Ok(_)) => {}
                // The terminal is gone.
                Some(Err(_)) | None => return Ok(()),
            },
            done = work.next() => {
                // There may be thousands of moves a second. They are drawn with the next reading.
                is_stale = matches!(done, Done::Read(..) | Done::Surveyed(_) | Done::Found(_));
                take_in(&mut app, &mut work, done, Instant::now());
            }
            _ = redraw.tick() => {}
        }
    }
}

fn open(session: &Session, work: &mut Work, queue: String) -> Result {
    let payloads = Arc::new(session.payloads(&queue)?);
    work.open(queue, payloads)
}

/// Tells the dashboard on the screen what was read.
fn take_in(app: &mut App, work: &mut Work, done: Done, now: Instant) {
    let watched = app.watched.as_mut();
    let table = app.table.as_mut();
    match (done, watched, table) {
        (Done::Read(reader, read), Some(watched), _) => {
            work.keep(reader);
            match *read {
                Ok(reading) => watched.note(reading),
                Err(failure) => watched.fail(&failure, now),
            }
        }
        (Done::Heard(heard), Some(watched), _) => match heard {
            Ok(moved) => watched.hear(Ok(&moved), now),
            Err(error) => watched.hear(Err(error.to_string()), now),
        },
        (Done::Surveyed(surveyed), None, Some(table)) => match surveyed {
            Ok(survey) => table.note(survey),
            Err(failure) => table.fail(&failure, now),
        },
        (Done::Found(found), None, Some(table)) => match found {
            Ok(found) => {
                let known = table.queues().into_iter().map(|it| it.0);
                table.find(found.names(known));
            }
            Err(failure) => table.fail(&failure, now),
        },
        // Of another dashboard than that on the screen.
        _ => {}
    }
}
