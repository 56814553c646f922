//! The two sides of a target queue, and what both need to know.
//!
//! Each queue has one [`Sides`]. Its handles take from the intakes; the transfer service and the
//! workers tell it what they learn, as [`Signal`]s. For those see `signal`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::sync::watch;

use super::{Intake, Signal};
use crate::delivery::peers::Peer;
use crate::side::Side;

/// The two intakes of one queue.
#[derive(Debug)]
pub(crate) struct Sides {
    first: Arc<Intake>,
    last: Arc<Intake>,
    /// Wakes callers that move elements by a script of their own, and so wait without an intake.
    hints: watch::Sender<()>,
    /// This client's service transfers the queue, so it looks at it once a safety poll.
    transferred: AtomicBool,
    /// Another client leads, and calls this one when there is something to claim.
    follows: AtomicBool,
    /// Callers of this client take elements.
    taken_from: AtomicBool,
    /// Callers of this client take the last elements.
    last_taken_from: AtomicBool,
    /// The name of this client among the clients of the queue.
    peer: Peer,
}

impl Sides {
    pub(crate) fn new() -> Self {
        Self {
            first: Arc::new(Intake::new()),
            last: Arc::new(Intake::new()),
            hints: watch::Sender::new(()),
            transferred: AtomicBool::new(false),
            follows: AtomicBool::new(false),
            taken_from: AtomicBool::new(false),
            last_taken_from: AtomicBool::new(false),
            peer: Peer::random(),
        }
    }

    pub(crate) fn at(&self, side: Side) -> &Arc<Intake> {
        match side {
            Side::First => &self.first,
            Side::Last => &self.last,
        }
    }

    /// Tells both workers, and the callers that wait without one.
    pub(crate) fn tell(&self, signal: Signal) {
        self.first.tell(signal);
        self.last.tell(signal);
        self.tell_relays(signal);
    }

    /// Tells the other worker and the callers that wait without one. The worker of `side` knows
    /// already.
    pub(super) fn tell_others(&self, side: Side, signal: Signal) {
        match side {
            Side::First => self.last.tell(signal),
            Side::Last => self.first.tell(signal),
        }
        self.tell_relays(signal);
    }

    fn tell_relays(&self, signal: Signal) {
        if signal.wakes_relays() {
            self.hints.send_replace(());
        }
    }

    /// Changes with every signal that concerns callers without an intake, and when the queue
    /// closes.
    pub(crate) fn hints(&self) -> watch::Receiver<()> {
        self.hints.subscribe()
    }

    /// Hands over no more elements, at either side.
    pub(crate) fn close(&self) {
        self.first.close();
        self.last.close();
        self.hints.send_replace(());
    }

    /// Notes that this client's service transfers the queue. False if it did so before.
    pub(crate) fn set_transferred(&self) -> bool {
        !self.transferred.swap(true, Relaxed)
    }

    /// Notes whether another client leads, and wakes the workers if that is new.
    pub(crate) fn set_follows(&self, follows: bool) {
        if self.follows.swap(follows, Relaxed) != follows {
            self.first.work.notify_one();
            self.last.work.notify_one();
        }
    }

    pub(crate) fn follows(&self) -> bool {
        self.follows.load(Relaxed)
    }

    /// Notes that callers take elements at this side.
    pub(super) fn set_taken_from(&self, side: Side) {
        self.taken_from.store(true, Relaxed);
        if side == Side::Last {
            self.last_taken_from.store(true, Relaxed);
        }
    }

    /// True if callers take the last elements: any element of the queue may be asked for next.
    pub(super) fn is_last_taken_from(&self) -> bool {
        self.last_taken_from.load(Relaxed)
    }

    /// How many elements callers still wait for if the claims under way bring all they ask for.
    /// None if no caller of this client takes elements.
    pub(crate) fn wanted(&self) -> Option<usize> {
        let wanted = || self.first.wanted() + self.last.wanted();
        self.taken_from.load(Relaxed).then(wanted)
    }

    pub(crate) fn peer(&self) -> Peer {
        self.peer
    }

    pub(super) fn is_transferred(&self) -> bool {
        self.transferred.load(Relaxed)
    }
}
