//! The settings of a consumer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::{Backoff, Consumer, Processing, Shared};
use crate::error::Result;
use crate::options::check_bounds;
use crate::queue::typed::Typed;
use crate::wire::script::Consumption;

/// When an element is acknowledged.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum AckMode {
    /// When [`recv`](Consumer::recv) returns it, or when its handler begins. The calls of its
    /// [`Delivery`](super::Delivery) and the errors of its handler then change nothing.
    ///
    /// A process that ends before it has dealt with the element loses it, as with
    /// [`take`](crate::DelayedQueue::take). The element comes again only if the acknowledgement does not
    /// reach Redis: because the process ended within some 0.1 ms, or could not reach Redis until the
    /// lease ended.
    Auto,
    /// When the consumer acknowledges it.
    #[default]
    Manual,
}

/// The settings of a [`Consumer`]; made by
/// [`DelayedQueue::consumer`](crate::DelayedQueue::consumer).
///
/// All consumers of a queue, in all processes, should have the same [`processing`](Self::processing),
/// [`delivery_limit`](Self::delivery_limit) and [`dead_letter`](Self::dead_letter): whichever claims
/// an element applies its own.
///
/// # Compatibility
///
/// `visibility` and `delivery_limit` are `visibility` and `deliveryLimit` of Redisson PRO's
/// `RReliableQueue`, with the same defaults. There `deadLetterQueueName` has no default: without one,
/// an element is deleted after its last attempt.
#[must_use = "a consumer is made by `build`"]
pub struct ConsumerBuilder<T> {
    core: Typed<T>,
    ack_mode: AckMode,
    backoff: Backoff,
    dead_letter: Option<String>,
    delivery_limit: u16,
    max_in_flight: usize,
    prefetch: usize,
    processing: Processing<T>,
    visibility: Duration,
}

impl<T: 'static> ConsumerBuilder<T> {
    pub(crate) fn new(core: Typed<T>) -> Self {
        Self {
            core,
            ack_mode: AckMode::default(),
            backoff: Backoff::default(),
            dead_letter: None,
            delivery_limit: 10,
            max_in_flight: usize::MAX,
            prefetch: usize::MAX,
            processing: Processing::default(),
            visibility: Duration::from_secs(30),
        }
    }

    /// When elements are acknowledged. Default: [`AckMode::Manual`].
    pub fn ack_mode(mut self, mode: AckMode) -> Self {
        self.ack_mode = mode;
        self
    }

    /// How long [`run`](Consumer::run) and [`Nack::backoff`](super::Nack::backoff) wait before another
    /// attempt. Default: exponential, from 0.5 to 1 s up to 2.5 to 5 minutes.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// The queue that gets the elements that nobody could handle: an ordinary Redisson queue, which
    /// Java reads with `getBlockingQueue(name)`. Default: `{orders}-dead` for a queue `orders`,
    /// with the mapped name in the braces if there is a [name mapper](crate::NameMapper);
    /// [`Consumer::dead_letter_name`] says it.
    ///
    /// In Redis Cluster it must lie in the slot of the queue, because the move is one step; names
    /// with the same text in braces do. Several queues may share one.
    pub fn dead_letter(mut self, name: impl Into<String>) -> Self {
        self.dead_letter = Some(name.into());
        self
    }

    /// How often an element is delivered at most. If the last attempt fails, it goes to the
    /// [dead letters](Self::dead_letter). At least 1. Default: 10.
    ///
    /// A failed attempt is one that ended in [`nack`](super::Receipt::nack), a drop, or the end of
    /// the lease. An element that goes back before a caller got it has lost none; the guide
    /// [`consumers`](crate::guide::consumers) has one exception. A process that is
    /// killed costs each element that it had leased an attempt, including those that it had
    /// [prefetched](Self::prefetch).
    pub fn delivery_limit(mut self, attempts: u16) -> Self {
        self.delivery_limit = attempts;
        self
    }

    /// How many undecided deliveries this consumer and its clones may have at a time. At least 1.
    /// Default: no limit.
    pub fn max_in_flight(mut self, deliveries: usize) -> Self {
        self.max_in_flight = deliveries;
        self
    }

    /// How many elements to lease ahead of callers, at most. Zero for none. Default: as many as
    /// callers consume in eight round trips, at most 500.
    ///
    /// An element that no caller takes within 20 ms goes back, as with
    /// [`take`](crate::DelayedQueue::take). Limit the number if elements should be spread evenly over
    /// consumers, or if a killed process should cost few of them an attempt.
    pub fn prefetch(mut self, elements: usize) -> Self {
        self.prefetch = elements;
        self
    }

    /// Which elements are handled at the same time. Default: [`Processing::parallel`].
    pub fn processing(mut self, processing: Processing<T>) -> Self {
        self.processing = processing;
        self
    }

    /// How long an element is leased to one consumer, unless it [extends](super::Receipt::extend)
    /// the lease: SQS calls it the visibility timeout.
    ///
    /// If the consumer neither acknowledges the element nor extends the lease in that time, another
    /// consumer gets it. A payload of more than 1 MiB has a second more for each 4 MiB. An element
    /// is handed over only while a third of the lease is left.
    ///
    /// Whole milliseconds, from 100 ms to 12 hours. Default: 30 s.
    pub fn visibility(mut self, lease: Duration) -> Self {
        self.visibility = lease;
        self
    }

    /// Makes the consumer. Nothing is leased before somebody calls [`recv`](Consumer::recv).
    ///
    /// # Errors
    ///
    /// - [`Error::Settings`](crate::Error::Settings) if a setting is out of its bounds.
    /// - [`Error::Name`](crate::Error::Name) if the name of the dead letters cannot be used.
    /// - [`Error::Closed`](crate::Error::Closed) after
    ///   [`Client::shutdown`](crate::Client::shutdown).
    pub fn build(self) -> Result<Consumer<T>> {
        let (least, most) = (Duration::from_millis(100), Duration::from_secs(12 * 3_600));
        check_bounds("visibility", self.visibility, least, most)?;
        check_bounds("delivery_limit", self.delivery_limit, 1, u16::MAX)?;
        check_bounds("max_in_flight", self.max_in_flight, 1, usize::MAX)?;
        let consumption = Arc::new(Consumption {
            delivery_limit: self.delivery_limit,
            dead: Arc::new(self.core.dead_letters(self.dead_letter.as_deref())?),
            grouping: self.processing.grouping(&self.core.codec),
        });
        let intake = self
            .core
            .consume(self.visibility, self.prefetch, Arc::clone(&consumption))?;
        let shared = Shared {
            intake,
            in_flight: Arc::new(Semaphore::new(
                self.max_in_flight.min(Semaphore::MAX_PERMITS),
            )),
            ack_mode: self.ack_mode,
            backoff: self.backoff,
            consumption,
        };
        Ok(Consumer {
            core: self.core,
            shared: Arc::new(shared),
        })
    }
}

impl<T> fmt::Debug for ConsumerBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsumerBuilder")
            .field("name", &self.core.name())
            .field("ack_mode", &self.ack_mode)
            .field("backoff", &self.backoff)
            .field("dead_letter", &self.dead_letter)
            .field("delivery_limit", &self.delivery_limit)
            .field("max_in_flight", &self.max_in_flight)
            .field("prefetch", &self.prefetch)
            .field("processing", &self.processing)
            .field("visibility", &self.visibility)
            .finish_non_exhaustive()
    }
}
