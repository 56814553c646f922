//! What can be chosen about a client.

use std::time::Duration;

use crate::link::clock::Clock;
use crate::link::connection::{Timeouts, extra_time};
use crate::wire::ids::MemberIds;

/// The settings of one client; [`ClientBuilder`](crate::ClientBuilder) documents each.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) at_most_once: bool,
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
    /// offer it can be on its way from any client, whatever retry window that one has. That of a
    /// large element is remembered longer; see [`settled`](Self::settled).
    pub(crate) const SETTLED: Duration = Duration::from_secs(61);

    /// How long to wait between two attempts at the most.
    pub(crate) fn longest_pause(&self) -> Duration {
        self.safety_poll.min(Duration::from_secs(1))
    }

    /// How long Redis remembers the id of a member of so many bytes that must not be written
    /// (again).
    pub(crate) fn settled(bytes: usize) -> Duration {
        Self::SETTLED + extra_time(bytes)
    }

    /// How long a call that sends so many bytes may be sent again.
    pub(crate) fn retry_window(&self, bytes: usize) -> Duration {
        if self.retry_window.is_zero() {
            return Duration::ZERO;
        }
        self.retry_window + extra_time(bytes)
    }

    /// For how long after a call that sends so many bytes was first sent it may be sent again and
    /// its reply be waited for.
    pub(crate) fn repeat_window(&self, bytes: usize) -> Duration {
        let reply = self.timeouts.connect + self.timeouts.response + extra_time(bytes);
        self.retry_window(bytes) + reply
    }

    /// For how long after an offer was made an attempt at it may take effect; a large one has
    /// [`extra_time`].
    pub(crate) fn offer_window(&self) -> Duration {
        self.retry_window.max(self.timeouts.response)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            at_most_once: false,
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
