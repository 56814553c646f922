use std::any::Any;
use std::error::Error as StdError;
use std::sync::Arc;

use crate::java::{InvalidSchema, Mismatch};

/// A codec could not write a value or read a payload.
///
/// When writing, the value does not fit the codec: the caller's fault. When reading, the writer of
/// the payload used another codec or another class. "the codec panicked" is the codec's own fault.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Error {
    reason: &'static str,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Makes an error for `reason`, lower case and without a final period.
    #[must_use]
    pub fn new(reason: &'static str) -> Self {
        Self {
            reason,
            source: None,
        }
    }

    /// Makes an error for `reason` that was caused by `source`. Do not repeat the text of `source`.
    #[must_use]
    pub fn with_source(
        reason: &'static str,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self {
            reason,
            source: Some(source.into().into()),
        }
    }

    /// Refuses `null` as a whole. In Redisson, `null` means that there is no value.
    pub(crate) fn null() -> Self {
        Self::new("null has no payload")
    }

    /// The classes that a type describes contradict each other.
    pub(crate) fn contradiction(source: InvalidSchema) -> Self {
        Self::with_source("classes of the type contradict each other", source)
    }

    /// The payload could be read, but its value is not one of the expected type.
    pub(crate) fn mismatch(source: Mismatch) -> Self {
        Self::with_source("payload is not of the expected type", source)
    }

    /// A codec panicked, which is its own fault.
    pub(crate) fn panic(panic: &(dyn Any + Send)) -> Self {
        let reason = "the codec panicked";
        let text = panic.downcast_ref::<&str>().copied();
        match text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)) {
            Some(text) => Self::with_source(reason, text),
            // `panic_any` can throw anything.
            None => Self::new(reason),
        }
    }

    /// What is wrong with the value or the payload.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error reporters print the whole chain, so a message must not repeat that of its source.
    #[test]
    fn message_leaves_the_source_to_the_chain() {
        let error = Error::with_source("payload is not a double", "x is no digit");

        assert_eq!(error.to_string(), "payload is not a double");
        assert_eq!(error.source().unwrap().to_string(), "x is no digit");
        assert!(Error::new("payload is empty").source().is_none());
    }
}
