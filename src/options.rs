//! The settings of a client.

use std::fmt::Debug;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::link::clock::Clock;
use crate::link::connection::{Timeouts, extra_time};
use crate::link::durability::Durable;
use crate::trace::Carrier;
use crate::wire::ids::MemberIds;
use crate::wire::name_mapper::Mapper;

/// The settings of one client; [`ClientBuilder`](crate::ClientBuilder) documents each.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) at_most_once: bool,
    pub(crate) carrier: Carrier,
    pub(crate) claim_lease: Duration,
    pub(crate) clock: Clock,
    pub(crate) durable: Option<Durable>,
    pub(crate) member_ids: MemberIds,
    pub(crate) name_mapper: Mapper,
    pub(crate) queue_histograms: bool,
    pub(crate) remember_offers: bool,
    pub(crate) retry_window: Duration,
    pub(crate) safety_poll: Duration,
    pub(crate) timeouts: Timeouts,
    pub(crate) transfer: bool,
}

impl Options {
    /// The longest retry window and timeouts.
    pub(crate) const MAX_WINDOW: Duration = Duration::from_secs(60);

    /// How long Redis remembers an id whose element must not be written (again). No attempt to
    /// offer it can be on its way longer, whatever the client's retry window is. Redis remembers
    /// the id of a large element longer; see [`id_memory`](Self::id_memory).
    pub(crate) const ID_MEMORY: Duration = Duration::from_secs(61);

    /// Fails if a setting is out of its bounds.
    pub(crate) fn check(&self) -> Result<()> {
        let hour = Duration::from_secs(3_600);
        let Timeouts { connect, response } = self.timeouts;
        for (setting, value, least_ms, most) in [
            ("claim_lease", self.claim_lease, 100, hour),
            ("connect_timeout", connect, 0, Self::MAX_WINDOW),
            ("response_timeout", response, 0, Self::MAX_WINDOW),
            ("retry_window", self.retry_window, 0, Self::MAX_WINDOW),
            ("safety_poll", self.safety_poll, 10, hour),
        ] {
            check_bounds(setting, value, Duration::from_millis(least_ms), most)?;
        }
        Ok(())
    }

    /// The longest wait between two attempts.
    pub(crate) fn longest_pause(&self) -> Duration {
        self.safety_poll.min(Duration::from_secs(1))
    }

    /// [`ID_MEMORY`](Self::ID_MEMORY) for a member of `bytes` bytes.
    pub(crate) fn id_memory(bytes: usize) -> Duration {
        Self::ID_MEMORY + extra_time(bytes)
    }

    /// How long a call that sends `bytes` bytes may be sent again.
    pub(crate) fn retry_window(&self, bytes: usize) -> Duration {
        if self.retry_window.is_zero() {
            return Duration::ZERO;
        }
        self.retry_window + extra_time(bytes)
    }

    /// How long a call that sends `bytes` bytes can take in all, with its repeats and the wait for
    /// the last reply.
    pub(crate) fn repeat_window(&self, bytes: usize) -> Duration {
        let reply = self.timeouts.connect + self.timeouts.response + extra_time(bytes);
        self.retry_window(bytes) + reply
    }

    /// How long after an offer an attempt at it may still take effect. A large offer gets
    /// [`extra_time`] on top.
    pub(crate) fn offer_window(&self) -> Duration {
        self.retry_window.max(self.timeouts.response)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            at_most_once: false,
            carrier: Carrier::default(),
            claim_lease: Duration::from_secs(30),
            clock: Clock::default(),
            durable: None,
            member_ids: MemberIds::default(),
            name_mapper: Mapper::default(),
            queue_histograms: true,
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

/// Fails if a setting is out of its bounds.
pub(crate) fn check_bounds<T: Debug + PartialOrd>(
    setting: &str,
    value: T,
    least: T,
    most: T,
) -> Result<()> {
    if value >= least && value <= most {
        return Ok(());
    }
    let reason = format!("{setting} is {value:?}, and must be from {least:?} to {most:?}");
    Err(Error::of_settings(&reason, None))
}
