//! The delayed queue as its users see it.

use std::fmt;
use std::sync::Arc;

use crate::error::Result;
use crate::listing::Listing;
use crate::queue::blocking_queue::BlockingQueue;
use crate::queue::consumer::{ConsumerBuilder, DeadLetters};
use crate::queue::leases::Leases;
use crate::queue::object::QueueObject;
use crate::queue::pending::Pending;
use crate::queue::quarantine::Quarantine;
use crate::queue::typed::Typed;

// What every user needs comes first in the documentation.
mod offer;
mod take;

mod cancel;
mod control;
mod expiry;
#[cfg(feature = "periodic")]
mod periodic;
mod reschedule;

/// A queue whose elements can be taken after a delay; Redisson's `RDelayedQueue`, together with the
/// `RBlockingQueue` that it delivers to.
///
/// Made by [`Client::delayed_queue`](crate::Client::delayed_queue). Clones are cheap and are handles
/// to the same queue.
///
/// # What is where
///
/// An element is first **pending**, and **due** when its delay has passed. A client then moves it
/// to the target queue. There it is **ready**, and a consumer takes it. This handle offers, takes
/// and controls. Three views have the rest. Redisson gives their methods the same names; here the
/// view says which elements a call is about:
///
/// | View | About | In Java |
/// |---|---|---|
/// | [`pending()`](Self::pending) | the pending elements: count, find, list, remove them | `RDelayedQueue` |
/// | [`destination()`](Self::destination) | the ready elements, in the target queue | `RBlockingQueue`, `RBlockingDeque` |
/// | [`object()`](Self::object) | the whole queue with all its keys: delete, rename, copy, expire it | `RObject`, `RExpirable` |
///
/// # Waiting
///
/// The name of a call says whether it waits for an element, on every handle of this crate:
///
/// - `take…` waits, for as long as it takes; [`take_many`](Self::take_many) up to its `wait`.
/// - `poll…` waits up to its `timeout`, and not at all if it has none.
/// - `try_take…` never waits for an element.
///
/// # Delivery
///
/// Every element is handed to one consumer, in whatever language. From then on only that consumer
/// has it, as in Redisson: if the process ends before it has dealt with the element, the element is
/// gone. A [`consumer`](Self::consumer) acknowledges its elements instead, and loses none. Before
/// the hand-over nothing is lost: you may drop a future, cut a connection or kill a process at any
/// moment. Redis must keep its writes for that, and two settings give it up: `at_most_once` and
/// [`AckMode::Auto`](crate::AckMode::Auto).
///
/// A [lease](crate::ClientBuilder::claim_lease) keeps the element from others until Redis knows of
/// the hand-over. If the lease runs out first, the element is delivered twice. That happens if
///
/// - the process is killed before it has sent the end of the lease, some 0.1 ms after the hand-over
///   at rest and a few ms under load;
/// - the process is cut off from Redis from the hand-over until the lease has run out, which takes
///   10 to 30 s by default;
/// - the clock of Redis jumps forward past the end of the lease, as it can at a failover. This can
///   double every element that is claimed at that moment.
///
/// A killed process leaves the leases of all elements that it had claimed: up to 500 a claim for
/// callers that wait, up to 500 claimed ahead, and all elements of a
/// [`drain_to`](crate::BlockingQueue::drain_to) that has not returned. When a lease has run out, any
/// Rust client that transfers the queue returns the element to the head of the target queue within a
/// [safety poll](crate::ClientBuilder::safety_poll), and consumers in any language find it there. A
/// Rust client that takes from the queue may claim it first. Java clients do neither: without a Rust
/// client, such elements stay in `rdq1_deliveries:{name}` until one runs again.
///
/// # Redis
///
/// A call sends one script or command, unless it says otherwise. In costs, N elements are pending.
/// A call that takes pending elements out, or makes one due within 61 s, notes their ids in
/// `rdq1_settled:{name}` for 61 s, and the call for as long as the client may repeat it, 9 s by
/// default; both longer for a [large payload](crate::MAX_PAYLOAD). So a late attempt at an offer
/// brings no element back.
///
/// # Compatibility
///
/// A call does what Redisson's method of the same name does. The guide [coming from
/// Redisson](crate::guide::coming_from_redisson) has the counterpart of each, and lists the calls
/// that Redisson lacks. Java sees, moves and removes the elements that this handle offers like its
/// own (checked against Redisson 3.21.1 to 4.7.0 by `interop/tests`); [`Listing`] says what differs
/// for unlisted ones.
///
/// # Errors
///
/// - [`Error::Encode`](crate::Error::Encode) if the codec refuses a value,
///   [`Error::TooLarge`](crate::Error::TooLarge) if its payload exceeds
///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD) or a ticket has more than 512 MiB; nothing was sent.
/// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
///   nothing was changed or taken.
/// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the [retry
///   window](crate::ClientBuilder::retry_window). Until then the client repeats the call, with the
///   effect and answer of a single one. Calling again is safe; false may then mean that an earlier
///   attempt did it. An offer fails with [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown)
///   instead.
/// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand a value. A value that
///   was only read stays.
/// - [`Error::Closed`](crate::Error::Closed) after [`Client::shutdown`](crate::Client::shutdown).
///
/// # Cancel safety
///
/// Calls that only read and calls that take are cancel safe: nothing was changed or taken if
/// dropped. Any other call that is dropped leaves its change made or not.
pub struct DelayedQueue<T> {
    core: Typed<T>,
    listing: Listing,
}

impl<T: 'static> DelayedQueue<T> {
    pub(crate) fn new(core: Typed<T>) -> Self {
        Self {
            core,
            listing: Listing::default(),
        }
    }

    /// Returns this handle with another [`Listing`]: whether it puts what it offers into the
    /// ordering list, and which order its calls follow.
    ///
    /// Use the same listing for all handles of a queue. The default is [`Listing::Listed`]. Nothing
    /// is sent, and other handles stay as they are. Clones and
    /// [`pending`](Self::pending) keep the listing of their handle.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{Client, DelayedQueue, Listing, codec::StringCodec};
    ///
    /// # async fn run(client: Client) -> redisson_delayed_queue::Result<()> {
    /// let sessions: DelayedQueue<String> = client.delayed_queue("sessions", StringCodec)?;
    /// let sessions = sessions.with_listing(Listing::Unlisted);
    /// let ticket = sessions.offer(&"session 17".to_owned(), Duration::from_secs(1_800)).await?;
    /// // As fast with a million sessions as with ten.
    /// sessions.cancel(&ticket).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_listing(mut self, listing: Listing) -> Self {
        self.listing = listing;
        self
    }

    /// Says whether this handle lists what it offers.
    #[must_use]
    pub fn listing(&self) -> Listing {
        self.listing
    }

    /// The name of the queue. It is also the key of its target queue, unless the client has a
    /// [name mapper](crate::NameMapper).
    #[must_use]
    pub fn name(&self) -> &str {
        self.core.name()
    }

    /// The ready elements: the target queue, to which clients move elements when they are due;
    /// Redisson's `RBlockingQueue`.
    #[must_use]
    pub fn destination(&self) -> BlockingQueue<T> {
        BlockingQueue::new(self.core.clone())
    }

    /// The pending elements, as a collection; Redisson's `RDelayedQueue`.
    #[must_use]
    pub fn pending(&self) -> Pending<T> {
        Pending::new(self.core.clone(), self.listing)
    }

    /// The queue as a whole, with all its keys: to delete, rename, copy or expire it; Redisson's
    /// `RObject` and `RExpirable`.
    #[must_use]
    pub fn object(&self) -> QueueObject {
        QueueObject::new(Arc::clone(&self.core.raw))
    }

    /// The settings of a new [`Consumer`](crate::Consumer), which has an example: it takes due
    /// elements, which stay in Redis until it acknowledges them.
    pub fn consumer(&self) -> ConsumerBuilder<T> {
        ConsumerBuilder::new(self.core.clone())
    }

    /// What processes hold of this queue: who has claimed which element, and until when. Also takes it
    /// from them.
    #[must_use]
    pub fn leases(&self) -> Leases<T> {
        Leases::new(self.core.clone())
    }

    /// The members of this queue that nobody can read: to look at them, and to deliver or delete them.
    #[must_use]
    pub fn quarantine(&self) -> Quarantine {
        Quarantine::new(Arc::clone(&self.core.raw))
    }

    /// The dead letters of this queue, without a consumer. `name` is that of the
    /// [dead-letter queue](crate::ConsumerBuilder::dead_letter), `None` the default.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if the dead-letter queue is this queue, or in another
    ///   slot of a cluster; nothing was sent.
    pub fn dead_letters(&self, name: Option<&str>) -> Result<DeadLetters<T>> {
        let dead = Arc::new(self.core.dead_letters(name)?);
        Ok(DeadLetters::new(self.core.clone(), dead))
    }

    pub(crate) fn core(&self) -> &Typed<T> {
        &self.core
    }
}

impl<T: 'static> From<DelayedQueue<T>> for BlockingQueue<T> {
    fn from(queue: DelayedQueue<T>) -> Self {
        queue.destination()
    }
}

impl<T: 'static> Clone for DelayedQueue<T> {
    fn clone(&self) -> Self {
        Self {
            core: self.core.clone(),
            listing: self.listing,
        }
    }
}

impl<T: 'static> fmt::Debug for DelayedQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelayedQueue")
            .field("name", &self.name())
            .field("listing", &self.listing)
            .finish_non_exhaustive()
    }
}
