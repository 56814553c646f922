//! The elements and leases of an intake, by what is to become of them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use super::leased::{Large, Leased, Returned};
use crate::wire::script::Lease;

/// Everything that this process has claimed and not given up yet. Each lease is in one collection.
///
/// An element goes from `ready` (or `fetching` before it) to a caller, and its lease to `handed_over`
/// and `ending`, or to `delivered`. Elements that nobody takes in time leave their leases in `lapsed`.
#[derive(Debug, Default)]
pub(super) struct Holdings {
    /// Elements at hand: claimed and not handed over. The oldest first.
    pub(super) ready: VecDeque<Leased>,
    /// Claimed elements whose payloads are still to be fetched. The oldest first.
    pub(super) fetching: VecDeque<Large>,
    /// Leases of elements in a [`Batch`](super::Batch), with the payloads of those that were popped.
    /// The oldest first, since ids count up.
    pub(super) batched: BTreeMap<Lease, Option<Bytes>>,
    /// Leases of handed-over elements, to be ended in Redis.
    handed_over: Vec<Lease>,
    /// Leases that Redis was asked to end and has not confirmed.
    ending: Vec<Arc<[Lease]>>,
    /// Leases of [deliveries](super::Held) that callers have, until Redis has carried out what
    /// they decided.
    pub(super) delivered: BTreeSet<Lease>,
    /// Leases of elements that were not taken or fetched in time, to be given back.
    pub(super) lapsed: Vec<Lease>,
    /// Elements that are being given back. Until Redis confirms, the command may still run.
    pub(super) returning: Vec<Returned>,
}

impl Holdings {
    /// All leases. One that is missing here comes a second time after a lost reply.
    pub(super) fn leases(&self) -> impl Iterator<Item = &Lease> {
        // Names each collection, so that a new one cannot be forgotten.
        let Self {
            ready,
            fetching,
            batched,
            handed_over,
            ending,
            delivered,
            lapsed,
            returning,
        } = self;
        let ready = ready.iter().map(|it| &it.lease);
        let fetching = fetching.iter().map(|it| &it.lease);
        let ending = ending.iter().flat_map(|leases| leases.iter());
        let returning = returning.iter().map(|it| &it.lease);
        ready
            .chain(fetching)
            .chain(batched.keys())
            .chain(handed_over)
            .chain(ending)
            .chain(delivered)
            .chain(lapsed)
            .chain(returning)
    }

    /// Returns the next element that can be handed over, and how many before it have lapsed.
    pub(super) fn next_usable(&mut self, now: Instant) -> (Option<Leased>, usize) {
        let mut lapsed = 0;
        while let Some(leased) = self.ready.pop_front() {
            if leased.is_usable(now) {
                return (Some(leased), lapsed);
            }
            self.lapsed.push(leased.lease);
            lapsed += 1;
        }
        (None, lapsed)
    }

    /// Sets aside the elements that nobody took in time, and returns their number.
    pub(super) fn set_lapsed_aside(&mut self, now: Instant) -> usize {
        let before = self.ready.len();
        if self.first_lapse().is_some_and(|at| at <= now) {
            let (lapsed, ready) = self
                .ready
                .drain(..)
                .partition::<VecDeque<_>, _>(|it| !it.is_usable(now));
            self.ready = ready;
            self.lapsed.extend(lapsed.iter().map(|it| it.lease));
        }
        before - self.ready.len()
    }

    /// When the first element at hand lapses.
    pub(super) fn first_lapse(&self) -> Option<Instant> {
        self.ready.iter().filter_map(|it| it.usable_until).min()
    }

    /// How many large elements lead those at hand. They took long to fetch, so they are kept for
    /// the next caller.
    fn kept(&self) -> usize {
        self.ready.iter().take_while(|it| it.is_large()).count()
    }

    /// True if this intake fetches a large element or holds one that no caller has yet. `free` says
    /// how many of the elements at hand have no caller. One intake, which is one side of one queue,
    /// holds one large element at a time.
    pub(super) fn holds_large(&self, free: usize) -> bool {
        !self.fetching.is_empty() || free > 0 && self.kept() > 0
    }

    /// How many of the elements at hand to give back at once if nobody waits for them.
    pub(super) fn surplus(&self) -> usize {
        self.ready.len() - self.kept()
    }

    /// Notes that an element was handed over.
    pub(super) fn hand_over(&mut self, leased: &Leased) {
        if leased.usable_until.is_some() {
            self.handed_over.push(leased.lease);
        }
    }

    /// Returns the leases of up to `most` handed-over elements. Redis is asked to end them next.
    pub(super) fn begin_ending(&mut self, most: usize) -> Option<Arc<[Lease]>> {
        let count = self.handed_over.len().min(most);
        let leases: Arc<[Lease]> = self.handed_over.drain(..count).collect();
        (count > 0).then(|| {
            self.ending.push(Arc::clone(&leases));
            leases
        })
    }

    /// Notes whether Redis ended these leases. If not, they are sent again.
    pub(super) fn finish_ending(&mut self, leases: &Arc<[Lease]>, is_done: bool) {
        self.ending.retain(|it| !Arc::ptr_eq(it, leases));
        if !is_done {
            self.handed_over.extend(leases.iter());
        }
    }

    /// Has the lapsed elements given back.
    pub(super) fn return_lapsed(&mut self) {
        let lapsed = self.lapsed.drain(..).map(Returned::from);
        self.returning.extend(lapsed);
    }

    /// Has the elements given back whose payloads were not fetched.
    pub(super) fn return_fetching(&mut self) {
        let fetching = self.fetching.drain(..).map(|it| it.lease.into());
        self.returning.extend(fetching);
    }

    /// Takes up to `most` undecided elements away from their batches and has them given back. The
    /// newest go first: each portion returns to the front of the queue, before the one given back
    /// earlier.
    pub(super) fn return_batched(&mut self, most: usize) {
        let newest = std::iter::from_fn(|| self.batched.pop_last());
        let newest = newest.take(most);
        let newest = newest.map(|(lease, popped)| Returned { lease, popped });
        let mut returned: Vec<Returned> = newest.collect();
        returned.reverse();
        self.returning.append(&mut returned);
    }

    /// Keeps the popped elements that Redis did not take back for the next callers. Returns how many.
    pub(super) fn keep_returning(&mut self) -> usize {
        let kept = self.returning.drain(..).filter_map(Returned::into_popped);
        let kept: Vec<Leased> = kept.collect();
        let count = kept.len();
        for leased in kept.into_iter().rev() {
            self.ready.push_front(leased);
        }
        count
    }

    /// Takes the newest `most` elements at hand away and has them given back. Returns how many. A
    /// caller that holds such a permit finds nothing and keeps waiting.
    pub(super) fn return_ready(&mut self, most: usize) -> usize {
        let keep = self.ready.len().saturating_sub(most);
        let newest = self.ready.drain(keep..);
        let before = self.returning.len();
        self.returning.extend(newest.map(|leased| Returned {
            lease: leased.lease,
            popped: leased.popped(),
        }));
        self.returning.len() - before
    }
}
