//! What a handler learns and answers.

use std::error::Error;
use std::fmt;
use std::time::{Duration, SystemTime};

use super::Receipt;
#[cfg(feature = "amqp")]
use super::trial::Trial;
use crate::delivery_id::DeliveryId;
#[cfg(feature = "amqp")]
use crate::event::Reporter;

/// What a handler may know about an element besides its value.
#[derive(Clone, Debug)]
pub struct DeliveryInfo {
    queue: String,
    id: DeliveryId,
    attempt: u16,
    fence: Option<u64>,
    first_claimed: SystemTime,
    is_last_attempt: bool,
    #[cfg(feature = "amqp")]
    trial: Trial,
    #[cfg(feature = "amqp")]
    reporter: Reporter,
}

impl DeliveryInfo {
    pub(super) fn new(receipt: &Receipt) -> Self {
        Self {
            queue: receipt.queue().to_owned(),
            id: receipt.id(),
            attempt: receipt.attempt(),
            fence: receipt.fence(),
            first_claimed: receipt.first_claimed(),
            is_last_attempt: receipt.is_last_attempt(),
            #[cfg(feature = "amqp")]
            trial: receipt.trial().clone(),
            #[cfg(feature = "amqp")]
            reporter: receipt.reporter(),
        }
    }

    /// Tells the receipt whether the handler has begun.
    #[cfg(feature = "amqp")]
    pub(crate) fn trial(&self) -> &Trial {
        &self.trial
    }

    /// Where the client of the queue reports events.
    #[cfg(feature = "amqp")]
    pub(crate) fn reporter(&self) -> &Reporter {
        &self.reporter
    }

    /// The name of the queue.
    #[must_use]
    pub fn queue(&self) -> &str {
        &self.queue
    }

    /// The [id of the delivery](super::Receipt::id), the same in all of its attempts.
    #[must_use]
    pub fn id(&self) -> DeliveryId {
        self.id
    }

    /// The number of this attempt, from 1.
    #[must_use]
    pub fn attempt(&self) -> u16 {
        self.attempt
    }

    /// True if the element becomes a dead letter when this attempt fails. It may come once more if an
    /// earlier claim came too late for any caller, which counts no attempt.
    #[must_use]
    pub fn is_last_attempt(&self) -> bool {
        self.is_last_attempt
    }

    /// The [fence](super::Receipt::fence): a store can use it to refuse writes of a handler that
    /// outlived its lease.
    #[must_use]
    pub fn fence(&self) -> Option<u64> {
        self.fence
    }

    /// When a consumer claimed the element [first](super::Receipt::first_claimed).
    #[must_use]
    pub fn first_claimed(&self) -> SystemTime {
        self.first_claimed
    }
}

/// Why a handler did not handle an element, and what is to become of it.
///
/// The `?` operator makes one of any type that implements [`Error`]; the element is then delivered
/// again after the consumer's [back-off](super::ConsumerBuilder::backoff). For other errors, such as
/// those of `anyhow`, write `.map_err(HandlerError::retry)?`. The other constructors decide otherwise.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use redisson_delayed_queue::HandlerError;
///
/// fn pay(answer: u16) -> Result<(), HandlerError> {
///     match answer {
///         200 => Ok(()),
///         400 => Err(HandlerError::reject("the bank does not understand the order")),
///         429 => Err(HandlerError::retry_after(Duration::from_secs(60), "too many payments")),
///         410 => Err(HandlerError::discard("the order was cancelled")),
///         status => Err(HandlerError::retry(format!("the bank answered {status}"))),
///     }
/// }
/// assert_eq!(pay(400).unwrap_err().to_string(), "the bank does not understand the order");
/// ```
// No `Error` itself: then the conversion from every error could not exist.
pub struct HandlerError {
    pub(super) then: Then,
    cause: Box<dyn Error + Send + Sync>,
}

/// What is to become of an element.
#[derive(Clone, Copy, Debug)]
pub(super) enum Then {
    /// After this time, or after the consumer's back-off.
    Retry(Option<Duration>),
    /// At once, without counting this attempt.
    Return,
    Reject,
    Discard,
}

impl HandlerError {
    /// Has the element delivered again after the consumer's
    /// [back-off](super::ConsumerBuilder::backoff).
    pub fn retry(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Then::Retry(None), cause.into())
    }

    /// Has the element delivered again after `delay`.
    pub fn retry_after(delay: Duration, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Then::Retry(Some(delay)), cause.into())
    }

    /// Moves the element to the [dead letters](super::ConsumerBuilder::dead_letter), without further
    /// attempts.
    pub fn reject(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Then::Reject, cause.into())
    }

    /// Acknowledges the element: there is nothing left to do about it.
    pub fn discard(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Then::Discard, cause.into())
    }

    fn new(then: Then, cause: Box<dyn Error + Send + Sync>) -> Self {
        Self { then, cause }
    }

    /// What went wrong, with everything that caused it, on one line.
    pub(super) fn reason(&self) -> String {
        let mut reason = self.cause.to_string();
        let mut source = self.cause.source();
        while let Some(cause) = source {
            reason.push_str(": ");
            reason.push_str(&cause.to_string());
            source = cause.source();
        }
        reason
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for HandlerError {
    fn from(cause: E) -> Self {
        Self::retry(cause)
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerError")
            .field("then", &self.then)
            .field("cause", &self.cause)
            .finish()
    }
}
