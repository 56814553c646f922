//! Listening to the queues' channels, Redisson's and this crate's own, on a socket of its own.
//!
//! While this client cannot listen, it transfers and claims as if it were alone. When it listens
//! again, it looks at every queue to find what it missed. Losing this socket neither loses nor
//! delays claimed elements. Another client's offer may be noticed a safety poll late.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::time::Instant;

use super::Service;
use super::arrangement::{Arranged, Arrangement};
use super::ear::Ear;
use crate::delivery::peers::Message;
use crate::delivery::transfer::agenda::{Agenda, PlannedRun};
use crate::error::Step;
use crate::event::Event;
use crate::link::clock::Clock;
use crate::link::connection::Failure;
use crate::wire::keys::QueueKeys;

impl Service {
    /// How long to leave a refused subscription before asking again.
    const RESUBSCRIBE: Duration = Duration::from_secs(30);

    /// Listens to a new queue. The first queue makes the connection.
    pub(super) fn listen_to(&self, keys: Arc<QueueKeys>, ear: &mut Ear) -> Option<Arrangement> {
        match ear {
            Ear::Unused => Some(self.connect_to_listen(ear, false)),
            // A new connection subscribes to all queues.
            Ear::Connecting { .. } => None,
            Ear::Listening(_) => Some(self.subscribe(keys.target().into(), keys)),
        }
    }

    /// Connects again if the connection is gone.
    pub(super) fn listen_again(&self, agenda: &mut Agenda, ear: &mut Ear) -> Option<Arrangement> {
        match *ear {
            Ear::Listening(generation) if !self.subscription.is_current(generation) => {}
            _ => return None,
        }
        self.reporter.report(Event::Degraded {
            server: self.subscription.server().to_string(),
            queue: None,
            cause: self.subscription.cause(),
        });
        // No client can call this one any more.
        agenda.poll_all(Instant::now());
        Some(self.connect_to_listen(ear, true))
    }

    fn connect_to_listen(&self, ear: &mut Ear, was_lost: bool) -> Arrangement {
        *ear = Ear::Connecting { was_lost };
        let connected = self.connected(Arc::clone(&self.subscription));
        connected.map(Arranged::Listening).boxed()
    }

    /// Subscribes to all queues on a new connection.
    pub(super) fn listening(
        &self,
        agenda: &Agenda,
        ear: &mut Ear,
        generation: u64,
    ) -> Vec<Arrangement> {
        if matches!(ear, Ear::Connecting { was_lost: true }) {
            self.reporter.report(Event::Recovered {
                server: self.subscription.server().to_string(),
                queue: None,
            });
        }
        *ear = Ear::Listening(generation);
        let transferred = agenda.all().filter(|it| it.is_transferred);
        let subscriptions = transferred.map(|it| {
            let keys = Arc::clone(&it.keys);
            self.subscribe(keys.target().into(), keys)
        });
        subscriptions.collect()
    }

    pub(super) fn subscribe(&self, name: Arc<str>, keys: Arc<QueueKeys>) -> Arrangement {
        let link = Arc::clone(&self.subscription);
        async move {
            let subscribe = async |channels: &[&str]| {
                link.call(|mut connection| async move { connection.subscribe(channels).await })
                    .await
            };
            let moved = keys.moved(link.database());
            let mut result = subscribe(&[keys.channel(), &moved]).await;
            if matches!(result, Err(Failure::Refused(_))) {
                // Without this crate's channel, the client transfers and claims as if it were
                // alone.
                result = subscribe(&[keys.channel()]).await;
            }
            Arranged::Subscribed { name, result }
        }
        .boxed()
    }

    /// Asks again for a refused subscription, if it is time.
    pub(super) fn resubscribe(&self, agenda: &mut Agenda, run: &PlannedRun) -> Option<Arrangement> {
        let watched = agenda.get_mut(&run.name)?;
        watched
            .resubscribe_at
            .take_if(|at| *at <= Instant::now())
            .map(|_| self.subscribe(Arc::clone(&run.name), Arc::clone(&run.keys)))
    }

    pub(super) fn subscribed(
        &self,
        agenda: &mut Agenda,
        name: &Arc<str>,
        result: Result<(), Failure>,
    ) {
        let Some(watched) = agenda.get_mut(name) else {
            return;
        };
        match result {
            Ok(()) => {
                watched.is_subscription_refused = false;
                // One more look finds what was published before, whoever leads.
                watched.herd.part();
                watched.tell_role();
                agenda.bring_forward(name, Instant::now());
            }
            Err(failure @ Failure::Refused(_)) => {
                watched.resubscribe_at = Some(Instant::now() + Self::RESUBSCRIBE);
                if std::mem::replace(&mut watched.is_subscription_refused, true) {
                    return;
                }
                self.reporter.report(Event::SubscriptionRefused {
                    queue: watched.keys.name().to_owned(),
                    error: failure.into_error(Step::Subscribe),
                });
            }
            // The connection is gone. The next one subscribes again.
            Err(Failure::Lost(_) | Failure::NotSent(_)) => {}
        }
    }

    pub(super) fn unsubscribe(&self, keys: Arc<QueueKeys>) -> Arrangement {
        let link = Arc::clone(&self.subscription);
        async move {
            // If that fails, messages still come, and are dropped since nobody knows the queue.
            let _ = link
                .call(|mut connection| {
                    let moved = keys.moved(link.database());
                    let channels = [keys.channel().to_owned(), moved];
                    async move { connection.unsubscribe(&channels[..]).await }
                })
                .await;
            Arranged::Unsubscribed
        }
        .boxed()
    }

    /// Handles a message. On Redisson's channel it is the due time of a new head, unix ms by the
    /// sender's clock. On this crate's channel it is a [`Message`].
    pub(super) fn hear(&self, agenda: &mut Agenda, channel: &[u8], payload: &[u8]) {
        let Ok(channel) = std::str::from_utf8(channel) else {
            return;
        };
        let now = Instant::now();
        let at = |due_ms| {
            self.options
                .clock
                .instant_of_ms(due_ms, self.link.clock(), now)
        };
        let Some(keys) = agenda.by_channel(channel) else {
            return;
        };
        if channel != keys.channel() {
            match Message::parse(payload) {
                Some(Message::Moved(moved)) => {
                    let head = moved.head_ms.map(|it| at(it).unwrap_or(now));
                    agenda.hear_moved(keys.target(), &moved, head, now);
                }
                Some(Message::Retry(due_ms)) => {
                    let at = Clock::Redis.instant_of_ms(due_ms, self.link.clock(), now);
                    agenda.tell_retry(keys.target(), at.unwrap_or(now));
                }
                Some(Message::Waiting(peer)) => agenda.hear_waiting(keys.target(), peer),
                None => {}
            }
            return;
        }
        let due_ms = std::str::from_utf8(payload)
            .ok()
            .and_then(|it| it.parse().ok());
        // Only a hint: it may concern a queue of that name in another database. If it is no number,
        // or comes before the clock is known, it is worth a look now.
        agenda.bring_forward(keys.target(), due_ms.and_then(at).unwrap_or(now));
    }
}
