//! The state that the callers and the worker of an intake share: elements, leases, demand, signals.
//!
//! Pure bookkeeping behind the intake's lock. An element goes from `ready` (or `fetching` before it)
//! to a caller, and its lease to `handed_over` and `ending`. Elements that nobody takes in time leave
//! their leases in `lapsed`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::consumed::Consumed;
use super::leased::{Large, Leased, Returned};
use super::signal::Signals;
use super::verdict::Verdict;
use crate::wire::script::Lease;

/// What the callers and the worker of one [`Intake`](super::Intake) share.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Elements at hand: claimed and not handed over. The oldest first.
    pub(super) ready: VecDeque<Leased>,
    /// Claimed elements whose payloads are still to be fetched. The oldest first.
    pub(super) fetching: VecDeque<Large>,
    /// Leases of handed-over elements, to be ended in Redis.
    pub(super) handed_over: Vec<Lease>,
    /// Leases that Redis was asked to end and has not confirmed.
    pub(super) ending: Vec<Arc<[Lease]>>,
    /// Leases of elements in a [`Batch`](super::Batch), with the payloads of those that were popped.
    /// The oldest first, since ids count up.
    pub(super) batched: BTreeMap<Lease, Option<Bytes>>,
    /// Leases of elements that were not taken or fetched in time, to be given back.
    pub(super) lapsed: Vec<Lease>,
    /// Leases of [deliveries](super::Held) that callers have, until Redis has carried out what
    /// they decided.
    pub(super) delivered: BTreeSet<Lease>,
    /// Leases of deliveries that are extended until callers decide, and whether an extension is
    /// under way.
    pub(super) kept: BTreeMap<Lease, bool>,
    /// The concluder looks after `kept` now and then.
    pub(super) is_keeping: bool,
    /// What callers decided about deliveries, to be sent to Redis.
    pub(super) verdicts: VecDeque<Verdict>,
    /// The client is shut down: the concluder sends the present `verdicts`, and nothing after them.
    pub(super) is_leaving: bool,
    /// Decisions are no longer sent.
    pub(super) is_over: bool,
    /// The last round left nothing to claim, and no signal has come since.
    pub(super) is_exhausted: bool,
    /// When a delivery is due again, as far as this client knows.
    pub(super) claim_at: Option<Instant>,
    pub(super) callers: usize,
    /// How many elements they ask for.
    pub(super) demand: usize,
    /// How many permits stand for lapsed elements. Each belongs to a caller that nobody has polled
    /// since, or belonged to one until it was dropped.
    pub(super) asleep: usize,
    /// What callers asked for and got since the last claim was planned.
    pub(super) consumed: Consumed,
    /// Callers that wait for the end of a round, and ask whether it left something.
    pub(super) probes: Vec<oneshot::Sender<bool>>,
    /// The same for callers who want no round that asks Redis in vain.
    pub(super) patient_probes: Vec<oneshot::Sender<bool>>,
    /// The same for callers whose round brought only a large element, which is still on its way.
    pub(super) probes_of_large: Vec<oneshot::Sender<bool>>,
    /// How many elements the claim under way asks for.
    pub(super) claiming: usize,
    /// Signals that the worker has not read yet.
    pub(super) signals: Signals,
}

impl State {
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

    /// All leases that this process knows, except those that the worker is giving back.
    pub(super) fn leases(&self) -> impl Iterator<Item = &Lease> {
        let ready = self.ready.iter().map(|leased| &leased.lease);
        let fetching = self.fetching.iter().map(|large| &large.lease);
        let ending = self.ending.iter().flat_map(|leases| leases.iter());
        let taken = self.handed_over.iter().chain(self.batched.keys());
        ready
            .chain(fetching)
            .chain(taken)
            .chain(ending)
            .chain(&self.lapsed)
            .chain(&self.delivered)
    }

    /// How many elements to claim for callers. Zero if every caller has an element at hand and only
    /// has to be polled.
    pub(super) fn lack(&self) -> usize {
        if self.ready.len() + self.asleep >= self.callers {
            return 0;
        }
        self.demand - self.ready.len() - self.asleep
    }

    /// Answers the callers that wait for the end of a failed round, by dropping their senders.
    pub(super) fn forget_probes(&mut self) {
        self.probes.clear();
        self.patient_probes.clear();
    }

    /// True if a claim would bring nothing, as far as this client knows.
    pub(super) fn is_known_empty(&self, now: Instant) -> bool {
        self.is_exhausted && self.ready.is_empty() && self.claim_at.is_none_or(|at| at > now)
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

    /// Takes up to `most` undecided elements away from their batches, to give them back. The newest
    /// go first: each portion returns to the front of the queue, before the one given back earlier.
    pub(super) fn take_batched(&mut self, most: usize) -> Vec<Returned> {
        let newest = std::iter::from_fn(|| self.batched.pop_last());
        let newest = newest.take(most);
        let newest = newest.map(|(lease, popped)| Returned { lease, popped });
        let mut returned: Vec<Returned> = newest.collect();
        returned.reverse();
        returned
    }

    /// Takes the newest `most` elements at hand away, to give them back. A caller that holds such a
    /// permit finds nothing and keeps waiting.
    pub(super) fn take_ready(&mut self, most: usize) -> Vec<Returned> {
        let keep = self.ready.len().saturating_sub(most);
        let newest = self.ready.drain(keep..);
        let returned = newest.map(|leased| Returned {
            lease: leased.lease,
            popped: leased.popped(),
        });
        returned.collect()
    }
}
