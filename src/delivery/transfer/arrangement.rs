//! Other commands of the transfer service: connecting, subscribing, firing, watching a pause.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::link::connection::Failure;

/// Something under way with Redis besides the runs.
pub(super) type Arrangement = BoxFuture<'static, Arranged>;

/// The result of an arrangement.
pub(super) enum Arranged {
    /// There is a delivery connection of this number.
    Connected(u64),
    /// The periodic offers of a queue were looked at.
    #[cfg(feature = "periodic")]
    Fired {
        name: Arc<str>,
        result: Result<super::periodic::Fired, Failure>,
    },
    /// There is a connection of this number to listen on.
    Listening(u64),
    Subscribed {
        name: Arc<str>,
        result: Result<(), Failure>,
    },
    Unsubscribed,
    /// Redis was asked to report the next change of the queue's state.
    WatchedState {
        name: Arc<str>,
        /// True if the queue was still paused then.
        paused: Result<bool, Failure>,
    },
}
