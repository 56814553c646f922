//! What a client reports besides the results of calls.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::error::{Cause, Error};
use crate::sync::lock;
use crate::ticket::Ticket;

/// Something that happened in the background.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The connection that delivers leads to a node of a Redis Cluster, which this crate does not
    /// support yet. Reported once.
    ///
    /// The node refuses calls about queues that other nodes hold (`MOVED`), and consumers of these
    /// wait in vain.
    #[non_exhaustive]
    Cluster {
        /// The server's address, without credentials.
        server: String,
    },
    /// The connection that delivers is up, for the first time or again.
    ///
    /// That is the one on which elements are moved and claimed. A client that moves listens on
    /// another, whose loss is no event: while it is made again, elements that other clients offer
    /// may be late by up to the [`safety_poll`](crate::ClientBuilder::safety_poll).
    Connected,
    /// Redis does not let this client in. Reported once for each time that the connection is down;
    /// the client keeps trying.
    #[non_exhaustive]
    Denied {
        /// What Redis answered.
        error: Error,
    },
    /// The connection that delivers is down. Reported once; the client keeps trying.
    #[non_exhaustive]
    Disconnected {
        /// The server's address, without credentials.
        server: String,
        /// Why it was given up: it was closed, a reply did not come in time, or the server takes no
        /// writes any more (`READONLY`).
        cause: Cause,
    },
    /// An element was due and is not delivered, for the time has passed that its
    /// [`offer_expiring`](crate::DelayedQueue::offer_expiring) gave it.
    ///
    /// The client that removed it reports it, if it got the reply.
    /// [`DelayedQueue::expired`](crate::DelayedQueue::expired) counts all.
    #[non_exhaustive]
    Expired {
        /// The queue's name.
        queue: String,
        /// The element, with its payload: it is no longer in Redis.
        ticket: Ticket,
    },
    /// This receiver was too slow: so many events before the next one are gone.
    #[non_exhaustive]
    Missed {
        /// How many.
        count: u64,
    },
    /// Malformed members, which are no packed values, were taken out of the queue.
    ///
    /// Something other than Redisson or this crate wrote them. Left in place they would stop every
    /// Redisson client on the queue. The sorted set `rdq1_quarantine:{name}` keeps them with the
    /// due times they had, up to a [limit](crate::wire::keys#when-keys-go). During a flood of them a
    /// client reports about once a second.
    #[non_exhaustive]
    Quarantined {
        /// The queue's name.
        queue: String,
        /// How many members were taken out since the last report.
        count: u64,
        /// How many of `count` are gone because the quarantine is full.
        dropped: u64,
        /// The first of them as they stood in Redis: at most 16, and at most 64 KiB together.
        members: Vec<Bytes>,
    },
    /// The connection that delivers leads to a replica, which takes no writes. Reported once.
    ///
    /// Offers are [refused](crate::Error::Refused) and consumers wait. The client connects again
    /// until it reaches a master.
    #[non_exhaustive]
    Replica {
        /// The server's address, without credentials.
        server: String,
    },
    /// The periodic offers of a queue could not be looked at, or not be fired. Reported once; the
    /// client keeps trying.
    #[non_exhaustive]
    ScheduleFailed {
        /// The queue's name.
        queue: String,
        /// Why.
        error: Error,
    },
    /// A stored periodic offer is none that this version can read. It is left alone; others fire.
    /// Reported once for each that is met.
    ///
    /// A newer version of this crate wrote it, or something else did.
    #[non_exhaustive]
    ScheduleUnreadable {
        /// The queue's name.
        queue: String,
        /// The name of the periodic offer.
        name: String,
    },
    /// Redis does not let this client subscribe to Redisson's channel of a queue.
    ///
    /// Elements that other clients offer may be late by up to the
    /// [`safety_poll`](crate::ClientBuilder::safety_poll). Nothing is lost. A refusal of
    /// `rdq1_moved` alone is not reported: see
    /// [`ClientBuilder::connect`](crate::ClientBuilder::connect).
    #[non_exhaustive]
    SubscriptionRefused {
        /// The queue's name.
        queue: String,
        /// What Redis answered.
        error: Error,
    },
    /// Redis does not tell this client when a key changes (`CLIENT TRACKING`, `CLIENT CACHING`).
    ///
    /// Elements that Java moves, or anybody pushes, to a target queue may be late by up to the
    /// [`safety_poll`](crate::ClientBuilder::safety_poll). Nothing is lost.
    #[non_exhaustive]
    TrackingRefused {
        /// What Redis answered.
        error: Error,
    },
    /// What is due in a queue could not be moved. Reported once; the client keeps trying.
    #[non_exhaustive]
    TransferFailed {
        /// The queue's name.
        queue: String,
        /// Why.
        error: Error,
    },
    /// Moving what is due works again after [`Event::TransferFailed`].
    #[non_exhaustive]
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
    /// Waits for the next event; `None` once the client is shut down, or gone.
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
    /// Gone once the client is shut down.
    sender: Arc<Mutex<Option<broadcast::Sender<Event>>>>,
}

impl Reporter {
    /// How many events a receiver may be behind before it misses some.
    const CAPACITY: usize = 1024;

    pub(crate) fn new() -> Self {
        let sender = broadcast::Sender::new(Self::CAPACITY);
        Self {
            sender: Arc::new(Mutex::new(Some(sender))),
        }
    }

    pub(crate) fn report(&self, event: Event) {
        match &event {
            Event::Connected | Event::TransferResumed { .. } => tracing::info!(?event),
            // Its bytes may be anything, and anybody's.
            Event::Quarantined {
                queue,
                count,
                dropped,
                ..
            } => {
                tracing::warn!(queue, count, dropped, "quarantined malformed members");
            }
            event => tracing::warn!(?event),
        }
        if let Some(sender) = lock(&self.sender).as_ref() {
            // Without a receiver the log line above is all there is to do.
            let _ = sender.send(event);
        }
    }

    pub(crate) fn subscribe(&self) -> Events {
        let sender = lock(&self.sender);
        let receiver = match sender.as_ref() {
            Some(sender) => sender.subscribe(),
            // One that hears of the end at once.
            None => broadcast::channel(1).1,
        };
        Events { receiver }
    }

    /// Lets every receiver hear of the end.
    pub(crate) fn close(&self) {
        lock(&self.sender).take();
    }
}
