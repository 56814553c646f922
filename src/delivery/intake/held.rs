//! Deliveries that callers have, and what they decide about them.
//!
//! A caller decides in its own future, and the worker's concluder tells Redis. The lease stays in
//! `State::delivered` until Redis has answered. The concluder also extends the leases that are to be
//! kept, since callers may block their threads.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::state::State;
use super::verdict::{Outcome, Verdict};
use super::{Intake, Patience};
use crate::error::{Error, Result, Step};
use crate::sync::lock;
use crate::wire::script::{Decision, Lease, Origin};

/// A delivery that a caller has. When dropped undecided, it is due again at once; see
/// [`give_up`](Self::give_up).
#[derive(Debug)]
pub(crate) struct Held {
    intake: Arc<Intake>,
    lease: Lease,
    is_decided: bool,
}

impl Intake {
    /// Returns the next delivery with its payload, or None when the caller's patience ends.
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub(crate) async fn deliver(
        self: &Arc<Self>,
        patience: Patience,
    ) -> Result<Option<(Held, Bytes)>> {
        self.wait(patience, 1, |state| {
            let leased = self.next_usable(state)?;
            state.delivered.insert(leased.lease);
            state.consumed.got += 1;
            self.meter.delivered();
            self.work.notify_one();
            let held = Held {
                intake: Arc::clone(self),
                lease: leased.lease,
                is_decided: false,
            };
            Some((held, leased.payload))
        })
        .await
    }

    /// Sends a decision. If nobody sends decisions any more, it drops the caller.
    fn decide(&self, lease: Lease, decision: Decision, caller: Option<oneshot::Sender<Outcome>>) {
        self.decide_all([(lease, decision, caller)]);
    }

    /// Sends these decisions together. If nobody sends decisions any more, it drops their callers.
    fn decide_all(
        &self,
        decisions: impl IntoIterator<Item = (Lease, Decision, Option<oneshot::Sender<Outcome>>)>,
    ) {
        let give_up_at = Instant::now() + self.decision_window;
        let mut state = lock(&self.state);
        if state.is_over {
            return;
        }
        for (lease, decision, caller) in decisions {
            if !matches!(decision, Decision::Extend(_)) {
                state.kept.remove(&lease);
            }
            state.verdicts.push_back(Verdict {
                lease,
                decision,
                caller,
                give_up_at,
                lost: None,
            });
        }
        drop(state);
        self.ending.notify_one();
    }

    /// Extends a lease until its caller decides.
    fn keep(&self, lease: Lease) {
        let mut state = lock(&self.state);
        state.kept.insert(lease, false);
        if !std::mem::replace(&mut state.is_keeping, true) {
            drop(state);
            self.ending.notify_one();
        }
    }

    /// Decides to extend the leases that are to be kept. False if there are none.
    pub(super) fn extend_kept(&self, length: Duration) -> bool {
        let mut state = lock(&self.state);
        state.is_keeping = !state.kept.is_empty();
        let State { kept, verdicts, .. } = &mut *state;
        for (lease, is_under_way) in kept {
            if !std::mem::replace(is_under_way, true) {
                verdicts.push_back(Verdict {
                    lease: *lease,
                    decision: Decision::Extend(length),
                    caller: None,
                    give_up_at: Instant::now() + self.decision_window,
                    lost: None,
                });
            }
        }
        state.is_keeping
    }

    /// Has the concluder send the decisions that were made, and wait for no more. The client is shut
    /// down.
    pub(super) fn leave_deliveries(&self) {
        lock(&self.state).is_leaving = true;
        self.ending.notify_one();
    }
}

impl Held {
    /// How many times the element was claimed, including this time.
    pub(crate) fn attempt(&self) -> u16 {
        self.lease.attempt()
    }

    /// Identifies the delivery in all of its attempts.
    pub(crate) fn origin(&self) -> Origin {
        self.lease.origin()
    }

    /// As [`Lease::fence`].
    pub(crate) fn fence(&self) -> Option<u64> {
        self.lease.fence()
    }

    /// When it was claimed first, unix ms by Redis's clock.
    pub(crate) fn first_claimed_ms(&self) -> u64 {
        self.lease.origin().first_claimed_ms()
    }

    /// Sends a decision that ends this delivery, and waits for the outcome.
    ///
    /// The decision is sent even if the future is dropped after the first poll.
    pub(crate) async fn conclude(mut self, decision: Decision) -> Result<()> {
        self.is_decided = true;
        self.send(decision).await
    }

    /// Acknowledges these elements together. Returns the outcome of each, in the same order.
    ///
    /// The decisions are sent even if the future is dropped after the first poll.
    pub(crate) async fn acknowledge_all(mut all: Vec<Self>) -> Vec<Result<()>> {
        let mut waiting = Vec::with_capacity(all.len());
        for of_one_intake in all.chunk_by_mut(|a, b| Arc::ptr_eq(&a.intake, &b.intake)) {
            let mut decisions = Vec::with_capacity(of_one_intake.len());
            for held in &mut *of_one_intake {
                held.is_decided = true;
                let (caller, outcome) = oneshot::channel();
                decisions.push((held.lease, Decision::Acknowledge, Some(caller)));
                waiting.push(outcome);
            }
            of_one_intake[0].intake.decide_all(decisions);
        }
        let mut outcomes = Vec::with_capacity(waiting.len());
        for outcome in waiting {
            outcomes.push(learn(outcome).await);
        }
        outcomes
    }

    /// Acknowledges the element without waiting for Redis.
    pub(crate) fn acknowledge(mut self) {
        self.is_decided = true;
        self.intake.decide(self.lease, Decision::Acknowledge, None);
    }

    /// Has it delivered again after this time, without waiting for Redis. Its caller has dropped it.
    pub(crate) fn give_up(mut self, delay: Duration) {
        self.is_decided = true;
        self.decide_again(delay);
    }

    fn decide_again(&self, delay: Duration) {
        let again = Decision::Retry(delay, "its handler dropped it".to_owned());
        self.intake.decide(self.lease, again, None);
    }

    /// Gives the element back without waiting for Redis. The attempt does not count.
    pub(crate) fn give_back(mut self) {
        self.is_decided = true;
        self.intake.decide(self.lease, Decision::Return, None);
    }

    /// Lets the lease last for this time from now.
    pub(crate) async fn extend(&self, length: Duration) -> Result<()> {
        self.send(Decision::Extend(length)).await
    }

    /// Extends the lease again and again, until this is decided or dropped.
    pub(crate) fn keep(&self) {
        self.intake.keep(self.lease);
    }

    async fn send(&self, decision: Decision) -> Result<()> {
        let (caller, outcome) = oneshot::channel();
        self.intake.decide(self.lease, decision, Some(caller));
        learn(outcome).await
    }
}

/// Waits until Redis has answered a decision.
async fn learn(outcome: oneshot::Receiver<Outcome>) -> Result<()> {
    match outcome.await {
        Ok(Outcome::Done) => Ok(()),
        Ok(Outcome::Late) => Err(Error::Late { queue: None }),
        Ok(Outcome::Failed(failure)) => Err(failure.into_error(Step::Conclude)),
        // Nobody sends decisions any more.
        Err(_) => Err(Error::Closed),
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.is_decided {
            self.decide_again(Duration::ZERO);
        }
    }
}
