//! Listening to the channels of the queues: Redisson's, and this crate's own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;

use super::{Arranged, Arrangement, Message, Service};
use crate::agenda::{Agenda, Run, Watched};
use crate::connection::Failure;
use crate::error::Step;
use crate::event::Event;
use crate::keys::QueueKeys;

impl Service {
    /// How long to leave a refused subscription before asking again.
    const RESUBSCRIBE: Duration = Duration::from_secs(30);

    pub(super) fn subscribe(&self, name: Arc<str>, keys: Arc<QueueKeys>) -> Arrangement {
        let link = Arc::clone(&self.link);
        async move {
            let subscribe = async |channels: &[&str]| {
                link.call(|mut connection| async move { connection.subscribe(channels).await })
                    .await
            };
            let mut result = subscribe(&[keys.channel(), keys.moved()]).await;
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
            // What was published before is found by one more look.
            Ok(()) => agenda.bring_forward(name, Instant::now()),
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
        let link = Arc::clone(&self.link);
        async move {
            // If that fails, messages for a queue that nobody knows are dropped.
            let _ = link
                .call(|mut connection| {
                    let channels = [keys.channel().to_owned(), keys.moved().to_owned()];
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
        let Some((channel, name)) = std::str::from_utf8(channel)
            .ok()
            .and_then(|it| agenda.by_channel(it).map(|name| (it, name)))
        else {
            return;
        };
        let now = Instant::now();
        let at = |due_ms| self.options.clock.instant_of_ms(due_ms, &self.clock, now);
        let is_own = |it: &mut Watched| it.keys.moved() == channel;
        if agenda.get_mut(&name).is_some_and(is_own) {
            if let Some(message) = Message::parse(payload) {
                let head = message.head_ms().map(|it| at(it).unwrap_or(now));
                agenda.hear(&name, &message, head, now);
            }
            return;
        }
        let due_ms = std::str::from_utf8(payload)
            .ok()
            .and_then(|it| it.parse().ok());
        // Anything that is no number, or comes before the clock is known, is worth a look now.
        agenda.bring_forward(&name, due_ms.and_then(at).unwrap_or(now));
    }
}
