//! What an intake holds, who waits for it, and what its worker was told.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::oneshot;

use super::Consumed;
use crate::link::connection::LARGE;
use crate::wire::script::Lease;

/// What the handles and the worker of one [`Intake`](super::Intake) share.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Claimed and not handed over, the oldest first.
    pub(super) ready: VecDeque<Leased>,
    /// Claimed elements whose payloads are still to be fetched, the oldest first.
    pub(super) fetching: VecDeque<Large>,
    /// Claimed elements whose leases are to be ended before they are at hand.
    pub(super) settling: Vec<Leased>,
    /// Elements at hand, or in a batch, whose leases have ended: they are in no place but here.
    pub(super) owned: BTreeMap<Lease, Bytes>,
    /// Leases of elements that were handed over, to be ended in Redis.
    pub(super) handed_over: Vec<Lease>,
    /// Those that Redis was asked to end, and has not confirmed.
    pub(super) ending: Vec<Arc<[Lease]>>,
    /// Leases of elements that are in a [`Batch`](super::Batch), the oldest first: ids count up.
    pub(super) held: BTreeSet<Lease>,
    /// Leases of elements that nobody took, or that were not fetched, in time; to be given back.
    pub(super) lapsed: Vec<Lease>,
    /// How many callers wait.
    pub(super) callers: usize,
    /// How many elements they ask for.
    pub(super) demand: usize,
    /// How many permits stand for elements that lapsed. A caller whose future is kept and not polled
    /// holds each of them, or held it until the future was dropped.
    pub(super) asleep: usize,
    /// What callers have asked for and got since the last claim was planned.
    pub(super) consumed: Consumed,
    /// Callers that want to know when one more claim is done, and whether it left something.
    pub(super) probes: Vec<oneshot::Sender<bool>>,
    /// Callers whose claim brought only a payload that is still on its way.
    pub(super) probes_of_large: Vec<oneshot::Sender<bool>>,
    /// How many elements the claim under way asks for.
    pub(super) claiming: usize,
    /// What the worker has not taken in yet.
    pub(super) signals: Signals,
}

/// What a worker is told of the queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signals {
    /// Something may be there to claim.
    pub(super) hinted: bool,
    /// Another client has called this one to claim.
    pub(super) called: bool,
    /// The target queue has changed, which uses up Redis's promise to say so.
    pub(super) disturbed: bool,
    /// Others were called for what has changed.
    pub(super) explained: bool,
    /// What held claims back may be over.
    pub(super) released: bool,
}

/// A claimed element.
#[derive(Debug)]
pub(super) struct Leased {
    pub(super) lease: Lease,
    pub(super) payload: Bytes,
    /// After this moment too little of the lease is left to hand the element over.
    pub(super) usable_until: Instant,
}

/// A claimed element whose payload is to be fetched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Large {
    pub(super) lease: Lease,
    /// How many bytes the payload has.
    pub(super) bytes: usize,
    /// As for a [`Leased`].
    pub(super) usable_until: Instant,
}

impl Leased {
    pub(super) fn is_large(&self) -> bool {
        self.payload.len() > LARGE
    }
}

impl State {
    /// The next element that can be handed over, and how many lapsed in front of it.
    pub(super) fn next_usable(&mut self, now: Instant) -> (Option<Leased>, usize) {
        let mut lapsed = 0;
        while let Some(leased) = self.ready.pop_front() {
            if leased.usable_until > now {
                return (Some(leased), lapsed);
            }
            self.lapsed.push(leased.lease);
            lapsed += 1;
        }
        (None, lapsed)
    }

    /// Sets aside what nobody took in time, and says how many elements that are.
    pub(super) fn set_lapsed_aside(&mut self, now: Instant) -> usize {
        let before = self.ready.len();
        if self.first_lapse().is_some_and(|at| at <= now) {
            let (lapsed, ready) = self
                .ready
                .drain(..)
                .partition::<VecDeque<_>, _>(|it| it.usable_until <= now);
            self.ready = ready;
            self.lapsed.extend(lapsed.iter().map(|it| it.lease));
        }
        before - self.ready.len()
    }

    /// When the first element that is at hand can no longer be handed over.
    pub(super) fn first_lapse(&self) -> Option<Instant> {
        self.ready.iter().map(|it| it.usable_until).min()
    }

    /// How many of the first elements at hand are large. Each was a while on its way and is kept for
    /// the next caller.
    fn kept(&self) -> usize {
        self.ready.iter().take_while(|it| it.is_large()).count()
    }

    /// Whether this process fetches a large element, or holds one that no caller has yet; `free` of
    /// the elements at hand have no caller. One large element at a time is enough to hold in memory.
    pub(super) fn holds_large(&self, free: usize) -> bool {
        !self.fetching.is_empty() || free > 0 && self.kept() > 0
    }

    /// How many elements are at hand that can be given back at once if nobody waits for them.
    pub(super) fn surplus(&self) -> usize {
        self.ready.len() - self.kept()
    }

    /// The leases that this process knows of, but for those on their way back.
    pub(super) fn leases(&self) -> impl Iterator<Item = &Lease> {
        let ready = self.ready.iter().chain(&self.settling);
        let ready = ready.map(|leased| &leased.lease);
        let fetching = self.fetching.iter().map(|large| &large.lease);
        let ending = self.ending.iter().flat_map(|leases| leases.iter());
        let taken = self.handed_over.iter().chain(&self.held);
        ready
            .chain(fetching)
            .chain(taken)
            .chain(ending)
            .chain(&self.lapsed)
    }

    /// How many elements callers wait for that are not at hand: none while there is one for each of
    /// them, who then waits for nothing but its turn to run.
    pub(super) fn lack(&self) -> usize {
        if self.ready.len() + self.asleep >= self.callers {
            return 0;
        }
        self.demand - self.ready.len() - self.asleep
    }

    /// Takes in that an element was handed over.
    pub(super) fn hand_over(&mut self, lease: Lease) {
        if self.owned.remove(&lease).is_none() {
            self.handed_over.push(lease);
        }
    }

    /// The leases of up to `most` elements that were handed over; Redis is asked to end them now.
    pub(super) fn begin_ending(&mut self, most: usize) -> Option<Arc<[Lease]>> {
        let count = self.handed_over.len().min(most);
        let leases: Arc<[Lease]> = self.handed_over.drain(..count).collect();
        (count > 0).then(|| {
            self.ending.push(Arc::clone(&leases));
            leases
        })
    }

    /// Takes in whether these leases were ended; if not, they are to be ended again.
    pub(super) fn finish_ending(&mut self, leases: &Arc<[Lease]>, is_done: bool) {
        self.ending.retain(|it| !Arc::ptr_eq(it, leases));
        if !is_done {
            self.handed_over.extend(leases.iter());
        }
    }

    /// The leases of up to `most` elements that callers have not decided about, which are not the
    /// callers' any more. From the back, so that each batch of them leads the queue before the one
    /// that was given back earlier.
    pub(super) fn take_held(&mut self, most: usize) -> Vec<Lease> {
        let newest = std::iter::from_fn(|| self.held.pop_last());
        let mut leases: Vec<Lease> = newest.take(most).collect();
        leases.reverse();
        leases
    }

    /// The leases of up to `most` elements that are at hand, from the back, too. Each had its
    /// permit: a caller that holds one of these now finds nothing, and waits on.
    pub(super) fn take_ready(&mut self, most: usize) -> Vec<Lease> {
        let keep = self.ready.len().saturating_sub(most);
        let newest = self.ready.drain(keep..);
        newest.map(|leased| leased.lease).collect()
    }
}
