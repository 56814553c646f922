//! The line of a queue: offers that are made at the same time share a script.
//!
//! While fewer than two attempts are in flight, an offer sends its own. Otherwise its element waits
//! in line, and a task sends all waiting elements as one script when one of these attempts ends. The
//! line makes only first attempts. If an offer gets no certain result, it goes on alone with
//! [`Attempts`]. It also goes on alone if its group was refused because of one element.
//!
//! A caller may stop polling its offer at any moment. So no caller sends another caller's element,
//! and the line waits for a caller's attempt only for [`PATIENCE`](Line::PATIENCE).

use std::sync::Arc;

use tokio::sync::oneshot;

use super::Element;
use super::attempts::{Attempts, Failed, FailedFirst, Tried};
use crate::delivery::session::Session;
use crate::link::connection::LARGE;
use crate::sync::lock;
use crate::wire::keys::QueueKeys;
use crate::wire::script;

mod sender;
mod waiting;

use sender::Sender;
use tokio::time::Instant;
use waiting::{InFlight, WaitingOffer};

pub(crate) use waiting::Line;

/// How an element gets to Redis.
enum Way {
    /// By an attempt of its caller.
    Alone(InFlight),
    /// With others; the answer will come here.
    Together(oneshot::Receiver<Result<(), FailedFirst>>),
}

impl Line {
    /// Stores one element.
    pub(crate) async fn offer(
        self: &Arc<Self>,
        session: &Arc<Session>,
        keys: &Arc<QueueKeys>,
        element: &Element,
    ) -> Result<(), Failed> {
        session.ensure_open().map_err(Failed::Certain)?;
        let attempt = |connection, attempt| async move {
            let elements = std::iter::once(element.parts());
            script::offer(connection, keys, elements, &attempt).await
        };
        let due = std::iter::once(element.when);
        let mut attempts = Attempts::new(session, keys, due, element.size());
        if element.size() >= LARGE {
            // A large call goes over a socket of its own. Small offers neither wait for it nor hold
            // it up.
            return Box::pin(attempts.run(attempt)).await.map(drop);
        }
        let first = match self.enter(session, keys, element, attempts.started) {
            Way::Alone(_in_flight) => Some(attempts.attempt(attempt).await),
            Way::Together(answer) => match answer.await.ok() {
                Some(Ok(())) => return Ok(()),
                Some(Err(first)) => Some(Err(attempts.note_first(first))),
                None => None,
            },
        };
        match first {
            Some(Ok(Tried::Done(_))) => Ok(()),
            // In a box, for few offers go on.
            first => Box::pin(attempts.go_on(first, attempt)).await.map(drop),
        }
    }

    fn enter(
        self: &Arc<Self>,
        session: &Arc<Session>,
        keys: &Arc<QueueKeys>,
        element: &Element,
        started: Instant,
    ) -> Way {
        let mut state = lock(&self.state);
        if state.in_flight < Self::MOST_IN_FLIGHT && !state.has_sender {
            state.in_flight += 1;
            return Way::Alone(InFlight {
                line: Arc::clone(self),
            });
        }
        let is_first = state.waiting.is_empty();
        let (answer, answered) = oneshot::channel();
        state.waiting.push_back(WaitingOffer {
            member: element.ticket.as_bytes().clone(),
            when: element.when,
            started,
            answer,
        });
        let starts = !state.has_sender;
        state.has_sender = true;
        drop(state);
        if starts {
            let sender = Sender::new(Arc::clone(self), Arc::clone(session), Arc::clone(keys));
            session.tasks.spawn(async move {
                sender.run().await;
                Ok(())
            });
        } else if is_first {
            self.changed.notify_one();
        }
        Way::Together(answered)
    }
}
