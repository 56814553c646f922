//! Why calls fail, and what that says of them.

use std::sync::Arc;

use redis::{ErrorKind, RedisError, RetryMethod, ServerErrorKind};

use crate::error::{Error, Step};

/// Why a call gave no result.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The connection failed or no reply came in time: the command may have run, and may yet run.
    Lost(RedisError),
    /// There was no connection to this server to send it on.
    NotSent { server: Arc<str>, error: RedisError },
    /// The server answered with an error.
    Refused(RedisError),
}

impl Failure {
    /// Whether the command was certainly not applied and the cause may pass by itself.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Lost(_) => false,
            Self::NotSent { error, .. } => !is_denial(error),
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
            Self::Lost(error) | Self::NotSent { error, .. } | Self::Refused(error) => error,
        }
    }

    pub(crate) fn into_error(self, step: Step) -> Error {
        match self {
            Self::Lost(source) => Error::Lost { step, source },
            Self::NotSent { error, .. } if is_denial(&error) => Error::Denied {
                step: Step::Connect,
                source: error,
            },
            Self::NotSent { server, error } => Error::Connect {
                server: server.to_string(),
                source: error,
            },
            Self::Refused(source) if is_denial(&source) => Error::Denied { step, source },
            Self::Refused(source) => match source.code() {
                Some("RDQTYPE" | "WRONGTYPE") => Error::WrongType {
                    step,
                    detail: source.detail().unwrap_or_default().to_owned(),
                },
                _ => Error::Refused { step, source },
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
