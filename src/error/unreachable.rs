//! Why this crate itself gives up an attempt to connect.

use std::io;

use redis::RedisError;

use super::Cause;
use super::reason::io_error;

/// An obstacle that this crate knows better than the driver. It travels inside the driver's error,
/// so its text is the source of [`Error::Connect`](crate::Error::Connect).
#[allow(dead_code, reason = "which are used depends on the features")]
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreachable {
    /// The system gives no thread.
    #[error(transparent)]
    NoThread(io::Error),
    /// The server that should be a node of a cluster answered this.
    #[error(transparent)]
    NotInCluster(Cause),
    /// The application's function that gives credentials failed.
    #[error(transparent)]
    Provider(Box<dyn std::error::Error + Send + Sync>),
    #[error("the server is a replica")]
    Replica,
    #[error("the server is a sentinel")]
    Sentinel,
    /// Nothing came back over a connection with TLS.
    #[error("no answer came in time")]
    SilentOverTls,
    #[error("a sentinel does not say where the master is")]
    SilentSentinel,
    /// A sentinel answered this.
    #[error(transparent)]
    UnknownMaster(Cause),
}

impl Unreachable {
    /// The obstacle inside this error, if there is one.
    pub(crate) fn of(error: &RedisError) -> Option<&Self> {
        io_error(error)?.get_ref()?.downcast_ref()
    }

    /// What an operator should check first.
    pub(super) fn advice(&self) -> &'static str {
        match self {
            Self::NoThread(_) => "the system gives this process no further thread",
            Self::NotInCluster(_) => "it is no node of a cluster; write redis:// or rediss://",
            Self::Provider(_) => "the provider of credentials failed",
            Self::Replica => "it is a replica; no server there is known as the master yet",
            Self::Sentinel => "it is a sentinel; write redis+sentinel://host:port/master",
            Self::SilentOverTls => "it may be busy or frozen, or may not speak tls",
            Self::SilentSentinel => "the sentinels do not say where the master is",
            Self::UnknownMaster(_) => "the sentinels know no master of that name",
        }
    }
}

impl From<Unreachable> for RedisError {
    fn from(obstacle: Unreachable) -> Self {
        let kind = match obstacle {
            Unreachable::SilentOverTls => io::ErrorKind::TimedOut,
            _ => io::ErrorKind::NotConnected,
        };
        io::Error::new(kind, obstacle).into()
    }
}
