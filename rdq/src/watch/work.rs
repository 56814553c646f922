//! Decides what to read, and when.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::future::{BoxFuture, FutureExt, pending};
use futures::stream::FuturesUnordered;
use redisson_delayed_queue::{Client, Error, Move, QueueStream};
use tokio::time::sleep_until;

use super::app::App;
use super::reading::{Reader, Reading};
use super::survey::{self, Survey};
use crate::failure::Result;
use crate::payload::Payloads;
use crate::queue::names::{self, Found};

/// Reads for the dashboard on the screen.
pub(super) struct Work {
    client: Client,
    every: Duration,
    running: FuturesUnordered<BoxFuture<'static, Done>>,
    /// Reads the queue on the screen. None while a reading runs, which has it then.
    reader: Option<Box<Reader>>,
    /// Hears what the Rust clients of the queue on the screen say.
    moves: Option<QueueStream<Move>>,
    is_of_all: bool,
    /// The moment at which the next reading begins. None while one runs.
    next: Option<Instant>,
    /// The moment at which to look for queues again. None while a search runs.
    next_find: Option<Instant>,
    /// The moment at which the current reading began.
    began: Instant,
}

/// Says what is finished.
pub(super) enum Done {
    Found(Result<Found>),
    Heard(Result<Move, Error>),
    Read(Box<Reader>, Box<Result<Reading>>),
    Surveyed(Result<Survey>),
    /// It is time to begin something.
    Waited,
}

impl Work {
    /// The pause between two searches for new queues.
    const FIND: Duration = Duration::from_secs(30);
    /// The pause after a search that failed.
    const FIND_AGAIN: Duration = Duration::from_secs(1);

    /// Begins with all queues.
    pub(super) fn new(client: Client, every: Duration) -> Self {
        let now = Instant::now();
        Self {
            client,
            every,
            running: FuturesUnordered::new(),
            reader: None,
            moves: None,
            is_of_all: true,
            next: Some(now),
            next_find: Some(now),
            began: now,
        }
    }

    /// Reads one queue from now on.
    pub(super) fn open(&mut self, queue: String, payloads: Arc<Payloads>) -> Result {
        self.moves = Some(self.client.moves(&queue)?);
        let client = self.client.clone();
        let reader = Reader::new(client, queue, payloads, self.every);
        self.reader = Some(Box::new(reader));
        self.begin_anew(false);
        Ok(())
    }

    /// Reads all queues from now on.
    pub(super) fn close(&mut self) {
        self.moves = None;
        self.reader = None;
        self.begin_anew(true);
    }

    fn begin_anew(&mut self, is_of_all: bool) {
        self.running = FuturesUnordered::new();
        self.is_of_all = is_of_all;
        self.next = Some(Instant::now());
        self.next_find = self.next_find.or(self.next);
    }

    /// Takes the reader back.
    pub(super) fn keep(&mut self, reader: Box<Reader>) {
        self.reader = Some(reader);
    }

    /// Begins every reading whose time has come.
    pub(super) fn go_on(&mut self, app: &App, now: Instant) {
        if app.is_paused() {
            return;
        }
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if let (true, Some(table), None) = (self.is_of_all, &app.table, &app.watched) {
            if is_due(self.next_find) {
                self.next_find = None;
                let client = self.client.clone();
                let find = async move {
                    let masters = client.masters();
                    Done::Found(names::homes(&client, &masters).await)
                };
                self.running.push(find.boxed());
            }
            let queues = table.queues();
            if is_due(self.next) && !queues.is_empty() {
                self.next = None;
                self.began = now;
                let survey = survey::read(self.client.clone(), queues, self.every);
                self.running.push(survey.map(Done::Surveyed).boxed());
            }
        }
        if let (Some(watched), true) = (&app.watched, is_due(self.next))
            && let Some(mut reader) = self.reader.take()
        {
            self.next = None;
            self.began = now;
            let last = watched.last();
            let read = async move {
                let read = reader.read(last).await;
                Done::Read(reader, Box::new(read))
            };
            self.running.push(read.boxed());
        }
    }

    /// Waits until something is finished, and returns it.
    ///
    /// Cancel safe.
    pub(super) async fn next(&mut self) -> Done {
        let wakes = [self.next, self.next_find.filter(|_| self.is_of_all)];
        let now = Instant::now();
        let wake = wakes.into_iter().flatten().filter(|at| *at > now).min();
        let done = tokio::select! {
            // What was moved before a count belongs to that count.
            biased;
            Some(heard) = next_move(&mut self.moves) => Done::Heard(heard),
            Some(done) = self.running.next(), if !self.running.is_empty() => done,
            () = until(wake) => Done::Waited,
        };
        match &done {
            Done::Found(found) => {
                let pause = if found.is_ok() {
                    Self::FIND
                } else {
                    Self::FIND_AGAIN
                };
                self.next_find = Some(Instant::now() + pause);
            }
            Done::Read(..) | Done::Surveyed(_) => self.next = Some(self.next_after(Instant::now())),
            Done::Heard(_) | Done::Waited => {}
        }
        done
    }

    /// Returns when to read again, after a reading that ended `now`. Reading takes at most half of the
    /// time.
    fn next_after(&self, now: Instant) -> Instant {
        let took = now.saturating_duration_since(self.began);
        (self.began + self.every).max(now + took)
    }
}

async fn next_move(moves: &mut Option<QueueStream<Move>>) -> Option<Result<Move, Error>> {
    match moves {
        Some(moves) => moves.next().await,
        None => pending().await,
    }
}

async fn until(wake: Option<Instant>) {
    match wake {
        Some(wake) => sleep_until(wake.into()).await,
        None => pending().await,
    }
}
