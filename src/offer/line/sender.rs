//! The task that sends what stands in line.

use std::mem;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::task::yield_now;
use tokio::time::sleep_until;

use super::{Line, Next, Slot, Waiting};
use crate::client::session::Shared;
use crate::link::connection::Failure;
use crate::offer::Offer;
use crate::sync::lock;
use crate::wire::keys::QueueKeys;
use crate::wire::script;

/// Sends what stands in line, until nothing does. Dropped, it leaves each element to its caller.
#[derive(Debug)]
pub(super) struct Sender {
    line: Arc<Line>,
    client: Arc<Shared>,
    keys: Arc<QueueKeys>,
    /// Nothing stood in line, so another may have begun.
    has_ended: bool,
}

impl Sender {
    /// To be made where the line says that it has one.
    pub(super) fn new(line: Arc<Line>, client: Arc<Shared>, keys: Arc<QueueKeys>) -> Self {
        Self {
            line,
            client,
            keys,
            has_ended: false,
        }
    }

    pub(super) async fn run(mut self) {
        let mut flights = FuturesUnordered::new();
        // A closed client sends nothing more, which its callers find out by themselves.
        while self.client.ensure_open().is_ok() {
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
                    Some(moment) => sleep_until(moment.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // An attempt is over.
                Some(()) = flights.next() => {}
                // So is that of a caller, or something lined up.
                () = self.line.changed.notified() => {}
                // The first in line has waited long enough.
                () = patience => {}
            }
        }
        while flights.next().await.is_some() {}
    }

    /// Makes the first attempt at these offers, and tells each what came of it.
    async fn send(&self, group: Vec<Waiting>) {
        let mut flight = Flight {
            client: Arc::clone(&self.client),
            group,
            _slot: Slot {
                line: Arc::clone(&self.line),
            },
        };
        let due = flight.group.iter().map(|it| it.due);
        let started = flight.group.iter().map(|it| it.started).min();
        let bytes = flight.group.iter().map(|it| it.member.len()).sum();
        let mut offer = Offer::new(&self.client, &self.keys, due, bytes);
        // None takes effect after the window of the caller that began first.
        offer.started = started.unwrap_or(offer.started);
        let (keys, group) = (&self.keys, &flight.group);
        let attempted = offer
            .attempt(|connection, attempt| async move {
                let elements = group.iter().map(|it| (&it.member[..], it.due.when()));
                script::offer(connection, keys, elements, &attempt).await
            })
            .await;
        flight.answer(attempted);
        // The callers that were answered may offer again at once: the next group is to have all.
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

/// Offers whose attempt was sent. Dropped, it tells those that have no answer that theirs is lost.
struct Flight {
    client: Arc<Shared>,
    group: Vec<Waiting>,
    _slot: Slot,
}

impl Flight {
    fn answer(&mut self, attempted: Result<Option<()>, Failure>) {
        let group = mem::take(&mut self.group);
        let answer = match attempted {
            Ok(Some(())) => Ok(()),
            // Too late for the caller that began first; the others may have time left.
            Ok(None) => return,
            Err(failure) if group.len() > 1 && is_of_element(&failure) => return,
            Err(failure) => Err(failure),
        };
        for waiting in group {
            // A caller that has gone knows nothing, as the documentation says.
            let _ = waiting.answer.send(answer.clone());
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // Only the end of the runtime, or a panic, leaves any.
        let lost = std::io::Error::from(std::io::ErrorKind::ConnectionAborted);
        let lost = self.client.commands.met(lost.into());
        self.answer(Err(Failure::Lost(lost)));
    }
}

/// Whether the script wrote nothing because of one element.
fn is_of_element(failure: &Failure) -> bool {
    match failure {
        Failure::Refused(error) => matches!(error.code(), Some("RDQEXPIRY" | "RDQRANGE")),
        Failure::Lost(_) | Failure::NotSent(_) => false,
    }
}
