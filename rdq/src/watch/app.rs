//! Chooses the dashboard on the screen, and does what keys ask for.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::board::{Board, Watched};
use super::table::{Listing, Table};
use crate::screen::brief;

/// Holds both dashboards, and knows which one is on the screen. It has no clock: callers say what
/// time it is.
#[derive(Debug)]
pub(crate) struct App {
    server: String,
    every: Duration,
    /// The list of all queues. None if the program began with one queue.
    pub(crate) table: Option<Table>,
    /// The queue that the screen shows instead of the list.
    pub(crate) watched: Option<Watched>,
    page: Page,
    is_help: bool,
    /// When the user paused the reading. None while the program reads.
    paused: Option<Instant>,
}

/// The parts of a queue's dashboard, of which the screen shows one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Page {
    #[default]
    Overview,
    Next,
    Clients,
}

/// Says what the caller of [`App`] must do after a key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Command {
    Nothing,
    /// Read the queue that the screen shows now.
    Open(String),
    /// Read all queues again: the screen shows them now.
    Close,
    Quit,
}

/// Holds everything that the screen shows.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) server: String,
    pub(crate) every: String,
    pub(crate) is_paused: bool,
    pub(crate) is_help: bool,
    /// Escape goes back to the list, and does not end the program.
    pub(crate) has_list: bool,
    pub(crate) body: Body,
}

/// Holds what the dashboard on the screen shows.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Board(Box<Board>, Page),
    Listing(Box<Listing>),
}

impl App {
    /// Makes an app that begins with all queues.
    pub(crate) fn of_all(server: String, every: Duration) -> Self {
        Self {
            server,
            every,
            table: Some(Table::new()),
            watched: None,
            page: Page::Overview,
            is_help: false,
            paused: None,
        }
    }

    /// Makes an app that shows one queue.
    pub(crate) fn of_one(server: String, every: Duration, queue: String) -> Self {
        Self {
            table: None,
            watched: Some(Watched::new(queue)),
            ..Self::of_all(server, every)
        }
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// Does what a key asks for.
    pub(crate) fn press(&mut self, key: KeyEvent, now: Instant) -> Command {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => Command::Quit,
                _ => Command::Nothing,
            };
        }
        if self.is_help {
            self.is_help = false;
            return Command::Nothing;
        }
        if self.watched.is_none()
            && let Some(table) = &mut self.table
            && table.is_typing()
        {
            type_filter(table, key.code);
            return Command::Nothing;
        }
        match key.code {
            KeyCode::Char('q') => Command::Quit,
            KeyCode::Char('?' | 'h') => {
                self.is_help = true;
                Command::Nothing
            }
            KeyCode::Char('p' | ' ') => {
                self.pause(now);
                Command::Nothing
            }
            code if self.watched.is_some() => self.press_on_board(code),
            code => self.press_on_table(code),
        }
    }

    fn pause(&mut self, now: Instant) {
        match self.paused.take() {
            None => self.paused = Some(now),
            // What happened meanwhile is not known.
            Some(_) => {
                self.table.iter_mut().for_each(Table::forget);
                self.watched.iter_mut().for_each(Watched::forget);
            }
        }
    }

    fn press_on_board(&mut self, code: KeyCode) -> Command {
        self.page = match (code, self.page) {
            (KeyCode::Tab | KeyCode::Right, Page::Overview) => Page::Next,
            (KeyCode::Tab | KeyCode::Right, Page::Next) => Page::Clients,
            (KeyCode::Tab | KeyCode::Right, Page::Clients) => Page::Overview,
            (KeyCode::BackTab | KeyCode::Left, Page::Overview) => Page::Clients,
            (KeyCode::BackTab | KeyCode::Left, Page::Next) => Page::Overview,
            (KeyCode::BackTab | KeyCode::Left, Page::Clients) => Page::Next,
            (KeyCode::Esc, Page::Overview) => return self.close(),
            (KeyCode::Esc, _) => Page::Overview,
            (_, page) => page,
        };
        Command::Nothing
    }

    fn close(&mut self) -> Command {
        let Some(table) = &mut self.table else {
            return Command::Quit;
        };
        table.forget();
        self.watched = None;
        self.paused = None;
        Command::Close
    }

    fn press_on_table(&mut self, code: KeyCode) -> Command {
        let Some(table) = &mut self.table else {
            return Command::Nothing;
        };
        match code {
            KeyCode::Up | KeyCode::Char('k') => table.select(-1),
            KeyCode::Down | KeyCode::Char('j') => table.select(1),
            KeyCode::PageUp => table.select(-10),
            KeyCode::PageDown => table.select(10),
            KeyCode::Home => table.select(isize::MIN),
            KeyCode::End => table.select(isize::MAX),
            KeyCode::Left | KeyCode::Char('<') => table.sort_by(-1),
            KeyCode::Right | KeyCode::Char('>') => table.sort_by(1),
            KeyCode::Char('r') => table.reverse(),
            KeyCode::Char('/') => table.set_typing(true),
            KeyCode::Esc if table.has_filter() => table.filter_mut().clear(),
            KeyCode::Esc => return Command::Quit,
            KeyCode::Enter => {
                // It stays selected, even if others come before it later.
                table.select(0);
                if let Some(queue) = table.selected() {
                    self.watched = Some(Watched::new(queue.clone()));
                    self.page = Page::Overview;
                    self.paused = None;
                    return Command::Open(queue);
                }
            }
            _ => {}
        }
        Command::Nothing
    }

    /// Returns what the screen must show `now`.
    pub(crate) fn scene(&self, now: Instant) -> Scene {
        // While paused, nothing moves.
        let now = self.paused.unwrap_or(now);
        let body = match (&self.watched, &self.table) {
            (Some(watched), _) => Body::Board(Box::new(watched.board(now)), self.page),
            (None, Some(table)) => Body::Listing(Box::new(table.listing(now))),
            (None, None) => Body::Listing(Box::default()),
        };
        Scene {
            server: self.server.clone(),
            every: brief(self.every),
            is_paused: self.is_paused(),
            is_help: self.is_help,
            has_list: self.table.is_some(),
            body,
        }
    }
}

fn type_filter(table: &mut Table, code: KeyCode) {
    match code {
        KeyCode::Char(letter) => table.filter_mut().push(letter),
        KeyCode::Backspace => _ = table.filter_mut().pop(),
        KeyCode::Enter | KeyCode::Down => table.set_typing(false),
        KeyCode::Esc => {
            table.filter_mut().clear();
            table.set_typing(false);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(app: &mut App, keys: &[KeyCode]) -> Command {
        let press = |&code| app.press(KeyEvent::from(code), Instant::now());
        keys.iter().map(press).last().unwrap()
    }

    fn listed(app: &App) -> Vec<String> {
        match app.scene(Instant::now()).body {
            Body::Listing(listing) => listing.lines.into_iter().map(|it| it.queue).collect(),
            Body::Board(board, _) => panic!("{board:?}"),
        }
    }

    fn app() -> App {
        let mut app = App::of_all("here".to_owned(), Duration::from_secs(2));
        let names = ["mail", "orders", "orders:late"];
        let table = app.table.as_mut().unwrap();
        table.find(names.map(str::to_owned).into_iter().collect());
        app
    }

    #[test]
    fn letters_filter_after_a_slash_and_are_commands_otherwise() {
        let mut app = app();
        let slash_q = [KeyCode::Char('/'), KeyCode::Char('O'), KeyCode::Char('r')];
        assert_eq!(press(&mut app, &slash_q), Command::Nothing);
        assert_eq!(listed(&app), ["orders", "orders:late"]);
        assert_eq!(press(&mut app, &[KeyCode::Char('q')]), Command::Nothing);
        assert!(listed(&app).is_empty());
        press(&mut app, &[KeyCode::Backspace, KeyCode::Enter]);
        assert_eq!(press(&mut app, &[KeyCode::Char('q')]), Command::Quit);
        assert_eq!(press(&mut app, &[KeyCode::Esc]), Command::Nothing);
        assert_eq!(listed(&app).len(), 3);
        assert_eq!(press(&mut app, &[KeyCode::Esc]), Command::Quit);
    }

    #[test]
    fn enter_opens_the_selected_queue_and_escape_goes_back() {
        let mut app = app();
        let opened = press(&mut app, &[KeyCode::Down, KeyCode::Enter]);
        assert_eq!(opened, Command::Open("orders".to_owned()));
        assert_eq!(
            press(&mut app, &[KeyCode::Tab, KeyCode::Esc]),
            Command::Nothing
        );
        assert_eq!(press(&mut app, &[KeyCode::Esc]), Command::Close);
        assert_eq!(app.table.as_ref().unwrap().selected().unwrap(), "orders");
    }

    /// Ctrl-C must end the program whatever is on the screen: the terminal sends no signal for it.
    #[test]
    fn control_c_quits_from_everywhere() {
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        for keys in [
            &[KeyCode::Char('/')][..],
            &[KeyCode::Char('?')],
            &[KeyCode::Enter],
        ] {
            let mut app = app();
            press(&mut app, keys);
            assert_eq!(app.press(interrupt, Instant::now()), Command::Quit);
        }
    }

    #[test]
    fn a_queue_that_was_not_opened_from_the_list_is_left_with_escape() {
        let mut app = App::of_one("here".to_owned(), Duration::from_secs(1), "a".to_owned());
        assert_eq!(press(&mut app, &[KeyCode::Esc]), Command::Quit);
    }
}
