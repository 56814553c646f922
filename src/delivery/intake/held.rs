//! Deliveries that callers have, and what they decide about them.
//!
//! A caller decides in its own future, and the worker's concluder tells Redis. The lease stays in
//! `Holdings::delivered` until Redis has answered. The concluder also extends the leases that are to be
//! kept, since callers may block their threads.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::lock::Mutex;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::decisions::{Conclusion, DecisionRequest, Decisions};
use super::{Intake, Patience};
use crate::error::{Error, Result, Step};
use crate::link::connection::Failure;
use crate::sync::lock;
use crate::wire::script::{Decision, Lease};

/// A delivery that a caller has. When dropped undecided, it is due again at once; see
/// [`give_up`](Self::give_up).
#[derive(Debug)]
pub(crate) struct Held {
    intake: Arc<Intake>,
    lease: Lease,
    progress: Mutex<Progress>,
}

/// How far the decision about a delivery has come.
#[derive(Debug)]
enum Progress {
    /// The caller has not decided yet.
    Undecided,
    /// A decision is on its way.
    Sent(oneshot::Receiver<Conclusion>),
    /// The last decision failed. If the caller makes no other, the lease runs out. If the reply was
    /// lost, Redis may have carried it out.
    Failed { lost: Option<Failure> },
    /// Redis has carried out a decision, or will.
    Decided,
    /// The decision came too late.
    Late,
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
            state.holdings.delivered.insert(leased.lease);
            state.demand.consumed.got += 1;
            self.meter.delivered();
            self.work.notify_one();
            let held = Held {
                intake: Arc::clone(self),
                lease: leased.lease,
                progress: Mutex::new(Progress::Undecided),
            };
            Some((held, leased.payload))
        })
        .await
    }

    /// A decision without a caller that waits for it. It may be sent again for the decision window.
    fn request(&self, lease: Lease, decision: Decision) -> DecisionRequest {
        DecisionRequest {
            lease,
            decision,
            caller: None,
            give_up_at: Instant::now() + self.decision_window,
            lost: None,
        }
    }

    /// Sends these decisions together. If nobody sends decisions any more, it drops their callers.
    fn decide(&self, requests: impl IntoIterator<Item = DecisionRequest>) {
        let mut state = lock(&self.state);
        if state.decisions.is_over {
            return;
        }
        for request in requests {
            if !matches!(request.decision, Decision::Extend(_)) {
                state.decisions.kept.remove(&request.lease);
            }
            state.decisions.requests.push_back(request);
        }
        drop(state);
        self.ending.notify_one();
    }

    /// Extends a lease until its caller decides.
    fn keep(&self, lease: Lease) {
        let mut state = lock(&self.state);
        state.decisions.kept.insert(lease, false);
        if !std::mem::replace(&mut state.decisions.is_keeping, true) {
            drop(state);
            self.ending.notify_one();
        }
    }

    /// Decides to extend the leases that are to be kept. False if there are none.
    pub(super) fn extend_kept(&self, length: Duration) -> bool {
        let mut state = lock(&self.state);
        state.decisions.is_keeping = !state.decisions.kept.is_empty();
        let Decisions { kept, requests, .. } = &mut state.decisions;
        for (lease, is_under_way) in kept {
            if !std::mem::replace(is_under_way, true) {
                requests.push_back(self.request(*lease, Decision::Extend(length)));
            }
        }
        state.decisions.is_keeping
    }

    /// Has the concluder send the decisions that were made, and wait for no more. The client is shut
    /// down.
    pub(super) fn leave_deliveries(&self) {
        lock(&self.state).decisions.is_leaving = true;
        self.ending.notify_one();
    }
}

impl Held {
    pub(crate) fn lease(&self) -> Lease {
        self.lease
    }

    /// Sends a decision that ends this delivery, and waits for the outcome. If there is a decision
    /// already, waits for that, and sends this one only if it failed.
    ///
    /// The decision is sent even if the future is dropped after the first poll.
    pub(crate) async fn conclude(&self, decision: Decision) -> Result<()> {
        let mut progress = self.progress.lock().await;
        let earlier = progress.learn().await;
        if !progress.is_open() {
            return earlier;
        }
        let request = progress.send(self.intake.request(self.lease, decision));
        self.intake.decide([request]);
        progress.learn().await
    }

    /// Acknowledges these elements together. Returns the outcome of each, in the same order.
    ///
    /// The decisions are sent even if the future is dropped after the first poll.
    pub(crate) async fn acknowledge_all(all: &[&Self]) -> Vec<Result<()>> {
        for of_one_intake in all.chunk_by(|a, b| Arc::ptr_eq(&a.intake, &b.intake)) {
            let intake = &of_one_intake[0].intake;
            let requests = of_one_intake.iter().filter_map(|held| {
                // Somebody else may be deciding.
                let mut progress = held.progress.try_lock().filter(|it| it.is_open())?;
                Some(progress.send(intake.request(held.lease, Decision::Acknowledge)))
            });
            let requests: Vec<DecisionRequest> = requests.collect();
            intake.decide(requests);
        }
        let mut outcomes = Vec::with_capacity(all.len());
        for held in all {
            let mut progress = held.progress.lock().await;
            outcomes.push(if progress.is_open() {
                drop(progress);
                held.conclude(Decision::Acknowledge).await
            } else {
                progress.learn().await
            });
        }
        outcomes
    }

    /// True if the caller has made no decision.
    pub(crate) fn is_undecided(&mut self) -> bool {
        matches!(self.progress.get_mut(), Progress::Undecided)
    }

    /// Acknowledges the element without waiting for Redis.
    pub(crate) fn acknowledge(&mut self) {
        self.decide(Decision::Acknowledge);
    }

    /// Has it delivered again after this time, without waiting for Redis. Its caller has dropped it.
    pub(crate) fn give_up(&mut self, delay: Duration) {
        self.decide(Decision::Retry(delay, "its handler dropped it".to_owned()));
    }

    /// Gives the element back without waiting for Redis. The attempt does not count.
    pub(crate) fn give_back(&mut self) {
        self.decide(Decision::Return);
    }

    fn decide(&mut self, decision: Decision) {
        *self.progress.get_mut() = Progress::Decided;
        let request = self.intake.request(self.lease, decision);
        self.intake.decide([request]);
    }

    /// Lets the lease last for this time from now.
    pub(crate) async fn extend(&self, length: Duration) -> Result<()> {
        let mut progress = Progress::Undecided;
        let extension = self.intake.request(self.lease, Decision::Extend(length));
        self.intake.decide([progress.send(extension)]);
        progress.learn().await
    }

    /// Extends the lease again and again, until this is decided or dropped.
    pub(crate) fn keep(&self) {
        self.intake.keep(self.lease);
    }
}

impl Progress {
    /// True if the caller may decide.
    fn is_open(&self) -> bool {
        matches!(self, Self::Undecided | Self::Failed { .. })
    }

    /// Notes that this decision is sent.
    fn send(&mut self, mut request: DecisionRequest) -> DecisionRequest {
        let (caller, conclusion) = oneshot::channel();
        request.caller = Some(caller);
        if let Self::Failed { lost } = std::mem::replace(self, Self::Sent(conclusion)) {
            request.lost = lost;
        }
        request
    }

    /// Waits until Redis has answered a decision that was sent.
    async fn learn(&mut self) -> Result<()> {
        if let Self::Sent(conclusion) = self {
            let answer = conclusion.await;
            *self = Self::Failed { lost: None };
            match answer {
                Ok(Conclusion::Done) => *self = Self::Decided,
                Ok(Conclusion::Late) => *self = Self::Late,
                Ok(Conclusion::Failed(failure)) => {
                    if matches!(failure, Failure::Lost(_)) {
                        let lost = Some(failure.clone());
                        *self = Self::Failed { lost };
                    }
                    return Err(failure.into_error(Step::Conclude));
                }
                // Nobody sends decisions any more.
                Err(_) => return Err(Error::Closed),
            }
        }
        match self {
            Self::Late => Err(Error::Late { queue: None }),
            _ => Ok(()),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.is_undecided() {
            self.give_up(Duration::ZERO);
        }
    }
}
