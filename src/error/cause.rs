//! What Redis or the driver said.

use std::error::Error;
use std::fmt;
use std::ops::Deref;

use redis::{ErrorKind, RedisError};

/// What Redis answered or the driver reported, as the source of an [`Error`](crate::Error).
///
/// It dereferences to the driver's [`RedisError`] and displays the same text on one line. The
/// source of a `RedisError` repeats that text, so a `Cause` skips it: its own source is the one
/// below.
#[derive(Clone)]
pub struct Cause(Box<RedisError>);

impl Deref for Cause {
    type Target = RedisError;

    fn deref(&self) -> &RedisError {
        &self.0
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

impl From<RedisError> for Cause {
    fn from(error: RedisError) -> Self {
        Self(Box::new(error))
    }
}

impl From<Cause> for RedisError {
    fn from(cause: Cause) -> Self {
        *cause.0
    }
}

/// The code of the answer to a user who lacks the right to a command inside a script that has begun.
/// Only servers before Redis 7.0 let such a script begin. The commands before that one have taken
/// effect.
pub(crate) const DENIED_INSIDE: &str = "RDQNOPERM";

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn the_text_has_one_line_and_no_name_of_the_driver() {
        let parsing = RedisError::from((
            ErrorKind::Client,
            "Parse error at 1",
            "\nUnexpected `H`\r\n\nExpected \u{1b}".to_owned(),
        ));
        assert_eq!(
            Cause::from(parsing).to_string(),
            "Parse error at 1:, Unexpected `H`, Expected"
        );
        let io = RedisError::from(io::Error::new(io::ErrorKind::InvalidData, "odd"));
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
        let cause = Cause::from(error);
        assert_eq!(cause.to_string(), "outer");
        assert_eq!(cause.source().unwrap().to_string(), "entity not found");
    }
}
