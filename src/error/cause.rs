//! What Redis or the driver said.

use std::error::Error;
use std::fmt;
use std::io;

use redis::{ErrorKind, RedisError};

/// What Redis answered or the driver reported, as the source of an [`Error`](crate::Error).
///
/// It displays this on one line. The source of the driver's error repeats that text, so a `Cause`
/// skips it: its own source is the one below.
#[derive(Clone)]
pub struct Cause(Box<RedisError>);

impl Cause {
    pub(crate) fn of(error: RedisError) -> Self {
        Self(Box::new(error))
    }

    pub(crate) fn as_driver(&self) -> &RedisError {
        &self.0
    }

    pub(crate) fn into_driver(self) -> RedisError {
        *self.0
    }

    /// The code with which Redis's answer begins, such as `OOM` or `NOPERM`. `None` if Redis answered
    /// nothing, or without a code.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0.code()
    }

    /// True if the socket failed.
    #[must_use]
    pub fn is_io_error(&self) -> bool {
        self.0.is_io_error()
    }

    /// True if no answer came in time.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.0.is_timeout()
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match (self.0.kind(), self.0.code(), self.0.detail()) {
            // In Redis's own words. The driver would write its own name for the code.
            (ErrorKind::Server(_) | ErrorKind::Extension, Some(code), Some(detail)) => {
                format!("{code} {detail}")
            }
            // The driver's text contains its name for the kind, which is left out here.
            (kind, ..) => self.0.to_string().replacen(&format!(" - {kind:?}"), "", 1),
        };
        // The driver's parser writes several lines, and a server may send any characters.
        let parts = text.split(char::is_control).map(str::trim);
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        f.write_str(&parts.join(", "))
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()?.source()
    }
}

impl From<io::Error> for Cause {
    fn from(error: io::Error) -> Self {
        Self::of(error.into())
    }
}

/// The code of the answer to a user who lacks the right to a command inside a script that has begun.
/// Only servers before Redis 7.0 let such a script begin. The commands before that one have taken
/// effect.
pub(crate) const DENIED_INSIDE: &str = "RDQNOPERM";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_one_line_and_no_name_of_the_driver() {
        let parsing = RedisError::from((
            ErrorKind::Client,
            "Parse error at 1",
            "\nUnexpected `H`\r\n\nExpected \u{1b}".to_owned(),
        ));
        assert_eq!(
            Cause::of(parsing).to_string(),
            "Parse error at 1:, Unexpected `H`, Expected"
        );
        let io = io::Error::new(io::ErrorKind::InvalidData, "odd");
        assert_eq!(Cause::from(io).to_string(), "odd");
    }

    #[test]
    fn the_source_of_the_cause_is_what_comes_below_the_repetition() {
        #[derive(Debug)]
        struct Outer(io::Error);
        impl fmt::Display for Outer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("outer")
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let inner = io::Error::from(io::ErrorKind::NotFound);
        let error = RedisError::from(io::Error::other(Outer(inner)));
        assert_eq!(error.to_string(), error.source().unwrap().to_string());
        let cause = Cause::of(error);
        assert_eq!(cause.to_string(), "outer");
        assert_eq!(cause.source().unwrap().to_string(), "entity not found");
    }
}
