//! The two ends of a target queue, and who waits there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::sync::watch;

use super::Intake;
use crate::delivery::peers::Peer;
use crate::end::End;

/// The intakes of one queue, and what both need to know.
#[derive(Debug)]
pub(crate) struct Ends {
    first: Arc<Intake>,
    last: Arc<Intake>,
    /// Changes with every hint, for callers that wait without an intake.
    hints: watch::Sender<()>,
    /// This client's service moves what is due in the queue, and so looks at it in any case.
    transferred: AtomicBool,
    /// Another client moves what is due, and calls this one when there is something to claim.
    follows: AtomicBool,
    /// Callers take elements here.
    taken_from: AtomicBool,
    /// Callers take the last elements here.
    last_taken_from: AtomicBool,
    /// This client, as the others on the queue know it.
    peer: Peer,
}

impl Ends {
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

    pub(crate) fn at(&self, end: End) -> &Arc<Intake> {
        match end {
            End::First => &self.first,
            End::Last => &self.last,
        }
    }

    /// Says that there may be something to claim.
    pub(crate) fn hint(&self) {
        self.first.hint();
        self.last.hint();
        self.hints.send_replace(());
    }

    /// Says that there will be something to claim when what was sent to Redis before is done.
    pub(crate) fn expect(&self) {
        self.first.hint();
        self.last.hint();
    }

    /// Says that the target queue has changed, so that Redis will not say so again unasked. Who
    /// follows another waits to be called.
    pub(crate) fn disturb(&self) {
        if !self.follows() {
            return self.hint();
        }
        self.first.disturb();
        self.last.disturb();
        self.hints.send_replace(());
    }

    /// Says that others were called for what has changed.
    pub(crate) fn explain(&self) {
        self.first.explain();
        self.last.explain();
    }

    /// Says that another client has left something for this one to claim.
    pub(crate) fn call(&self) {
        self.first.call();
        self.last.call();
        self.hints.send_replace(());
    }

    /// Says that what held claims back may be over: a pause, or a limit to their rate.
    pub(crate) fn release(&self) {
        self.first.release();
        self.last.release();
        self.hints.send_replace(());
    }

    /// Says that a claim at `end` has written the queue's state: Redis tells this client nothing of
    /// what it writes itself, and forgets that the others here asked to be told.
    pub(crate) fn spend(&self, end: End) {
        match end {
            End::First => self.last.release(),
            End::Last => self.first.release(),
        }
        self.hints.send_replace(());
    }

    /// Changes with every hint, and when the queue is closed.
    pub(crate) fn hints(&self) -> watch::Receiver<()> {
        self.hints.subscribe()
    }

    /// Hands over no more, at either end.
    pub(crate) fn close(&self) {
        self.first.close();
        self.last.close();
        self.hints.send_replace(());
    }

    /// Says that this client's service moves what is due in the queue. False if it did already.
    pub(crate) fn set_transferred(&self) -> bool {
        !self.transferred.swap(true, Relaxed)
    }

    /// Says whether another client moves what is due.
    pub(crate) fn set_follows(&self, follows: bool) {
        if self.follows.swap(follows, Relaxed) != follows {
            self.first.work.notify_one();
            self.last.work.notify_one();
        }
    }

    pub(crate) fn follows(&self) -> bool {
        self.follows.load(Relaxed)
    }

    /// Says that callers take elements at this end.
    pub(super) fn set_taken_from(&self, end: End) {
        self.taken_from.store(true, Relaxed);
        if end == End::Last {
            self.last_taken_from.store(true, Relaxed);
        }
    }

    /// Whether callers take the last elements here, and so may ask for any element next.
    pub(super) fn is_last_taken_from(&self) -> bool {
        self.last_taken_from.load(Relaxed)
    }

    /// How many elements callers wait for that no claim under way may bring; nothing if nobody
    /// takes elements here.
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
