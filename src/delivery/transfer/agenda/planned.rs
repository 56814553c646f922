//! A run as the agenda plans it. `transfer::run` sends it and reads the reply.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::Instant;

use crate::delivery::intake::{Sides, Signal};
use crate::delivery::peers::Mover;
use crate::delivery::transfer::Placing;
use crate::delivery::transfer::pace::Took;
use crate::link::connection::Failure;
use crate::metric::Meter;
use crate::wire::keys::QueueKeys;
use crate::wire::script::Transferred;

/// A run of the transfer script that is due.
#[derive(Debug)]
pub(crate) struct PlannedRun {
    pub(crate) name: Arc<str>,
    pub(crate) keys: Arc<QueueKeys>,
    /// The most elements to move. Zero while another client works off a backlog.
    pub(crate) limit: usize,
    /// Redis says when it ends.
    pub(crate) is_timed: bool,
    pub(crate) placing: Placing,
    pub(crate) bulky_score: String,
    /// It is the regular look at the whole queue.
    pub(crate) is_poll: bool,
    /// What the run tells the other clients about this one.
    pub(crate) mover: Mover,
    pub(super) sides: Weak<Sides>,
    pub(crate) meter: Arc<Meter>,
}

/// A run that is over.
pub(crate) struct Ran {
    pub(crate) run: PlannedRun,
    pub(crate) sent: Instant,
    pub(crate) received: Instant,
    /// How long Redis was busy with it, if it was timed.
    pub(crate) busy: Option<Duration>,
    pub(crate) result: Result<Transferred, Failure>,
}

impl PlannedRun {
    /// Tells the workers that this run, which was just sent, may move something.
    pub(crate) fn expect(&self) {
        let is_awaited = !self.is_poll && self.mover.wanted > 0;
        if let Some(sides) = self.sides.upgrade().filter(|_| is_awaited) {
            sides.tell(Signal::Expected);
        }
    }
}

impl Ran {
    pub(crate) fn took(&self) -> Took {
        Took {
            round_trip: self.received.saturating_duration_since(self.sent),
            busy: self.busy,
        }
    }
}
