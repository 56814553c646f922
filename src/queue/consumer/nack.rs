//! When and why an element is delivered again.

use std::time::Duration;

/// When an element is delivered again, and why; see [`Receipt::nack`](super::Receipt::nack).
///
/// A `Duration` is an [`after`](Self::after) without a reason.
#[derive(Clone, Debug, Default)]
pub struct Nack {
    /// None for the back-off of the consumer.
    delay: Option<Duration>,
    reason: Option<String>,
}

impl Nack {
    /// After this time, by Redis's clock.
    #[must_use]
    pub fn after(delay: Duration) -> Self {
        Self {
            delay: Some(delay),
            reason: None,
        }
    }

    /// After the [back-off](super::ConsumerBuilder::backoff) of the consumer. This is the default.
    #[must_use]
    pub fn backoff() -> Self {
        Self::default()
    }

    /// If this was the last attempt, the first 1,024 bytes of the reason are stored beside the dead
    /// letter. Reasons of earlier attempts are not stored.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// The delay, None for the back-off, and the reason.
    pub(super) fn into_parts(self) -> (Option<Duration>, String) {
        let reason = self.reason;
        let reason = reason.unwrap_or_else(|| "it was not acknowledged".to_owned());
        (self.delay, reason)
    }
}

impl From<Duration> for Nack {
    fn from(delay: Duration) -> Self {
        Self::after(delay)
    }
}
