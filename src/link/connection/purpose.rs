//! What a socket is for.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::push::Push;

/// What the connections of a [`Link`](super::Link) are for.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    Calls,
    /// Transfers and claims. Asks for hints about keys, and passes on what the server says.
    ///
    /// Carries payloads, so it never subscribes: Redis cuts off a subscriber that has more than 32
    /// MB of unread replies, and sets no such limit for other connections.
    Delivery(UnboundedSender<Push>),
    /// Offers that wait until replicas or the disk have the element.
    Durable,
    /// Calls with large payloads.
    Large,
    /// Subscriptions. Passes on what the server says.
    Subscription(UnboundedSender<Push>),
}

impl Purpose {
    const LEAST_IDLE: Duration = Duration::from_millis(10);
    /// This long, because calls and looks at the queues show anyway whether the server is there.
    const MOST_IDLE: Duration = Duration::from_secs(10);

    /// The receiver of everything that the server sends unasked.
    pub(super) fn pushes(&self) -> Option<&UnboundedSender<Push>> {
        match self {
            Self::Calls | Self::Durable | Self::Large => None,
            Self::Delivery(pushes) | Self::Subscription(pushes) => Some(pushes),
        }
    }

    /// How long the socket may be idle before the server is asked whether it is still there, if a
    /// reply may take `timeout`. `hears` says whether the driver reports the end of the socket.
    pub(super) fn idles_for(&self, timeout: Duration, hears: bool) -> Duration {
        match self {
            // Nothing else shows that messages do not come any more.
            Self::Subscription(_) => (timeout / 2).max(Self::LEAST_IDLE),
            _ if !hears => (timeout / 2).max(Self::LEAST_IDLE),
            _ => Self::MOST_IDLE,
        }
    }

    /// True if callers wait for the connection.
    pub(super) fn is_for_callers(&self) -> bool {
        matches!(self, Self::Calls | Self::Durable | Self::Large)
    }

    /// True if a call waits longer than the response timeout while other calls are answered. A new
    /// connection sends something for each queue at once, and of these there may be thousands.
    pub(super) fn is_patient(&self) -> bool {
        matches!(self, Self::Delivery(_) | Self::Subscription(_))
    }

    /// True if the socket is closed as soon as it is idle, so nobody need ask whether the server is
    /// still there.
    pub(super) fn is_closed_when_idle(&self) -> bool {
        matches!(self, Self::Durable | Self::Large)
    }

    /// How log lines name the socket, and `CLIENT LIST` behind the name of the client.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Delivery(_) => "delivery",
            Self::Durable => "durable",
            Self::Large => "large",
            Self::Subscription(_) => "subscription",
        }
    }
}
