//! What the handles of a client tell its transfer service.

use std::sync::{Arc, Weak};

use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use crate::delivery::intake::Sides;
use crate::wire::keys::QueueKeys;

/// A message of a handle to the service. A `name` is the key of a target queue.
#[derive(Debug)]
pub(crate) enum Request {
    /// An offer became the next pending element of the queue `name`.
    NewHead { name: String, due: Instant },
    /// Look at the queue `name` in full.
    #[cfg(feature = "periodic")]
    Poll { name: String },
    /// Look after this queue from now on.
    Watch {
        keys: Arc<QueueKeys>,
        sides: Weak<Sides>,
        /// Transfer it, too.
        transfer: bool,
        /// Another node had it until now.
        is_moved: bool,
        /// That node could not transfer it, and this was reported.
        is_failing: bool,
    },
    /// This client has written the state of the queue `name` itself. Redis tells it nothing of its
    /// own writes, and forgets that it asked to be told.
    WroteState { name: String },
}

/// Sends requests to the service, which ends when every sender is gone.
pub(crate) type Requests = UnboundedSender<Request>;
