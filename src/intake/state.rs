//! What an intake holds, who waits for it, and what its worker was told.

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::oneshot;

use super::Consumed;

/// What the handles and the worker of one [`Intake`](super::Intake) share.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Claimed and not handed over, the oldest first.
    pub(super) ready: VecDeque<Leased>,
    /// Leases of elements that were handed over, to be ended in Redis.
    pub(super) handed_over: Vec<Bytes>,
    /// Leases of elements that are in a [`Batch`](super::Batch), the oldest first: ids count up.
    pub(super) held: BTreeSet<Bytes>,
    /// How many callers wait.
    pub(super) callers: usize,
    /// How many elements they ask for.
    pub(super) demand: usize,
    /// What callers have asked for and got since the last claim was planned.
    pub(super) consumed: Consumed,
    /// Callers that want to know when one more claim is done, and whether it left something.
    pub(super) probes: Vec<oneshot::Sender<bool>>,
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
    /// As it stands in the set of leases.
    pub(super) member: Bytes,
    pub(super) payload: Bytes,
    /// After this moment too little of the lease is left to hand the element over.
    pub(super) usable_until: Instant,
}

impl State {
    /// The next element that can be handed over.
    pub(super) fn next_usable(&mut self, now: Instant) -> Option<Leased> {
        // What cannot be used any more is claimed again, by whoever comes first, when it runs out.
        while let Some(leased) = self.ready.pop_front() {
            if leased.usable_until > now {
                return Some(leased);
            }
        }
        None
    }

    /// How many elements callers wait for that are not at hand: none while there is one for each of
    /// them, who then waits for nothing but its turn to run.
    pub(super) fn lack(&self) -> usize {
        if self.ready.len() >= self.callers {
            return 0;
        }
        self.demand - self.ready.len()
    }

    /// The leases of up to `most` elements that were handed over.
    pub(super) fn take_handed_over(&mut self, most: usize) -> Vec<Bytes> {
        let count = self.handed_over.len().min(most);
        self.handed_over.drain(..count).collect()
    }

    /// The leases of up to `most` elements that callers have not decided about, which are not the
    /// callers' any more. From the back, so that each batch of them leads the queue before the one
    /// that was given back earlier.
    pub(super) fn take_held(&mut self, most: usize) -> Vec<Bytes> {
        let newest = std::iter::from_fn(|| self.held.pop_last());
        let mut leases: Vec<Bytes> = newest.take(most).collect();
        leases.reverse();
        leases
    }

    /// The leases of up to `most` elements that are at hand, from the back, too. Each had its
    /// permit: a caller that holds one of these now finds nothing, and waits on.
    pub(super) fn take_ready(&mut self, most: usize) -> Vec<Bytes> {
        let keep = self.ready.len().saturating_sub(most);
        let newest = self.ready.drain(keep..);
        newest.map(|leased| leased.member).collect()
    }
}
