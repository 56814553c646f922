//! The line of a queue: offers that are made at the same time share a script.
//!
//! While few attempts are in flight an offer makes its own. Otherwise its element lines up, and a
//! task of the client sends what stands in line as one script when a slot gets free. Only first
//! attempts are made so. An offer that hears of no certain result goes on by itself, as [`Offer`]
//! does, and so does one whose group was refused for what may be the fault of another element.
//!
//! A caller may stop polling its offer at any moment, and drop it or not. So no caller sends what
//! is another's, and the line waits for the attempt of a caller for a while only.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::{Notify, oneshot};

use super::attempt::{Failed, Offer};
use super::many::MOST;
use super::{Due, Element};
use crate::client::session::Shared;
use crate::link::connection::{Failure, LARGE};
use crate::sync::lock;
use crate::wire::chunk::split;
use crate::wire::keys::QueueKeys;
use crate::wire::script;

mod sender;

use sender::Sender;

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
    /// Waits for a slot, but not beyond this moment.
    WaitUntil(Instant),
    /// Waits for more to stand in line.
    Wait,
    End,
}

/// How an element gets to Redis.
enum Way {
    /// By an attempt of its caller.
    Alone(Slot),
    /// With others; the answer will come here.
    Together(oneshot::Receiver<Result<(), Failure>>),
}

impl Line {
    /// How many attempts may be in flight before elements line up: while Redis runs one, the next
    /// is made ready.
    const SLOTS: usize = 2;
    /// How long to stand in line for a slot that does not get free: its caller may have stopped
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
        let due = std::iter::once(element.due);
        let mut offer = Offer::new(client, keys, due, element.size());
        if element.size() >= LARGE {
            // It goes over a socket of its own: the small ones neither wait for it nor hold it up.
            return offer.run(attempt).await;
        }
        let first = match self.enter(client, keys, element, offer.started) {
            Way::Alone(_slot) => Some(offer.attempt(attempt).await),
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
        if state.in_flight < Self::SLOTS && !state.has_sender {
            state.in_flight += 1;
            return Way::Alone(Slot {
                line: Arc::clone(self),
            });
        }
        let is_first = state.waiting.is_empty();
        let (answer, answered) = oneshot::channel();
        state.waiting.push_back(Waiting {
            member: element.ticket.as_bytes().clone(),
            due: element.due,
            started,
            answer,
        });
        let starts = !state.has_sender;
        state.has_sender = true;
        drop(state);
        if starts {
            let sender = Sender::new(Arc::clone(self), Arc::clone(client), Arc::clone(keys));
            client.spawn(async move {
                sender.run().await;
                Ok(())
            });
        } else if is_first {
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
            if state.in_flight >= Self::SLOTS && Instant::now() < patient_until {
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
struct Slot {
    line: Arc<Line>,
}

impl Drop for Slot {
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

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The member holds the payload, which may be anything, and anybody's.
        f.debug_struct("Waiting")
            .field("bytes", &self.member.len())
            .field("due", &self.due)
            .finish_non_exhaustive()
    }
}
