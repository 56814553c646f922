//! One queue that a transfer service looks after, and one run of the transfer in it.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::delivery::intake::Ends;
use crate::delivery::peers::{Herd, Mover, Peer};
use crate::delivery::transfer::{Placing, Quarantine};
use crate::link::backoff::Backoff;
use crate::wire::keys::QueueKeys;

/// One queue.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) keys: Arc<QueueKeys>,
    /// Where takers wait; gone when the last handle is.
    pub(crate) ends: Weak<Ends>,
    /// What is due is moved; otherwise takers are only told of hints.
    pub(crate) transfer: bool,
    /// The last run found the queue paused.
    pub(crate) paused: bool,
    pub(crate) backoff: Backoff,
    /// How many elements to move in a run.
    pub(crate) limit: usize,
    /// What the next run knows about the places of members.
    pub(crate) placing: Placing,
    /// The score of a large member, if the last run met one: the next run need not read it again.
    pub(crate) large_score: String,
    /// Until when to read no whole ordering list, for that did not help.
    pub(crate) no_survey_before: Instant,
    /// The last run failed, and that was reported.
    pub(crate) failing: bool,
    /// The last run left something to tidy in the ordering list.
    pub(crate) tidying: bool,
    /// The malformed members that were taken out and not yet reported.
    pub(crate) quarantine: Quarantine,
    /// What is known about firing the periodic offers.
    #[cfg(feature = "periodic")]
    pub(crate) firing: crate::delivery::transfer::Firing,
    /// What is known of the other clients.
    pub(crate) herd: Herd,
    /// Redis refused the subscription, that was reported, and this is when to ask again.
    pub(crate) resubscribe_at: Option<Instant>,
    /// The earliest moment at which something may be due, as far as is known.
    pub(super) wake: Option<Instant>,
    /// When to look whatever is known.
    pub(super) poll: Instant,
    /// When to look at the earliest, after a run that failed.
    pub(super) not_before: Option<Instant>,
    /// A run is under way.
    pub(super) running: bool,
}

/// One run of the transfer that is due.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) name: Arc<str>,
    pub(crate) keys: Arc<QueueKeys>,
    /// The most elements to move; none while another client is at it.
    pub(crate) limit: usize,
    pub(crate) placing: Placing,
    pub(crate) large_score: String,
    /// It is the periodic look.
    pub(crate) is_poll: bool,
    /// What the others are told of this client.
    pub(crate) mover: Mover,
    pub(super) ends: Weak<Ends>,
}

impl Watched {
    /// A queue of which nothing is known yet, to be looked at now: `limit` elements are moved in a
    /// run at first, and after a failed one there is a pause of `longest_pause` at the most.
    pub(super) fn new(
        keys: Arc<QueueKeys>,
        ends: Weak<Ends>,
        transfer: bool,
        limit: usize,
        longest_pause: Duration,
        now: Instant,
    ) -> Self {
        let peer = ends.upgrade().map_or_else(Peer::random, |ends| ends.peer());
        Self {
            keys,
            ends,
            transfer,
            paused: false,
            backoff: Backoff::new(longest_pause),
            limit,
            placing: Placing::Unknown,
            large_score: String::new(),
            no_survey_before: now,
            failing: false,
            tidying: false,
            quarantine: Quarantine::default(),
            #[cfg(feature = "periodic")]
            firing: Default::default(),
            herd: Herd::new(peer),
            resubscribe_at: None,
            wake: None,
            poll: now,
            not_before: None,
            running: false,
        }
    }

    /// Whether something became known that the run under way may not have seen.
    pub(crate) fn has_news(&self, now: Instant) -> bool {
        self.wake.is_some() || self.poll <= now
    }

    /// The moment of the next run; that of a follower comes when the leader has had its time.
    pub(super) fn at(&self) -> Instant {
        let wake = self.wake.map(|wake| self.herd.moves_at(wake));
        let at = wake.map_or(self.poll, |wake| wake.min(self.poll));
        self.not_before.map_or(at, |earliest| at.max(earliest))
    }

    pub(super) fn wake_by(&mut self, at: Instant) {
        self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
    }

    pub(super) fn mover(&self) -> Mover {
        let wanted = self.ends.upgrade().and_then(|ends| ends.wanted());
        self.herd.mover(wanted)
    }

    /// Tells those who claim whether another client moves what is due.
    pub(crate) fn tell_role(&self) {
        if let Some(ends) = self.ends.upgrade() {
            ends.set_follows(self.herd.follows());
        }
    }

    /// Tells the takers of this queue that there may be something for them.
    pub(crate) fn hint(&self) {
        if let Some(ends) = self.ends.upgrade() {
            ends.hint();
        }
    }

    /// Tells the takers of this queue that what held them back may be over.
    pub(crate) fn release(&self) {
        if let Some(ends) = self.ends.upgrade() {
            ends.release();
        }
    }
}

impl Run {
    /// Tells those who claim for callers that this run, which was just sent, may move something.
    pub(crate) fn expect(&self) {
        let is_awaited = !self.is_poll && self.mover.wanted > 0;
        if let Some(ends) = self.ends.upgrade().filter(|_| is_awaited) {
            ends.expect();
        }
    }
}
