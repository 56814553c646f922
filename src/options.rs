//! What can be chosen about a client.

use std::time::Duration;

use crate::clock::Clock;
use crate::connection::Timeouts;
use crate::ids::MemberIds;

/// The settings of one client; [`ClientBuilder`](crate::ClientBuilder) documents each.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) claim_lease: Duration,
    pub(crate) clock: Clock,
    pub(crate) member_ids: MemberIds,
    pub(crate) remember_offers: bool,
    pub(crate) retry_window: Duration,
    pub(crate) safety_poll: Duration,
    pub(crate) timeouts: Timeouts,
    pub(crate) transfer: bool,
}

impl Options {
    /// The longest retry window and response timeout.
    pub(crate) const MAX_WINDOW: Duration = Duration::from_secs(60);

    /// How long Redis remembers an id that must not be written (again): longer than an attempt to
    /// offer it can be on its way from any client, whatever retry window that one has.
    pub(crate) const SETTLED: Duration = Duration::from_secs(61);

    /// How long to wait between two attempts at the most.
    pub(crate) fn longest_pause(&self) -> Duration {
        self.safety_poll.min(Duration::from_secs(1))
    }

    /// For how long after a call was first sent it may be sent again and its reply be waited for.
    pub(crate) fn repeat_window(&self) -> Duration {
        self.retry_window + self.timeouts.connect + self.timeouts.response
    }

    /// For how long after an offer was made an attempt at it may take effect.
    pub(crate) fn offer_window(&self) -> Duration {
        self.retry_window.max(self.timeouts.response)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            claim_lease: Duration::from_secs(30),
            clock: Clock::default(),
            member_ids: MemberIds::default(),
            remember_offers: false,
            retry_window: Duration::from_secs(5),
            safety_poll: Duration::from_secs(1),
            timeouts: Timeouts {
                connect: Duration::from_secs(2),
                response: Duration::from_secs(2),
            },
            transfer: true,
        }
    }
}
