//! One queue that a transfer service watches.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::Instant;

use crate::delivery::intake::{Sides, Signal};
use crate::delivery::peers::{Herd, Mover, Peer};
use crate::delivery::transfer::pace::Pace;
use crate::delivery::transfer::{Placing, QuarantineReports};
use crate::delivery::trust::Trust;
use crate::link::pauses::Pauses;
use crate::metric::Meter;
use crate::wire::keys::QueueKeys;

#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) keys: Arc<QueueKeys>,
    /// Where takers wait. Gone with the last handle.
    pub(crate) sides: Weak<Sides>,
    pub(crate) meter: Arc<Meter>,
    /// This client transfers the queue. Otherwise it only tells takers what Redis reports.
    pub(crate) is_transferred: bool,
    /// The last run found the queue paused.
    pub(crate) paused: bool,
    /// Whether reports of a paused queue's state were worth a run.
    pub(crate) trust: Trust,
    pub(crate) pauses: Pauses,
    /// How many elements a run moves.
    pub(crate) pace: Pace,
    /// What the next run knows about where members stand in the ordering list.
    pub(crate) placing: Placing,
    /// The score of a bulky member that the last run met. The next run does not read it again.
    pub(crate) bulky_score: String,
    /// No survey of the ordering list before this moment, because the last one did not help.
    pub(crate) no_survey_before: Instant,
    /// The last run failed, and that was reported.
    pub(crate) failing: bool,
    /// The last run left something to tidy in the ordering list.
    pub(crate) tidying: bool,
    /// The malformed members that were taken out and not yet reported.
    pub(crate) quarantine: QuarantineReports,
    /// What is known about firing the periodic offers.
    #[cfg(feature = "periodic")]
    pub(crate) firing: crate::delivery::transfer::Firing,
    /// What this client knows about the others.
    pub(crate) herd: Herd,
    /// Redis refused the last subscription.
    pub(crate) is_subscription_refused: bool,
    /// When to ask again for a subscription that Redis refused.
    pub(crate) resubscribe_at: Option<Instant>,
    /// The earliest known moment at which an element may be due.
    pub(super) wake: Option<Instant>,
    /// When to look in any case.
    pub(super) poll: Instant,
    /// No look before this moment, because a run failed.
    pub(super) not_before: Option<Instant>,
    /// A run is under way.
    pub(super) running: bool,
}

impl Watched {
    /// A queue about which nothing is known yet, so it is looked at now. The pause after a failed
    /// run is `longest_pause` at the most.
    pub(super) fn new(
        keys: Arc<QueueKeys>,
        sides: Weak<Sides>,
        meter: Arc<Meter>,
        is_transferred: bool,
        longest_pause: Duration,
        now: Instant,
    ) -> Self {
        let peer = sides.upgrade().map_or_else(Peer::random, |it| it.peer());
        Self {
            keys,
            meter,
            sides,
            is_transferred,
            paused: false,
            trust: Trust::new(longest_pause),
            pauses: Pauses::new(longest_pause),
            pace: Pace::default(),
            placing: Placing::Unknown,
            bulky_score: String::new(),
            no_survey_before: now,
            failing: false,
            tidying: false,
            quarantine: QuarantineReports::default(),
            #[cfg(feature = "periodic")]
            firing: Default::default(),
            herd: Herd::new(peer),
            is_subscription_refused: false,
            resubscribe_at: None,
            wake: None,
            poll: now,
            not_before: None,
            running: false,
        }
    }

    /// True if something became known that the run under way may not have seen.
    pub(crate) fn has_news(&self, now: Instant) -> bool {
        self.wake.is_some() || self.poll <= now
    }

    /// The moment of the next run. A follower gives the leader time first.
    pub(super) fn at(&self) -> Instant {
        let wake = self.wake.map(|wake| self.herd.moves_at(wake));
        let at = wake.map_or(self.poll, |wake| wake.min(self.poll));
        self.not_before.map_or(at, |earliest| at.max(earliest))
    }

    pub(super) fn wake_by(&mut self, at: Instant) {
        self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
    }

    pub(super) fn mover(&self) -> Mover {
        let wanted = self.sides.upgrade().and_then(|sides| sides.wanted());
        self.herd.mover(wanted)
    }

    /// Tells the workers whether another client leads.
    pub(crate) fn tell_role(&self) {
        if let Some(sides) = self.sides.upgrade() {
            sides.set_follows(self.herd.follows());
        }
    }

    /// Tells those who take from this queue.
    pub(crate) fn tell(&self, signal: Signal) {
        if let Some(sides) = self.sides.upgrade() {
            sides.tell(signal);
        }
    }
}
