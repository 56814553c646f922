//! Which client of a queue leads, and whom the leader calls: pure bookkeeping.
//!
//! The agenda keeps one [`Herd`] for each queue and asks it when to move. Every client can transfer
//! and claim at any time, and none depends on another: messages only save work. The client that
//! moved an element last leads, if callers take from it. If none do, the first client that it
//! called leads. All others follow: they move due elements a little later than they could, and the
//! leader's message usually arrives before that. If the leader is late or gone, the follower with
//! the shortest patience moves in its place, and leads from then on.
//!
//! A follower whose callers wait announces that once. The client that moves elements then calls as
//! many of the waiting clients as it has elements to spare. It calls the latest to announce itself
//! first, since that one is the least likely to have gone.
//!
//! While the leader works off a backlog, the others keep out of its way. The leader knows where the
//! members stand in the ordering list, and the others would shift them.

use std::time::Duration;

use tokio::time::Instant;

use super::message::{Moved, Peer};

/// What one client knows about the other clients of a queue.
#[derive(Debug)]
pub(crate) struct Herd {
    me: Peer,
    follows: bool,
    /// How long a leader has to move due elements, besides the time that its message takes.
    grace: Duration,
    /// How long Redis took to answer the last run.
    round_trip: Duration,
    /// The leader had more to move at its last message, and is left alone until this moment.
    busy_until: Option<Instant>,
    /// Redis's clock at the latest run that this client knows of, unix us.
    seen_us: i64,
    /// The clients whose callers wait. The latest to announce itself comes last.
    waiting: Vec<Peer>,
}

/// The meaning of a run's message for the client that hears it.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Heard {
    /// It is newer than what this client knew about the pending elements.
    pub(crate) is_news: bool,
    /// Other clients were called for all elements that can be claimed.
    pub(crate) is_others: bool,
    /// This client may claim something.
    pub(crate) is_called: bool,
    /// This client called others, and they may not come.
    pub(crate) is_caller: bool,
}

/// What a client says about itself when it transfers.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    pub(crate) peer: Peer,
    /// Callers take from the queue at this client.
    pub(crate) takes: bool,
    /// How many elements they wait for.
    pub(crate) wanted: usize,
    /// The other clients whose callers wait. The one to call first comes first.
    waiting: Vec<Peer>,
}

impl Herd {
    /// The least time that a leader has to move due elements: a process may be that late.
    const GRACE: Duration = Duration::from_millis(10);
    /// The most that is added to it, at random, so that followers differ.
    const SPREAD: Duration = Duration::from_millis(20);
    /// The longest round trip that counts. A longer one is an exception.
    const DISTANT: Duration = Duration::from_millis(200);
    /// How long a leader may be silent while it works off a backlog. Reading a list of a million
    /// members takes half of that.
    const BUSY: Duration = Duration::from_secs(1);
    /// The most waiting clients to remember.
    const MOST: usize = 64;
    /// How long after a call to see whether the called clients came.
    pub(crate) const CHECK: Duration = Duration::from_millis(20);

    /// `me` believes at first that it is alone.
    pub(crate) fn new(me: Peer) -> Self {
        Self {
            me,
            follows: false,
            grace: Self::GRACE + Self::SPREAD.mul_f64(rand::random()),
            round_trip: Duration::ZERO,
            busy_until: None,
            seen_us: 0,
            waiting: Vec::new(),
        }
    }

    /// Changes this client's name.
    pub(crate) fn become_known_as(&mut self, me: Peer) {
        self.me = me;
    }

    /// True if another client leads.
    pub(crate) fn follows(&self) -> bool {
        self.follows
    }

    /// When this client should move an element that is due at `wake`.
    pub(crate) fn moves_at(&self, wake: Instant) -> Instant {
        if !self.follows {
            return wake;
        }
        let patience = self.grace + self.round_trip.min(Self::DISTANT);
        let after_grace = wake + patience;
        self.busy_until
            .map_or(after_grace, |busy| after_grace.max(busy + patience))
    }

    /// True while another client works off a backlog and must not be disturbed.
    pub(crate) fn keeps_out(&self, now: Instant) -> bool {
        self.follows && self.busy_until.is_some_and(|busy| now < busy)
    }

    /// What this client says about itself. Its callers wait for `wanted` elements; None if no
    /// callers take from the queue here.
    pub(crate) fn mover(&self, wanted: Option<usize>) -> Mover {
        Mover {
            peer: self.me,
            takes: wanted.is_some(),
            wanted: wanted.unwrap_or(0),
            waiting: self.waiting.iter().rev().copied().collect(),
        }
    }

    /// Notes how long a run of this client took, and Redis's clock during it.
    pub(crate) fn ran(&mut self, round_trip: Duration, server_us: i64) {
        self.round_trip = round_trip;
        self.seen_us = server_us;
    }

    /// Notes that callers wait at a client.
    pub(crate) fn hear_waiting(&mut self, peer: Peer) {
        self.forget(&[peer]);
        if peer != self.me {
            if self.waiting.len() == Self::MOST {
                self.waiting.remove(0);
            }
            self.waiting.push(peer);
        }
    }

    /// Handles what a run says. `takes` says whether callers take from the queue at this client.
    pub(crate) fn hear_moved(&mut self, moved: &Moved, takes: bool, now: Instant) -> Heard {
        let is_mine = moved.by == self.me;
        self.forget(&moved.called);
        let leader = match moved.called.first() {
            _ if moved.takes => Some(moved.by),
            // The sender takes nothing and called nobody. If this client takes nothing as well, it
            // follows the sender. A client that takes is better suited to lead; it may have been
            // left out because there was nothing to spare.
            None => Some(moved.by).filter(|_| is_mine || !takes),
            called => called.copied(),
        };
        if let Some(leader) = leader.filter(|_| moved.count > 0) {
            self.follows = leader != self.me;
            self.busy_until = moved.has_more().then(|| now + Self::BUSY);
        }
        let is_news = !is_mine && moved.at_us > self.seen_us;
        if is_news {
            self.seen_us = moved.at_us;
        }
        // If there is more to claim than clients were called, every client may claim.
        let is_for_all = moved.spare > moved.called.len() as u64;
        let is_called = !is_mine && (is_for_all || moved.called.contains(&self.me));
        Heard {
            is_news,
            is_others: !is_mine && !is_called,
            is_called,
            is_caller: is_mine && !moved.called.is_empty(),
        }
    }

    /// Believes to be alone again, because messages may have been missed.
    pub(crate) fn part(&mut self) {
        self.follows = false;
        self.busy_until = None;
        self.seen_us = 0;
        self.waiting.clear();
    }

    fn forget(&mut self, called: &[Peer]) {
        self.waiting.retain(|peer| !called.contains(peer));
    }
}

impl Mover {
    /// The waiting clients, in the form that the script takes.
    pub(crate) fn waiting(&self) -> String {
        self.waiting.iter().map(Peer::to_string).collect()
    }
}

#[cfg(test)]
mod tests;
