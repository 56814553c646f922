//! What calls know about an error, and what callers ask of it.

use std::time::Duration;

use redis::{RedisError, RetryMethod};

use super::{Cause, DENIED_INSIDE, Error, ShardError, Step};

impl Error {
    /// The error for settings that cannot be used. `reason` says what to do.
    pub(crate) fn of_settings(reason: &str, source: Option<RedisError>) -> Self {
        Self::Settings {
            reason: reason.to_owned(),
            source: source.map(Cause::of),
        }
    }

    /// The error of one value among several.
    pub(crate) fn of_element(index: usize, source: Self) -> Self {
        Self::Element {
            index,
            source: Box::new(source),
        }
    }

    /// True if Redis may have changed because of the failed call.
    ///
    /// `false` is certain, but for the bugs that [`Error::Refused`] names. `true` means that the
    /// command was sent, but its reply did not arrive or made no sense, or that Redis 6.2 denied one of
    /// the commands of a script. It is also `true` for each [`Error::Decode`], because an element that
    /// was taken has left Redis, though a call that only reads changes nothing.
    #[must_use]
    pub fn may_have_changed_redis(&self) -> bool {
        match self {
            Self::Decode { .. }
            | Self::Lost { .. }
            | Self::NotDurable { .. }
            | Self::OfferedInPart { .. }
            | Self::OutcomeUnknown { .. }
            | Self::ShardsOfferedInPart { .. }
            | Self::Unfinished { .. } => true,
            Self::Denied { source, .. } => source.code() == Some(DENIED_INSIDE),
            Self::ClientName { .. }
            | Self::Closed
            | Self::Connect { .. }
            | Self::DelayTooLong { .. }
            | Self::Element { .. }
            | Self::Encode { .. }
            | Self::ExpiresBeforeDue
            | Self::Late { .. }
            | Self::Name(_)
            | Self::Refused { .. }
            | Self::Settings { .. }
            | Self::Shard(_)
            | Self::Ticket(_)
            | Self::TooLarge { .. }
            | Self::TooLate { .. }
            | Self::WrongType { .. } => false,
            #[cfg(feature = "periodic")]
            Self::Schedule(_) => false,
        }
    }

    /// True if the obstacle may go away by itself, so that the same call may succeed later: the network
    /// or the server is away, Redis loads its data, has no memory left, or another node becomes the
    /// master. False if somebody has to change the call, the settings, the rights or the keys first.
    ///
    /// Whether the failed call can have done its work already is another question:
    /// [`may_have_changed_redis`](Self::may_have_changed_redis). The client has repeated a call that it
    /// can repeat for the [`retry_window`](crate::ClientBuilder::retry_window) before it fails.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Connect { .. }
            | Self::Lost { .. }
            | Self::OutcomeUnknown { .. }
            | Self::Shard(ShardError::KeyMoves { .. } | ShardError::Unsettled)
            | Self::TooLate { .. } => true,
            // Memory comes free as elements are taken.
            Self::Refused { source, .. } => {
                source.code() == Some("OOM") || may_pass(source.as_driver())
            }
            Self::NotDurable { source, .. } => {
                source.as_ref().is_none_or(|it| may_pass(it.as_driver()))
            }
            Self::Element { source, .. }
            | Self::OfferedInPart { source, .. }
            | Self::ShardsOfferedInPart { source, .. }
            | Self::Unfinished { source, .. } => source.is_transient(),
            Self::ClientName { .. }
            | Self::Closed
            | Self::Decode { .. }
            | Self::DelayTooLong { .. }
            | Self::Denied { .. }
            | Self::Encode { .. }
            | Self::ExpiresBeforeDue
            | Self::Late { .. }
            | Self::Name(_)
            | Self::Settings { .. }
            | Self::Shard(_)
            | Self::Ticket(_)
            | Self::TooLarge { .. }
            | Self::WrongType { .. } => false,
            #[cfg(feature = "periodic")]
            Self::Schedule(_) => false,
        }
    }

    /// Turns a script's refusal of a due time into an error of its own. `delay` is how far ahead
    /// that time was at most. Other errors stay as they are.
    pub(crate) fn of_due(self, delay: Duration) -> Self {
        match self {
            Self::Refused { source, .. } if source.code() == Some("RDQRANGE") => {
                Self::DelayTooLong { delay }
            }
            Self::Refused { source, .. } if source.code() == Some("RDQEXPIRY") => {
                Self::ExpiresBeforeDue
            }
            error => error,
        }
    }

    /// Adds the queue's name, unless the error has one already.
    pub(crate) fn on_queue(mut self, name: &str) -> Self {
        if let Self::Denied { queue, .. }
        | Self::Late { queue }
        | Self::Lost { queue, .. }
        | Self::NotDurable { queue, .. }
        | Self::OutcomeUnknown { queue, .. }
        | Self::Refused { queue, .. }
        | Self::TooLate { queue, .. }
        | Self::WrongType { queue, .. } = &mut self
        {
            queue.get_or_insert_with(|| name.to_owned());
        }
        self
    }

    /// Adds that the call failed after `done` elements, unless that is 0.
    pub(crate) fn after(self, step: Step, done: usize) -> Self {
        if done == 0 {
            return self;
        }
        Self::Unfinished {
            step,
            done,
            source: Box::new(self),
        }
    }
}

/// True if the cause of this answer may pass by itself.
pub(crate) fn may_pass(error: &RedisError) -> bool {
    // BUSY: somebody's script runs too long. NOREPLICAS: a new master has no replicas yet, and must not
    // write without them. NOSCRIPT: only a command of the user's own; scripts bring their text along.
    matches!(error.code(), Some("BUSY" | "NOREPLICAS" | "NOSCRIPT"))
        || !matches!(error.retry_method(), RetryMethod::NoRetry)
}
