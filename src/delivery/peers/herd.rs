//! Which of the many clients of a queue moves what is due, and who claims it: pure bookkeeping.
//!
//! Every client can do both at any time, and none depends on another. What they tell each other
//! only says who need not. Whoever has moved something leads, if callers take from it; else the
//! first of those whom it called does. All others follow: they move what is due a moment later than
//! they could, and a message that the leader did so comes before that. So when the leader is late
//! or gone, the follower with the shortest patience moves in its place, and leads from then on.
//!
//! A follower whose callers wait in vain says so, once, and the one that moves calls as many of
//! these as there are elements that its own callers do not wait for. The last to say so is called
//! first: it is the least likely to have gone since.
//!
//! While the leader works off a backlog all others keep out of its way: what they moved would not
//! be where it knows the rest to be.

use std::time::{Duration, Instant};

use super::message::{Message, Moved, Peer};

/// What one client knows of the others on a queue.
#[derive(Debug)]
pub(crate) struct Herd {
    me: Peer,
    follows: bool,
    /// How long a leader has to move what is due, besides the time that its message takes.
    grace: Duration,
    /// How long Redis took to answer last.
    round_trip: Duration,
    /// The leader had more to move when it was heard last, and is left alone until then.
    busy_until: Option<Instant>,
    /// Redis's clock at the last look at the queue that this client knows of, unix us.
    seen_us: i64,
    /// Where callers wait in vain, the last to say so behind.
    waiting: Vec<Peer>,
}

/// What a message means for the client that hears it.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct Heard {
    /// It tells more of what is scheduled than was known.
    pub(crate) is_news: bool,
    /// Others were called for all that there is to claim, which changed the target queue.
    pub(crate) is_others: bool,
    /// There is something to claim for this client.
    pub(crate) is_called: bool,
    /// Others were called by this client, and may not come.
    pub(crate) is_caller: bool,
}

/// What a client says of itself when it moves what is due.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    pub(crate) peer: Peer,
    /// Callers take from the queue here.
    pub(crate) takes: bool,
    /// How many elements they wait for.
    pub(crate) wanted: usize,
    /// Where others wait, the one to call first in front.
    waiting: Vec<Peer>,
}

impl Herd {
    /// The least time that a leader has to move what is due: a process may be that late.
    const GRACE: Duration = Duration::from_millis(10);
    /// What is added to it at the most: different times for different clients.
    const SPREAD: Duration = Duration::from_millis(20);
    /// The longest way to Redis that is waited for: what takes longer is an exception.
    const DISTANT: Duration = Duration::from_millis(200);
    /// How long a leader may be silent that works off a backlog: to read a list of a million takes
    /// half of that.
    const BUSY: Duration = Duration::from_secs(1);
    /// The most clients that are known to wait.
    const MOST: usize = 64;
    /// When to see whether those who were called came.
    pub(crate) const CHECK: Duration = Duration::from_millis(20);

    /// What `me` knows at first: it is on its own.
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

    /// Has another name from now on.
    pub(crate) fn become_known_as(&mut self, me: Peer) {
        self.me = me;
    }

    /// Whether another client moves what is due.
    pub(crate) fn follows(&self) -> bool {
        self.follows
    }

    /// When to move what is due at `wake`.
    pub(crate) fn moves_at(&self, wake: Instant) -> Instant {
        if !self.follows {
            return wake;
        }
        let patience = self.grace + self.round_trip.min(Self::DISTANT);
        let after_grace = wake + patience;
        self.busy_until
            .map_or(after_grace, |busy| after_grace.max(busy + patience))
    }

    /// Whether another client is at work and must not be disturbed.
    pub(crate) fn keeps_out(&self, now: Instant) -> bool {
        self.follows && self.busy_until.is_some_and(|busy| now < busy)
    }

    /// What this client says of itself, with callers that wait for `wanted` elements; nothing if
    /// nobody takes from the queue here.
    pub(crate) fn mover(&self, wanted: Option<usize>) -> Mover {
        Mover {
            peer: self.me,
            takes: wanted.is_some(),
            wanted: wanted.unwrap_or(0),
            waiting: self.waiting.iter().rev().copied().collect(),
        }
    }

    /// Takes in how long a run of this client took, and what Redis's clock showed.
    pub(crate) fn ran(&mut self, round_trip: Duration, server_us: i64) {
        self.round_trip = round_trip;
        self.seen_us = server_us;
    }

    /// Takes in what is said on the channel, at a client where callers take from the queue or not.
    pub(crate) fn hear(&mut self, message: &Message, takes: bool, now: Instant) -> Heard {
        match message {
            Message::Moved(moved) => self.hear_moved(moved, takes, now),
            Message::Waiting(peer) => {
                self.forget(&[*peer]);
                if *peer != self.me {
                    if self.waiting.len() == Self::MOST {
                        self.waiting.remove(0);
                    }
                    self.waiting.push(*peer);
                }
                Heard::default()
            }
        }
    }

    fn hear_moved(&mut self, moved: &Moved, takes: bool, now: Instant) -> Heard {
        let is_mine = moved.by == self.me;
        self.forget(&moved.called);
        let leader = match moved.called.first() {
            _ if moved.takes => Some(moved.by),
            // It takes nothing and has called nobody. Who takes nothing either follows it; who
            // takes is better suited, and may not have been called because there was nothing to
            // spare.
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
        // With more than the others are known to wait for, whoever waits may claim.
        let is_for_all = moved.spare > moved.called.len() as u64;
        let is_called = !is_mine && (is_for_all || moved.called.contains(&self.me));
        Heard {
            is_news,
            is_others: !is_mine && !is_called,
            is_called,
            is_caller: is_mine && !moved.called.is_empty(),
        }
    }

    /// Is on its own again: messages may have been missed.
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
    /// Where others wait, as the script takes it.
    pub(crate) fn waiting(&self) -> String {
        self.waiting.iter().map(Peer::to_string).collect()
    }
}

#[cfg(test)]
mod tests;
