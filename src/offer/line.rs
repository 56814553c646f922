//! The line of a queue: offers that are made at the same time share a script.
//!
//! While few attempts are in flight an offer makes its own. Otherwise its element lines up, and a
//! task of the client sends what stands in line as one script when a place gets free. Only first
//! attempts are made so. An offer that hears of no certain result goes on by itself, as
//! [`Offer`](super::Offer) does, and so does one whose group was refused for what may be the fault
//! of another element.
//!
//! A caller may stop polling its offer at any moment, and drop it or not. So the line waits for the
//! attempt of a caller for a while only, and nobody else's element is in a caller's hands.

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::sync::{Notify, oneshot};
use tokio::task::yield_now;
use tokio::time::sleep_until;

use super::many::MOST;
use super::{Due, Element, Failed, Offer};
use crate::chunk::split;
use crate::connection::Failure;
use crate::keys::QueueKeys;
use crate::script;
use crate::shared::Shared;
use crate::sync::lock;

/// The single offers to one queue that are being made.
#[derive(Debug, Default)]
pub(crate) struct Line {
    state: Mutex<State>,
    /// Told when the sender may have something to do.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// How many attempts were sent and are not over, of callers and of the sender.
    in_flight: usize,
    /// Whether a task sends what stands in line.
    has_sender: bool,
    waiting: VecDeque<Waiting>,
}

/// An element in line.
struct Waiting {
    member: Bytes,
    due: Due,
    /// When its offer began.
    started: Instant,
    /// Dropped if no attempt was made, or one that was refused for what may be the fault of
    /// another element.
    answer: oneshot::Sender<Result<(), Failure>>,
}

/// What the sender does next.
enum Next {
    Send(Vec<Waiting>),
    /// Waits for a place, until then.
    WaitUntil(Instant),
    /// Waits for more to stand in line.
    Wait,
    End,
}

/// How an element gets to Redis.
enum Way {
    /// By an attempt of its caller.
    Alone(Place),
    /// With others; the answer will come here.
    Together(oneshot::Receiver<Result<(), Failure>>),
}

impl Line {
    /// How many attempts may be in flight before elements line up: while Redis runs one, the next
    /// is made ready.
    const PLACES: usize = 2;
    /// How long to stand in line for a place that does not get free: its caller may have stopped
    /// polling, or Redis is far away.
    const PATIENCE: Duration = Duration::from_millis(5);

    /// Stores one element.
    pub(crate) async fn offer(
        self: &Arc<Self>,
        client: &Arc<Shared>,
        keys: &Arc<QueueKeys>,
        element: &Element,
    ) -> Result<(), Failed> {
        client.ensure_open().map_err(Failed::Certain)?;
        let attempt = |connection, attempt| async move {
            let elements = std::iter::once(element.parts());
            script::offer(connection, keys, elements, &attempt).await
        };
        let mut offer = Offer::new(client, keys, std::iter::once(element.due));
        let first = match self.enter(client, keys, element, offer.started) {
            Way::Alone(_place) => Some(offer.attempt(attempt).await),
            Way::Together(answer) => answer.await.ok().map(|answer| answer.map(Some)),
        };
        offer.go_on(first, attempt).await
    }

    fn enter(
        self: &Arc<Self>,
        client: &Arc<Shared>,
        keys: &Arc<QueueKeys>,
        element: &Element,
        started: Instant,
    ) -> Way {
        let mut state = lock(&self.state);
        if state.in_flight < Self::PLACES && !state.has_sender {
            state.in_flight += 1;
            return Way::Alone(Place {
                line: Arc::clone(self),
            });
        }
        let (answer, answered) = oneshot::channel();
        state.waiting.push_back(Waiting {
            member: element.ticket.as_bytes().clone(),
            due: element.due,
            started,
            answer,
        });
        let starts = !state.has_sender;
        state.has_sender = true;
        let has_place = state.in_flight < Self::PLACES;
        drop(state);
        if starts {
            let sender = Sender {
                line: Arc::clone(self),
                client: Arc::clone(client),
                keys: Arc::clone(keys),
                has_ended: false,
            };
            client.spawn(async move {
                sender.run().await;
                Ok(())
            });
        } else if has_place {
            self.changed.notify_one();
        }
        Way::Together(answered)
    }

    /// What a sender does next that has this many attempts in flight.
    fn next(&self, own: usize) -> Next {
        let mut state = lock(&self.state);
        let state = &mut *state;
        loop {
            let Some(first) = state.waiting.front() else {
                if own > 0 {
                    return Next::Wait;
                }
                state.has_sender = false;
                return Next::End;
            };
            let patient_until = first.started + Self::PATIENCE;
            if state.in_flight >= Self::PLACES && Instant::now() < patient_until {
                return Next::WaitUntil(patient_until);
            }
            let group = state.next_group();
            if !group.is_empty() {
                state.in_flight += 1;
                return Next::Send(group);
            }
        }
    }
}

impl State {
    /// Takes the elements that go into one script: here alone is decided which may.
    fn next_group(&mut self) -> Vec<Waiting> {
        let size = |waiting: &Waiting| waiting.member.len();
        let (group, _) = split(self.waiting.make_contiguous(), MOST, size);
        let count = group.len();
        let group = self.waiting.drain(..count);
        // What was dropped in line is not sent.
        group.filter(|it| !it.answer.is_closed()).collect()
    }
}

/// Stands for an attempt in flight.
#[derive(Debug)]
struct Place {
    line: Arc<Line>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let has_sender = {
            let mut state = lock(&self.line.state);
            state.in_flight -= 1;
            state.has_sender
        };
        if has_sender {
            self.line.changed.notify_one();
        }
    }
}

/// Sends what stands in line, until nothing does. Dropped, it leaves each element to its caller.
#[derive(Debug)]
struct Sender {
    line: Arc<Line>,
    client: Arc<Shared>,
    keys: Arc<QueueKeys>,
    /// Nothing stood in line, so another may have begun.
    has_ended: bool,
}

impl Sender {
    async fn run(mut self) {
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
                // So is that of a caller, or there is a place for what lined up.
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
            group,
            _place: Place {
                line: Arc::clone(&self.line),
            },
        };
        let due = flight.group.iter().map(|it| it.due);
        let started = flight.group.iter().map(|it| it.started).min();
        let mut offer = Offer::new(&self.client, &self.keys, due);
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
        // Those that were answered offer again first, so that the next group is not one of few.
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
    group: Vec<Waiting>,
    _place: Place,
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
        self.answer(Err(Failure::Lost(lost.into())));
    }
}

/// Whether a script refused what may be one element of several, having written none.
fn is_of_element(failure: &Failure) -> bool {
    matches!(failure, Failure::Refused(error) if matches!(error.code(), Some("RDQEXPIRY" | "RDQRANGE")))
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The member holds the payload, which may be anything, and anybody's.
        f.debug_struct("Waiting")
            .field("bytes", &self.member.len())
            .field("due", &self.due)
            .finish_non_exhaustive()
    }
}
