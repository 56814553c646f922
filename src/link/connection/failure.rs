//! Why calls fail, and whether they may have taken effect.

use std::io;
use std::ops::Deref;
use std::sync::Arc;

use redis::{ErrorKind, RedisError, ServerErrorKind};

use super::nested;
use crate::error::{Cause, DENIED_INSIDE, Error, Step, Unreachable, may_pass};

/// Why a call gave no result.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The connection failed or no reply came in time. The command may have run, or may still run.
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
    /// True if the command was certainly not applied and the cause may pass by itself.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Lost(_) => false,
            Self::NotSent(error) => !is_denial(error),
            Self::Refused(error) => may_pass(error),
        }
    }

    /// True if another node of the cluster has the keys. The link has noted it.
    pub(crate) fn is_redirect(&self) -> bool {
        matches!(self, Self::Refused(met) if met.code() == Some("MOVED"))
    }

    /// True if the server refused, and will refuse again until someone changes something there.
    pub(crate) fn is_refusal(&self) -> bool {
        !matches!(self, Self::Lost(_)) && !self.may_pass()
    }

    /// True if the application's provider of credentials failed.
    pub(crate) fn is_of_provider(&self) -> bool {
        let (Self::Lost(met) | Self::NotSent(met) | Self::Refused(met)) = self;
        let obstacle = Unreachable::of(&met.error);
        matches!(obstacle, Some(Unreachable::Provider(_)))
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
                source: Cause::of(met.error),
            },
            Self::NotSent(met) if !is_denial(&met) => Error::Connect {
                server,
                source: Cause::of(met.error),
            },
            Self::NotSent(met) => Error::Denied {
                server,
                queue,
                step: Step::Connect,
                source: Cause::of(met.error),
            },
            Self::Refused(met) if is_denial(&met) => Error::Denied {
                server,
                queue,
                step,
                source: Cause::of(met.error),
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
                    source: Cause::of(met.error),
                },
            },
        }
    }
}

/// The error of a connection that ended by itself.
pub(super) fn hung_up() -> RedisError {
    io::Error::new(io::ErrorKind::ConnectionReset, "the connection was closed").into()
}

/// The error of a step that was not done in time.
pub(crate) fn timed_out() -> RedisError {
    io::Error::from(io::ErrorKind::TimedOut).into()
}

/// The error of a pipeline with fewer replies than commands.
pub(super) fn missing_reply() -> RedisError {
    let missing = "a pipeline was answered without a reply";
    (ErrorKind::UnexpectedReturnType, missing).into()
}

/// True if no reply came because of this error. The command may have run, or may still run.
pub(crate) fn is_loss(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::Io | ErrorKind::Parse)
}

/// An error that came after a write on the same connection. It is a loss if the server may not be
/// the master any more, or does not answer for now: then nobody knows what becomes of that write.
pub(crate) fn unless_former_master(error: RedisError) -> RedisError {
    let error = nested::unwrap(error);
    let is_replica = matches!(error.code(), Some("READONLY" | "UNBLOCKED"))
        || error
            .detail()
            .is_some_and(|it| it.contains("cannot be used with replica"));
    if is_replica || may_pass(&error) {
        return io::Error::new(io::ErrorKind::ConnectionReset, error.to_string()).into();
    }
    error
}

/// True if the user lacks a right, or the login failed.
fn is_denial(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm)
    ) || matches!(error.code(), Some("NOAUTH" | "WRONGPASS" | DENIED_INSIDE))
}
