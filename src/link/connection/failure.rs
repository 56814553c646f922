//! Why calls fail, and what that says of them.

use std::ops::Deref;
use std::sync::Arc;

use redis::{ErrorKind, RedisError, RetryMethod, ServerErrorKind};

use crate::error::{Error, Step};

/// Why a call gave no result.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The connection failed or no reply came in time: the command may have run, and may yet run.
    Lost(Met),
    /// There was no connection to send it on.
    NotSent(Met),
    /// The server answered with an error.
    Refused(Met),
}

/// An error that a command met at a server.
#[derive(Clone, Debug)]
pub(crate) struct Met {
    /// The server's address, without credentials.
    pub(crate) server: Arc<str>,
    pub(crate) error: RedisError,
}

impl Deref for Met {
    type Target = RedisError;

    fn deref(&self) -> &RedisError {
        &self.error
    }
}

impl Failure {
    /// Whether the command was certainly not applied and the cause may pass by itself.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Lost(_) => false,
            Self::NotSent(error) => !is_denial(error),
            // BUSY: somebody's script runs too long. NOSCRIPT: somebody flushes the scripts again
            // and again.
            Self::Refused(error) => {
                matches!(error.code(), Some("BUSY" | "NOSCRIPT"))
                    || !matches!(error.retry_method(), RetryMethod::NoRetry)
            }
        }
    }

    /// Whether the server said no, and will say so again until someone does something about it.
    pub(crate) fn is_refusal(&self) -> bool {
        !matches!(self, Self::Lost(_)) && !self.is_passing()
    }

    pub(crate) fn into_redis_error(self) -> RedisError {
        match self {
            Self::Lost(met) | Self::NotSent(met) | Self::Refused(met) => met.error,
        }
    }

    pub(crate) fn into_error(self, step: Step) -> Error {
        let (Self::Lost(met) | Self::NotSent(met) | Self::Refused(met)) = &self;
        let (server, queue) = (met.server.to_string(), None);
        match self {
            Self::Lost(met) => Error::Lost {
                server,
                queue,
                step,
                source: met.error.into(),
            },
            Self::NotSent(met) if !is_denial(&met) => Error::Connect {
                server,
                source: met.error.into(),
            },
            Self::NotSent(met) => Error::Denied {
                server,
                queue,
                step: Step::Connect,
                source: met.error.into(),
            },
            Self::Refused(met) if is_denial(&met) => Error::Denied {
                server,
                queue,
                step,
                source: met.error.into(),
            },
            Self::Refused(met) => match met.code() {
                Some("RDQTYPE" | "WRONGTYPE") => Error::WrongType {
                    server,
                    queue,
                    step,
                    detail: met.detail().unwrap_or_default().to_owned(),
                },
                _ => Error::Refused {
                    server,
                    queue,
                    step,
                    source: met.error.into(),
                },
            },
        }
    }
}

/// Whether this came instead of a reply, so that the command may have run, and may yet run.
pub(crate) fn is_loss(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::Io | ErrorKind::Parse)
}

/// Whether the user lacks a right, or is not who the server should take it for.
fn is_denial(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm)
    ) || matches!(error.code(), Some("NOAUTH" | "WRONGPASS"))
}
