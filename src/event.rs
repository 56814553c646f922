//! What a client reports besides the results of calls.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, Stream, StreamExt};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::delivery_id::DeliveryId;
use crate::error::{Cause, Error};
use crate::private_bytes::PrivateBytes;
use crate::sync::lock;
use crate::ticket::Ticket;
use crate::wire::script::Quarantined;

/// Something that happened in the background.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The broker to which a [`Publisher`](crate::guide::forwarding) forwards elements of this client can
    /// be reached again.
    #[non_exhaustive]
    BrokerReachable {
        /// The broker's host and port.
        broker: String,
    },
    /// The broker to which a [`Publisher`](crate::guide::forwarding) forwards elements of this client
    /// cannot be reached, or does not let the user in. Reported once, until
    /// [`Event::BrokerReachable`]; the publisher keeps trying, at the latest every 5 s. Elements wait
    /// meanwhile.
    #[non_exhaustive]
    BrokerUnreachable {
        /// The broker's host and port.
        broker: String,
        /// What the broker or the network said.
        cause: String,
    },
    /// Redis's clock went back by more than a second: somebody set it, or a failover led to a server whose
    /// clock is behind. A client that [transfers](crate::ClientBuilder::transfer) reports it.
    ///
    /// Leases, retries and rate limits go on as if it had not. The due times of elements are times of that
    /// clock, so those that stand in Redis come later, by as much as it went back. Schedules go on as
    /// [`Event::ScheduleSetBack`] says.
    #[non_exhaustive]
    ClockWentBack {
        /// The server's address, without credentials.
        server: String,
        /// By how much.
        by: Duration,
    },
    /// The delivery connection leads to a node of a Redis Cluster, and the address does not begin
    /// with `redis+cluster`. Reported once.
    ///
    /// The node refuses calls about queues that other nodes hold, so consumers of those queues get
    /// an error.
    #[non_exhaustive]
    Cluster {
        /// The server's address, without credentials.
        server: String,
    },
    /// The delivery connection is up, for the first time or again.
    ///
    /// The client moves and claims elements on this connection. A client that moves elements
    /// listens for messages on another one. [`Event::Degraded`] reports the loss of that one. Until
    /// it is back, elements that other clients offer may be late by up to the
    /// [`safety_poll`](crate::ClientBuilder::safety_poll).
    #[non_exhaustive]
    Connected {
        /// The server's address, without credentials.
        server: String,
    },
    /// An element is a dead letter now: a [`Consumer`](crate::Consumer) rejected it, its last attempt
    /// failed, or the codec did not understand it.
    ///
    /// The client that moved it there reports it, unless the reply to that was lost.
    /// [`Consumer::dead_letters`](crate::Consumer::dead_letters) has it with its payload.
    #[non_exhaustive]
    DeadLettered {
        /// The queue's name.
        queue: String,
        /// The name of the queue that holds it now.
        dead_letter_name: String,
        /// The id of its delivery in all attempts; [`DeadLetter::id`](crate::DeadLetter::id) is the
        /// same.
        id: DeliveryId,
        /// How many attempts were made.
        attempts: u16,
        /// Why: as [`DeadLetter::reason`](crate::DeadLetter::reason).
        reason: String,
    },
    /// Deliveries do not go as they should. Reported once, until [`Event::Recovered`].
    ///
    /// Without a queue: the connection that listens is down, so elements that other clients offer
    /// may be late by up to the [`safety_poll`](crate::ClientBuilder::safety_poll). With a queue:
    /// the server refuses to hand out its elements, so consumers wait. It may be a replica by now,
    /// or the queue's slot is being moved to another node, or its memory is full.
    #[non_exhaustive]
    Degraded {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the cause concerns only this one.
        queue: Option<String>,
        /// What the server answered, or how the connection ended.
        cause: Cause,
    },
    /// Redis refuses this client's login, or the
    /// [provider of its credentials](crate::ClientBuilder::credentials_provider) fails. Reported once
    /// each time the connection is down; the client keeps trying, about once a second.
    #[non_exhaustive]
    Denied {
        /// What Redis answered. [`Error::Connect`] if it is about the provider.
        error: Error,
    },
    /// The delivery connection is down. Reported once; the client keeps trying.
    #[non_exhaustive]
    Disconnected {
        /// The server's address, without credentials.
        server: String,
        /// Why the client gave it up: it was closed, a reply did not come in time, or the server no
        /// longer takes writes (`READONLY`).
        cause: Cause,
    },
    /// An element was due, but not delivered, because its [expiry time](crate::Offer::expires_at)
    /// had passed.
    ///
    /// The client that removed the element reports it, unless the reply to that was lost.
    /// [`DelayedQueue::expired`](crate::DelayedQueue::expired) counts all.
    #[non_exhaustive]
    Expired {
        /// The queue's name.
        queue: String,
        /// The element with its payload, which is no longer in Redis.
        ticket: Ticket,
    },
    /// A round trip to Redis takes two thirds of a lease or more. Reported once for a worker, until it takes
    /// less than one third.
    ///
    /// The next leases last longer, by as much as claims took lately. An element that came too late goes
    /// back, and has lost no attempt. Set a longer
    /// [visibility](crate::ConsumerBuilder::visibility) or
    /// [claim lease](crate::ClientBuilder::claim_lease).
    #[non_exhaustive]
    LeaseTooShort {
        /// The queue's name.
        queue: String,
        /// The visibility of the consumer, or the claim lease.
        lease: Duration,
        /// How long the claim took, from the command to its reply.
        round_trip: Duration,
    },
    /// This receiver was too slow and missed the events before the next one.
    #[non_exhaustive]
    Missed {
        /// How many events it missed.
        count: u64,
    },
    /// Malformed members were moved from the queue to the quarantine.
    ///
    /// Something other than Redisson or this crate wrote them. Left in place, they would stop every
    /// Redisson client on the queue. The sorted set `rdq1_quarantine:{name}` keeps them with their
    /// due times, up to a [limit](crate::wire::keys#when-keys-go). If many come, a client reports
    /// about once a second.
    ///
    /// Malformed entries of `rdq1_leases` go there, too. Those of `rdq1_delivery_leases` and
    /// `rdq1_retries`, which only a [`Consumer`](crate::Consumer) reads, are reported in the same way,
    /// and dropped.
    #[non_exhaustive]
    Quarantined {
        /// The queue's name.
        queue: String,
        /// How many members were taken out since the last report.
        count: u64,
        /// How many of `count` were dropped because the quarantine is full.
        dropped: u64,
        /// The first of them as they stood in Redis: at most 16, and at most 64 KiB together.
        members: Vec<PrivateBytes>,
    },
    /// The trouble that [`Event::Degraded`] reported has passed.
    #[non_exhaustive]
    Recovered {
        /// The server's address, without credentials. After a failover it is another one.
        server: String,
        /// The queue's name, if the cause concerned only this one.
        queue: Option<String>,
    },
    /// The delivery connection leads to a replica, which takes no writes. Reported once.
    ///
    /// Offers are [refused](crate::Error::Refused) and consumers wait. The client connects again
    /// until it reaches a master. If elements are due there, each attempt to move them ends a
    /// connection, so [`Event::Disconnected`] and [`Event::Connected`] follow each other.
    #[non_exhaustive]
    Replica {
        /// The server's address, without credentials.
        server: String,
    },
    /// The server, or a proxy before it, does not speak RESP3 (`HELLO 3`). Reported once.
    ///
    /// The client works in RESP2, where Redis cannot tell it when a key changes. Elements that Java
    /// moves to a target queue, or any program pushes to it, may be late by up to the
    /// [`safety_poll`](crate::ClientBuilder::safety_poll). Nothing is lost. Each new connection
    /// asks for RESP3 again. If one has got it, a later refusal is reported, too.
    #[non_exhaustive]
    Resp3Refused {
        /// What the server answered.
        error: Error,
    },
    /// The periodic offers of a queue could not be read or fired. Reported once; the client keeps
    /// trying.
    #[non_exhaustive]
    ScheduleFailed {
        /// The queue's name.
        queue: String,
        /// Why.
        error: Error,
    },
    /// The clock of a queue went back, and a periodic offer would have been silent until the clock had
    /// caught up. The client brought its next occurrence forward. Reported for each, by one client.
    ///
    /// A fixed rate and a pattern that repeats (`Schedule::in_zone` says which) go on from now. A pattern
    /// with fixed times does not occur again because the clock went back by less than three hours.
    #[non_exhaustive]
    ScheduleSetBack {
        /// The queue's name.
        queue: String,
        /// The name of the periodic offer.
        name: String,
        /// How much earlier its next occurrence is now.
        by: Duration,
    },
    /// This version cannot read a stored periodic offer. It leaves that one alone and fires the
    /// others. Reported once for each.
    ///
    /// A newer version of this crate wrote it, or another program did.
    #[non_exhaustive]
    ScheduleUnreadable {
        /// The queue's name.
        queue: String,
        /// The name of the periodic offer.
        name: String,
    },
    /// This client has two queues whose names differ only by braces, such as `orders` and `{orders}`.
    /// Redisson gives both the same keys, except for the target queues. Reported when the second is
    /// opened.
    ///
    /// An element that was offered to one of them may come out of the other, and Java mixes them up in
    /// the same way. Use one of the names, in all services.
    #[non_exhaustive]
    SharedKeys {
        /// The name of the queue that was opened.
        queue: String,
        /// The name of the queue that is open already.
        other: String,
    },
    /// Redis does not let this client subscribe to Redisson's channel of a queue. Reported once for
    /// each queue; the client keeps trying.
    ///
    /// Elements that other clients offer may be late by up to the
    /// [`safety_poll`](crate::ClientBuilder::safety_poll). Nothing is lost. A refusal of
    /// `rdq1_moved` alone is not reported: see
    /// [`docs/acl.md`](crate::guide::acl).
    #[non_exhaustive]
    SubscriptionRefused {
        /// The queue's name.
        queue: String,
        /// What Redis answered.
        error: Error,
    },
    /// Redis does not tell this client when a key changes (`CLIENT TRACKING`, `CLIENT CACHING`).
    ///
    /// Elements that Java moves to a target queue, or any program pushes to it, may be late by up
    /// to the [`safety_poll`](crate::ClientBuilder::safety_poll). Nothing is lost.
    #[non_exhaustive]
    TrackingRefused {
        /// What Redis answered.
        error: Error,
    },
    /// The due elements of a queue could not be moved. Reported once; the client keeps trying.
    #[non_exhaustive]
    TransferFailed {
        /// The queue's name.
        queue: String,
        /// Why.
        error: Error,
    },
    /// Moving due elements works again after [`Event::TransferFailed`].
    #[non_exhaustive]
    TransferResumed {
        /// The queue's name.
        queue: String,
    },
}

/// The events of one client, as a stream, from the call of
/// [`Client::events`](crate::Client::events) on. It ends when the client is shut down or dropped.
pub struct Events {
    events: Pin<Box<dyn Stream<Item = Event> + Send + Sync>>,
}

impl Events {
    fn new(receiver: broadcast::Receiver<Event>) -> Self {
        let events = stream::unfold(receiver, |mut receiver| async {
            let event = match receiver.recv().await {
                Ok(event) => event,
                Err(RecvError::Lagged(count)) => Event::Missed { count },
                Err(RecvError::Closed) => return None,
            };
            Some((event, receiver))
        });
        Self {
            events: Box::pin(events.fuse()),
        }
    }

    /// Waits for the next event; `None` once the client is shut down or dropped. Cancel safe: a
    /// dropped call takes no event.
    ///
    /// `Events` is a `Stream` as well. This method needs no import of `StreamExt`.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.next().await
    }
}

impl Stream for Events {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.events.poll_next_unpin(context)
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

/// Where the parts of a client report events, and how many elements they have moved. Clones report to
/// the same receivers.
#[derive(Clone, Debug)]
pub(crate) struct Reporter {
    /// Gone once the client is shut down.
    sender: Arc<Mutex<Option<broadcast::Sender<Event>>>>,
    moved: Arc<AtomicU64>,
}

impl Reporter {
    /// How many events a receiver may be behind before it misses some.
    const CAPACITY: usize = 1024;

    pub(crate) fn new() -> Self {
        let sender = broadcast::Sender::new(Self::CAPACITY);
        Self {
            sender: Arc::new(Mutex::new(Some(sender))),
            moved: Arc::default(),
        }
    }

    /// This client moved so many elements to a target queue.
    pub(crate) fn moved(&self, count: usize) {
        self.moved.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn count_moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    /// Reports what a script took out of the queue because it could not read it, if there is any.
    pub(crate) fn report_quarantined(&self, queue: &str, quarantined: Quarantined) {
        if quarantined.count > 0 {
            let members = quarantined.members.into_iter().map(Bytes::from);
            self.report(Event::Quarantined {
                queue: queue.to_owned(),
                count: quarantined.count,
                dropped: quarantined.dropped,
                members: members.map(PrivateBytes::from).collect(),
            });
        }
    }

    pub(crate) fn report(&self, event: Event) {
        match &event {
            Event::BrokerReachable { .. }
            | Event::Connected { .. }
            | Event::Recovered { .. }
            | Event::TransferResumed { .. } => {
                tracing::info!(?event);
            }
            // Without the members: their bytes may be anything, and private.
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
            // This fails only without receivers. Then the log line above is enough.
            let _ = sender.send(event);
        }
    }

    /// True if the client is shut down, and nobody hears of anything.
    #[cfg(feature = "amqp")]
    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.sender).is_none()
    }

    /// True if both report to the same receivers.
    #[cfg(feature = "amqp")]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.sender, &other.sender)
    }

    pub(crate) fn subscribe(&self) -> Events {
        let sender = lock(&self.sender);
        let receiver = match sender.as_ref() {
            Some(sender) => sender.subscribe(),
            // A receiver whose stream ends at once.
            None => broadcast::channel(1).1,
        };
        Events::new(receiver)
    }

    /// Ends the stream of every receiver.
    fn close(&self) {
        lock(&self.sender).take();
    }
}

/// Held by all that may still report something. The last one that is dropped ends the streams of the
/// receivers.
#[derive(Debug)]
pub(crate) struct LastWord(pub(crate) Reporter);

impl Drop for LastWord {
    fn drop(&mut self) {
        self.0.close();
    }
}
