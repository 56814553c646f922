//! What is counted and measured about one queue.

use std::time::Duration;

use super::instrument::{Counter, Gauge, Histogram, Stopwatch};

/// The metrics of one queue. All parts of a client that work on the queue share them.
#[derive(Debug)]
#[cfg_attr(not(feature = "metrics"), derive(Default))]
pub(crate) struct Meter {
    pub(super) acknowledgements: Counter,
    pub(super) added_messages: Counter,
    pub(super) claim_duration: Histogram,
    pub(super) dead_lettered_messages: Counter,
    pub(super) dead_letters: Gauge,
    pub(super) expired_messages: Counter,
    pub(super) failed_acknowledgements: Counter,
    pub(super) failed_transfers: Counter,
    pub(super) handler_duration: Histogram,
    pub(super) in_flight_messages: Gauge,
    pub(super) lateness: Histogram,
    pub(super) paused: Gauge,
    pub(super) pending_messages: Gauge,
    pub(super) polled_messages: Counter,
    pub(super) quarantined_messages: Counter,
    pub(super) ready_messages: Gauge,
    pub(super) rejected_acknowledgements: Counter,
    pub(super) transfer_duration: Histogram,
    pub(super) transferred_messages: Counter,
}

impl Meter {
    /// This client has offered so many elements, and Redis has them.
    pub(crate) fn added(&self, count: usize) {
        self.added_messages.increment(count as u64);
    }

    /// A run of the transfer took so long and moved so many elements, each so long after it was due.
    pub(crate) fn transferred(&self, lateness_us: &[u64], count: usize, round_trip: Duration) {
        self.transfer_duration.record(round_trip.as_secs_f64());
        self.transferred_messages.increment(count as u64);
        for us in lateness_us {
            self.lateness
                .record(Duration::from_micros(*us).as_secs_f64());
        }
    }

    /// A run of the transfer failed.
    pub(crate) fn transfer_failed(&self) {
        self.failed_transfers.increment(1);
    }

    /// So many elements were dropped because their expiry time had passed.
    pub(crate) fn expired(&self, count: usize) {
        self.expired_messages.increment(count as u64);
    }

    /// So many malformed members were taken out.
    pub(crate) fn quarantined(&self, count: u64) {
        self.quarantined_messages.increment(count);
    }

    /// So many elements are pending, if that is known.
    pub(crate) fn pending(&self, count: Option<i64>) {
        if let Some(count) = count {
            self.pending_messages.set(count as f64);
        }
    }

    /// So many elements wait for takers, if that is known.
    pub(crate) fn ready(&self, count: Option<u64>) {
        if let Some(count) = count {
            self.ready_messages.set(count as f64);
        }
    }

    /// Says whether the queue is paused.
    pub(crate) fn paused(&self, is_paused: bool) {
        self.paused.set(f64::from(u8::from(is_paused)));
    }

    /// A claim took so long.
    pub(crate) fn claimed(&self, round_trip: Duration) {
        self.claim_duration.record(round_trip.as_secs_f64());
    }

    /// Callers got so many elements.
    pub(crate) fn polled(&self, count: usize) {
        self.polled_messages.increment(count as u64);
    }

    /// A caller got an element that it must acknowledge.
    pub(crate) fn delivered(&self) {
        self.polled(1);
        self.in_flight_messages.increment(1.0);
    }

    /// Callers no longer have so many elements: these are acknowledged, or come again.
    pub(crate) fn ended(&self, count: usize) {
        self.in_flight_messages.decrement(count as f64);
    }

    /// An acknowledgement was carried out.
    pub(crate) fn acknowledged(&self) {
        self.acknowledgements.increment(1);
    }

    /// An attempt failed. After the last attempt the element is a dead letter.
    pub(crate) fn failed(&self, was_last: bool) {
        self.failed_acknowledgements.increment(1);
        self.buried(u64::from(was_last));
    }

    /// An element was rejected, so it is a dead letter.
    pub(crate) fn rejected(&self) {
        self.rejected_acknowledgements.increment(1);
        self.buried(1);
    }

    /// So many more elements are dead letters.
    pub(crate) fn buried(&self, count: u64) {
        self.dead_lettered_messages.increment(count);
    }

    /// So many dead letters are in their queue.
    pub(crate) fn dead_letters(&self, count: u64) {
        self.dead_letters.set(count as f64);
    }

    /// A handler has ended.
    pub(crate) fn handled(&self, stopwatch: Stopwatch) {
        self.handler_duration.record(stopwatch.seconds());
    }
}
