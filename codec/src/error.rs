//! Why a codec refuses a value or a payload.

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use crate::java::{InvalidSchema, Mismatch};

/// A codec could not write a value or read a payload.
///
/// When writing, the value does not fit the codec: the caller's fault. When reading, the writer of
/// the payload used another codec or another class. "the codec panicked" is the codec's own fault.
///
/// Its text says all of it: the codec if it is known, the reason, the field or the byte, and what is
/// wrong there. So it has no [`source`](StdError::source); see [`cause`](Self::cause). The text
/// holds names of classes, fields and constants, and keys of maps, but hardly ever another value of
/// the payload: only a number or a time that a codec refuses to write. Its `Debug` is the same text.
#[derive(Clone)]
pub struct Error {
    codec: Option<String>,
    reason: &'static str,
    cause: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Makes an error for `reason`, lower case and without a final period.
    #[must_use]
    pub fn new(reason: &'static str) -> Self {
        Self {
            codec: None,
            reason,
            cause: None,
        }
    }

    /// Makes an error for `reason` that was caused by `source`. Do not repeat the text of `source`, and
    /// pass no source whose text has values of the payload.
    #[must_use]
    pub fn with_source(
        reason: &'static str,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self {
            codec: None,
            reason,
            cause: Some(source.into().into()),
        }
    }

    /// Says which codec refuses, unless a codec inside of it has said so.
    #[must_use]
    pub fn of_codec(mut self, name: impl Into<String>) -> Self {
        self.codec.get_or_insert_with(|| name.into());
        self
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

    /// The error that caused this one. The text of this error contains the texts of that and of its
    /// sources.
    #[must_use]
    pub fn cause(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.cause.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(codec) = &self.codec {
            write!(f, "{codec}: ")?;
        }
        f.write_str(self.reason)?;
        let mut cause = self.cause.as_deref().map(|it| it as &dyn StdError);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StdError for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text alone says all, and the sources repeat none of it.
    #[test]
    fn message_says_all() {
        let schema = InvalidSchema::Json(serde_json::from_str::<u8>("x").unwrap_err());
        let error = Error::contradiction(schema)
            .of_codec("Kryo5Codec")
            .of_codec("Lz4Codec");

        assert_eq!(
            error.to_string(),
            "Kryo5Codec: classes of the type contradict each other: schema is not the expected json: \
             expected value at line 1 column 1"
        );
        assert!(StdError::source(&error).is_none());
        assert!(error.cause().is_some());
        assert!(Error::new("payload is empty").cause().is_none());
    }
}
