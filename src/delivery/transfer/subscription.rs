//! Listening to the channels of the queues, Redisson's and this crate's own, on a socket that does
//! nothing else.
//!
//! While nothing can be heard, this client moves and claims as if there were no other, and what it
//! missed is found by a look at the queue once it listens again. So losing this socket loses and
//! delays nothing that is on its way to callers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use tokio::time::sleep;

use super::{Arranged, Arrangement, Service};
use crate::delivery::peers::Message;
use crate::delivery::transfer::agenda::{Agenda, Run};
use crate::error::Step;
use crate::event::Event;
use crate::link::connection::Failure;
use crate::wire::keys::QueueKeys;

/// What the service listens with.
#[derive(Debug, Default)]
pub(super) enum Ear {
    /// No queue needs it yet.
    #[default]
    Unused,
    /// A connection is being made.
    Connecting,
    /// The connection of this number has the subscriptions.
    Listening(u64),
}

impl Service {
    /// The least time between two commands that show whether the server still answers.
    const LEAST_PAUSE: Duration = Duration::from_millis(10);

    /// Listens to a queue that is looked after from now on, on a connection that is made for the
    /// first one.
    pub(super) fn listen_to(&self, keys: Arc<QueueKeys>, ear: &mut Ear) -> Option<Arrangement> {
        match ear {
            Ear::Unused => Some(self.connect_to_listen(ear)),
            // A new connection gets all subscriptions.
            Ear::Connecting => None,
            Ear::Listening(_) => Some(self.subscribe(keys.target().into(), keys)),
        }
    }

    /// Connects again if the connection is gone.
    pub(super) fn listen_again(&self, agenda: &mut Agenda, ear: &mut Ear) -> Option<Arrangement> {
        match *ear {
            Ear::Listening(generation) if !self.subscription.is_current(generation) => {}
            _ => return None,
        }
        let (server, cause) = (self.subscription.server(), self.subscription.cause());
        tracing::info!(server, %cause, "lost the connection that listens");
        // From now on nobody can call this client.
        agenda.poll_all(Instant::now());
        Some(self.connect_to_listen(ear))
    }

    fn connect_to_listen(&self, ear: &mut Ear) -> Arrangement {
        *ear = Ear::Connecting;
        let connected = self.connected(Arc::clone(&self.subscription));
        connected.map(Arranged::Listening).boxed()
    }

    /// Has all queues subscribed to on a new connection, and the connection watched.
    pub(super) fn listening(
        &self,
        agenda: &Agenda,
        ear: &mut Ear,
        generation: u64,
    ) -> Vec<Arrangement> {
        *ear = Ear::Listening(generation);
        let transferred = agenda.all().filter(|it| it.transfer);
        let subscriptions = transferred.map(|it| {
            let keys = Arc::clone(&it.keys);
            self.subscribe(keys.target().into(), keys)
        });
        subscriptions.chain([self.probe(generation)]).collect()
    }

    /// Asks again and again whether the server still answers on the connection of this number: one
    /// that only listens would not notice. Ends with the connection.
    ///
    /// Asks for the time, which a client may do that may connect at all; `PING` would need a right
    /// of its own.
    fn probe(&self, generation: u64) -> Arrangement {
        let link = Arc::clone(&self.subscription);
        let pause = (self.options.timeouts.response / 2).max(Self::LEAST_PAUSE);
        async move {
            loop {
                sleep(pause).await;
                if !link.is_current(generation) {
                    return Arranged::Deaf;
                }
                // The link gives the connection up when the answer does not come.
                let _ = link
                    .call(|mut it| async move { redis::cmd("TIME").exec_async(&mut it).await })
                    .await;
            }
        }
        .boxed()
    }

    /// How long to leave a refused subscription before asking again.
    const RESUBSCRIBE: Duration = Duration::from_secs(30);

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
                // Without our own this client moves and claims as if there were no other.
                result = subscribe(&[keys.channel()]).await;
            }
            Arranged::Subscribed { name, result }
        }
        .boxed()
    }

    /// Asks once more for a subscription that was refused, if it is time.
    pub(super) fn resubscribe(&self, agenda: &mut Agenda, run: &Run) -> Option<Arrangement> {
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
                // What was published before is found by one more look, by nobody's leave.
                watched.herd.part();
                watched.tell_role();
                agenda.bring_forward(name, Instant::now());
            }
            Err(failure @ Failure::Refused(_)) => {
                watched.resubscribe_at = Some(Instant::now() + Self::RESUBSCRIBE);
                self.reporter.report(Event::SubscriptionRefused {
                    queue: name.to_string(),
                    error: failure.into_error(Step::Subscribe),
                });
            }
            // The connection is gone, and the next one gets a subscription again.
            Err(Failure::Lost(_) | Failure::NotSent(_)) => {}
        }
    }

    pub(super) fn unsubscribe(&self, keys: Arc<QueueKeys>) -> Arrangement {
        let link = Arc::clone(&self.subscription);
        async move {
            // If that fails, messages for a queue that nobody knows are dropped.
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

    /// Takes in a message: the due time of a new head, unix ms by its sender's clock, or what the
    /// clients of this crate tell each other.
    pub(super) fn hear(&self, agenda: &mut Agenda, channel: &[u8], payload: &[u8]) {
        let Ok(channel) = std::str::from_utf8(channel) else {
            return;
        };
        let now = Instant::now();
        let at = |due_ms| self.options.clock.instant_of_ms(due_ms, &self.clock, now);
        if let Some(name) = agenda.by_own_channel(channel) {
            if let Some(message) = Message::parse(payload) {
                let head = message.head_ms().map(|it| at(it).unwrap_or(now));
                agenda.hear(&name, &message, head, now);
            }
            return;
        }
        let Some(name) = agenda.by_channel(channel) else {
            return;
        };
        let due_ms = std::str::from_utf8(payload)
            .ok()
            .and_then(|it| it.parse().ok());
        // It may come from a queue of that name in another database, so it is but a hint. Anything
        // that is no number, or comes before the clock is known, is worth a look now.
        agenda.bring_forward(&name, due_ms.and_then(at).unwrap_or(now));
    }
}
