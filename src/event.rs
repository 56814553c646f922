//! What a client reports besides the results of calls.

use bytes::Bytes;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::error::Error;

/// Something that happened in the background.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The connection that delivers is up, for the first time or again.
    Connected,
    /// The connection that delivers is down. Reported once; the client keeps trying.
    Disconnected,
    /// This receiver was too slow: so many events before the next one are gone.
    Missed {
        /// How many.
        count: u64,
    },
    /// A member that is no packed value was taken out of the timeout set and the ordering list.
    ///
    /// Something other than Redisson or this crate wrote it. It is kept, with the due time it had,
    /// in the sorted set `rdq1_quarantine:{name}`; left where it was it would stop every
    /// Redisson client on the queue.
    Quarantined {
        /// The queue's name.
        queue: String,
        /// The member as it stood in Redis.
        member: Bytes,
    },
    /// Redis does not let this client subscribe to a queue's channel.
    ///
    /// Elements that other clients offer may be late by up to the
    /// [`safety_poll`](crate::ClientBuilder::safety_poll). Nothing is lost.
    SubscriptionRefused {
        /// The queue's name.
        queue: String,
        /// What Redis answered.
        error: Error,
    },
    /// Redis does not tell this client when a key changes (`CLIENT TRACKING`).
    ///
    /// Elements that another client moves to a target queue may be late by up to the
    /// [`safety_poll`](crate::ClientBuilder::safety_poll). Nothing is lost.
    TrackingRefused {
        /// What Redis answered.
        error: Error,
    },
    /// What is due in a queue could not be moved. Reported once; the client keeps trying.
    TransferFailed {
        /// The queue's name.
        queue: String,
        /// Why.
        error: Error,
    },
    /// Moving what is due works again after [`Event::TransferFailed`].
    TransferResumed {
        /// The queue's name.
        queue: String,
    },
}

/// Receives the events of one client from the moment of [`Client::events`](crate::Client::events)
/// on.
#[derive(Debug)]
pub struct Events {
    receiver: broadcast::Receiver<Event>,
}

impl Events {
    /// Waits for the next event; nothing once the client is gone.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event was taken if dropped.
    pub async fn next(&mut self) -> Option<Event> {
        match self.receiver.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(count)) => Some(Event::Missed { count }),
            Err(RecvError::Closed) => None,
        }
    }
}

/// Where the parts of a client report events. Clones report to the same receivers.
#[derive(Clone, Debug)]
pub(crate) struct Reporter {
    sender: broadcast::Sender<Event>,
}

impl Reporter {
    /// How many events a receiver may be behind before it misses some.
    const CAPACITY: usize = 1024;

    pub(crate) fn new() -> Self {
        Self {
            sender: broadcast::Sender::new(Self::CAPACITY),
        }
    }

    pub(crate) fn report(&self, event: Event) {
        match &event {
            Event::Connected | Event::TransferResumed { .. } => tracing::info!(?event),
            event => tracing::warn!(?event),
        }
        // Without a receiver the log line above is all there is to do.
        let _ = self.sender.send(event);
    }

    pub(crate) fn subscribe(&self) -> Events {
        Events {
            receiver: self.sender.subscribe(),
        }
    }
}
