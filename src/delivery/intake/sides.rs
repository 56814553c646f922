//! The two sides of a target queue, its consumers, and what all of them need to know.
//!
//! Each queue has one [`Sides`]. Its handles take from the intakes; the transfer service and the
//! workers tell it what they learn, as [`Signal`]s. For those see `signal`.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::{Intake, Signal};
use crate::delivery::peers::Peer;
use crate::metric::Meter;
use crate::side::Side;
use crate::sync::lock;

/// The intakes of one queue.
#[derive(Debug)]
pub(crate) struct Sides {
    first: Arc<Intake>,
    last: Arc<Intake>,
    consumers: Mutex<Vec<Weak<Intake>>>,
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
    meter: Arc<Meter>,
}

impl Sides {
    /// Decisions about deliveries may be sent again for `decision_window`.
    pub(crate) fn new(decision_window: Duration, meter: Arc<Meter>) -> Self {
        let intake = || Arc::new(Intake::new(decision_window, Arc::clone(&meter)));
        Self {
            first: intake(),
            last: intake(),
            meter,
            consumers: Mutex::default(),
            hints: watch::Sender::new(()),
            transferred: AtomicBool::new(false),
            follows: AtomicBool::new(false),
            taken_from: AtomicBool::new(false),
            last_taken_from: AtomicBool::new(false),
            peer: Peer::random(),
        }
    }

    /// The metrics of the queue.
    pub(crate) fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    pub(crate) fn at(&self, side: Side) -> &Arc<Intake> {
        match side {
            Side::First => &self.first,
            Side::Last => &self.last,
        }
    }

    pub(crate) fn add_consumer(&self, intake: &Arc<Intake>) {
        let mut consumers = lock(&self.consumers);
        consumers.retain(|it| it.strong_count() > 0);
        consumers.push(Arc::downgrade(intake));
    }

    fn all(&self) -> impl Iterator<Item = Arc<Intake>> {
        let consumers: Vec<_> = lock(&self.consumers)
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        let sides = [&self.first, &self.last].map(Arc::clone);
        sides.into_iter().chain(consumers)
    }

    /// Tells all workers, and the callers that wait without one.
    pub(crate) fn tell(&self, signal: Signal) {
        self.all().for_each(|it| it.tell(signal));
        self.tell_relays(signal);
    }

    /// Tells the other workers and the callers that wait without one. The worker of `teller` knows
    /// already.
    pub(super) fn tell_others(&self, teller: &Arc<Intake>, signal: Signal) {
        let others = self.all().filter(|it| !Arc::ptr_eq(it, teller));
        others.for_each(|it| it.tell(signal));
        self.tell_relays(signal);
    }

    /// Tells the consumers when a delivery is due again.
    pub(crate) fn tell_retry(&self, at: Instant) {
        for intake in lock(&self.consumers).iter().filter_map(Weak::upgrade) {
            intake.claim_by(at);
        }
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

    /// Hands over no more elements, and waits for no more decisions about deliveries.
    pub(crate) fn close(&self) {
        for intake in self.all() {
            intake.close();
            intake.leave_deliveries();
        }
        self.hints.send_replace(());
    }

    /// Notes that this client's service transfers the queue. False if it did so before.
    pub(crate) fn set_transferred(&self) -> bool {
        !self.transferred.swap(true, Relaxed)
    }

    /// Notes whether another client leads, and wakes the workers if that is new.
    pub(crate) fn set_follows(&self, follows: bool) {
        if self.follows.swap(follows, Relaxed) != follows {
            self.all().for_each(|it| it.work.notify_one());
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
        let wanted = || self.all().map(|it| it.wanted()).sum();
        self.taken_from.load(Relaxed).then(wanted)
    }

    pub(crate) fn peer(&self) -> Peer {
        self.peer
    }

    pub(super) fn is_transferred(&self) -> bool {
        self.transferred.load(Relaxed)
    }
}
