//! What is counted and measured about one queue.

use std::time::Duration;

use super::instrument::{Counter, Gauge, Histogram};
use crate::wire::script::Transferred;

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
    /// Counts elements that this client has offered and Redis has.
    pub(crate) fn added(&self, count: usize) {
        self.added_messages.increment(count as u64);
    }

    /// Notes a run of the transfer, and how long it took.
    pub(crate) fn transferred(&self, ran: &Transferred, round_trip: Duration) {
        self.transfer_duration.record(round_trip.as_secs_f64());
        self.transferred_messages.increment(ran.moved as u64);
        for us in &ran.lateness_us {
            let late = Duration::from_micros(*us);
            self.lateness.record(late.as_secs_f64());
        }
        self.expired_messages.increment(ran.expired.len() as u64);
        self.quarantined_messages.increment(ran.quarantined.count);
        if let Some(pending) = ran.pending {
            self.pending_messages.set(pending as f64);
        }
        self.paused.set(f64::from(u8::from(ran.is_paused)));
        // A run of a paused queue does not count what is ready.
        if !ran.is_paused {
            // Without the elements that this run moved: takers get them next.
            let waited = ran.claimable.saturating_sub(ran.moved as u64);
            self.ready_messages.set(waited as f64);
        }
    }

    /// Counts a run of the transfer that failed.
    pub(crate) fn transfer_failed(&self) {
        self.failed_transfers.increment(1);
    }

    /// Notes how long a claim took.
    pub(crate) fn claimed(&self, round_trip: Duration) {
        self.claim_duration.record(round_trip.as_secs_f64());
    }

    /// Counts elements that callers got.
    pub(crate) fn polled(&self, count: usize) {
        self.polled_messages.increment(count as u64);
    }

    /// Counts an element that a caller got and must acknowledge.
    pub(crate) fn delivered(&self) {
        self.polled(1);
        self.in_flight_messages.increment(1.0);
    }

    /// Counts elements that callers no longer have: these are acknowledged, or come again.
    pub(crate) fn ended(&self, count: usize) {
        self.in_flight_messages.decrement(count as f64);
    }

    /// Counts an acknowledgement that was carried out.
    pub(crate) fn acknowledged(&self) {
        self.acknowledgements.increment(1);
    }

    /// Counts an attempt that failed. After the last attempt the element is a dead letter.
    pub(crate) fn failed(&self, was_last: bool) {
        self.failed_acknowledgements.increment(1);
        self.buried(u64::from(was_last));
    }

    /// Counts an element that was rejected, so it is a dead letter.
    pub(crate) fn rejected(&self) {
        self.rejected_acknowledgements.increment(1);
        self.buried(1);
    }

    /// Counts elements that became dead letters.
    pub(crate) fn buried(&self, count: u64) {
        self.dead_lettered_messages.increment(count);
    }

    /// Notes how many dead letters there are.
    pub(crate) fn dead_letters(&self, count: u64) {
        self.dead_letters.set(count as f64);
    }

    /// Notes how long a handler took.
    pub(crate) fn handled(&self, took: Duration) {
        self.handler_duration.record(took.as_secs_f64());
    }
}
