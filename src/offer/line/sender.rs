//! The task that sends waiting elements.

use std::mem;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::task::yield_now;
use tokio::time::sleep_until;

use super::waiting::{InFlight, Line, Next, WaitingOffer};
use crate::delivery::session::Session;
use crate::link::connection::Failure;
use crate::offer::Attempts;
use crate::offer::attempts::{FailedFirst, Tried};
use crate::sync::lock;
use crate::wire::keys::QueueKeys;
use crate::wire::script;

/// Sends waiting elements until none is left. If it is dropped, each caller sends its own.
#[derive(Debug)]
pub(super) struct Sender {
    line: Arc<Line>,
    session: Arc<Session>,
    keys: Arc<QueueKeys>,
    /// The line was empty, so `has_sender` is false and another sender may run.
    has_ended: bool,
}

impl Sender {
    /// Call this only after setting `has_sender`.
    pub(super) fn new(line: Arc<Line>, session: Arc<Session>, keys: Arc<QueueKeys>) -> Self {
        Self {
            line,
            session,
            keys,
            has_ended: false,
        }
    }

    pub(super) async fn run(mut self) {
        let mut flights = FuturesUnordered::new();
        // A closed client sends nothing. Its callers notice that themselves.
        while self.session.ensure_open().is_ok() {
            let patient_until = match self.line.next(flights.len()) {
                Next::Send(group) => {
                    flights.push(self.send(group));
                    continue;
                }
                Next::WaitUntil(moment) => Some(moment),
                Next::Wait => None,
                Next::End => {
                    drop(flights);
                    self.has_ended = true;
                    return;
                }
            };
            let patience = async {
                match patient_until {
                    Some(moment) => sleep_until(moment).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // An attempt is over.
                Some(()) = flights.next() => {}
                // A caller's attempt is over, or an element lined up.
                () = self.line.changed.notified() => {}
                // The first in line has waited long enough.
                () = patience => {}
            }
        }
        while flights.next().await.is_some() {}
    }

    /// Makes the first attempt at these offers, and tells each caller the result.
    async fn send(&self, group: Vec<WaitingOffer>) {
        let mut flight = Flight {
            session: Arc::clone(&self.session),
            keys: Arc::clone(&self.keys),
            group,
            _in_flight: InFlight {
                line: Arc::clone(&self.line),
            },
        };
        let due = flight.group.iter().map(|it| it.when);
        let started = flight.group.iter().map(|it| it.started).min();
        let bytes = flight.group.iter().map(|it| it.member.len()).sum();
        let mut attempts = Attempts::new(&self.session, &self.keys, due, bytes);
        // No attempt may run after the earliest caller's window.
        attempts.started = started.unwrap_or(attempts.started);
        let (keys, group) = (&self.keys, &flight.group);
        let attempted = attempts
            .attempt(|connection, attempt| async move {
                let elements = group.iter().map(|it| (&it.member[..], it.when));
                script::offer(connection, keys, elements, &attempt).await
            })
            .await;
        let sent_us = attempts.sent_us();
        flight.answer(attempted, sent_us);
        // Answered callers may offer again at once. Let them line up before the next group.
        yield_now().await;
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        let waiting = {
            let mut state = lock(&self.line.state);
            state.has_sender = false;
            mem::take(&mut state.waiting)
        };
        drop(waiting);
    }
}

/// Offers whose attempt was sent. When dropped, it answers the rest with `Lost`.
struct Flight {
    session: Arc<Session>,
    keys: Arc<QueueKeys>,
    group: Vec<WaitingOffer>,
    _in_flight: InFlight,
}

impl Flight {
    fn answer(&mut self, attempted: Result<Tried, Failure>, sent_us: i64) {
        let group = mem::take(&mut self.group);
        let answer = match attempted {
            Ok(Tried::Done(_)) => Ok(()),
            // Too late for the caller that began first; the others may have time left.
            Ok(Tried::TooLate(_)) => return,
            Err(failure) if group.len() > 1 && is_of_element(&failure) => return,
            Err(failure) => Err(FailedFirst { failure, sent_us }),
        };
        for waiting in group {
            // The caller may have gone.
            let _ = waiting.answer.send(answer.clone());
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // Some are left only if the runtime ended or the attempt panicked.
        if self.group.is_empty() {
            return;
        }
        let lost = std::io::Error::from(std::io::ErrorKind::ConnectionAborted);
        let lost = self.session.node(&self.keys).calls.met(lost.into());
        self.answer(Err(Failure::Lost(lost)), i64::MIN);
    }
}

/// True if one element made the script refuse all.
fn is_of_element(failure: &Failure) -> bool {
    match failure {
        Failure::Refused(error) => matches!(error.code(), Some("RDQEXPIRY" | "RDQRANGE")),
        Failure::Lost(_) | Failure::NotSent(_) => false,
    }
}
