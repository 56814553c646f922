//! Several elements on their way to one caller.
//!
//! The handles ask for a [`Batch`], decode its payloads, and take as many as they understand. The
//! rest goes back when the batch is dropped.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use super::consumed::Consumed;
use super::leased::Leased;
use super::state::State;
use super::waiting::WaitingCaller;
use super::{Intake, Patience};
use crate::error::{Result, Step};
use crate::sync::lock;

/// Elements that one caller looks at before it takes them. When the batch is dropped, the elements
/// that were not taken go back to the front of their intake, in order.
#[derive(Debug)]
pub(crate) struct Batch {
    intake: Arc<Intake>,
    leased: VecDeque<Leased>,
}

impl Intake {
    /// Waits until an element is at hand, and returns up to `most` of them. None when the caller's
    /// patience ends first.
    ///
    /// Cancel safe: a dropped batch gives its elements back.
    pub(crate) async fn take_batch(
        self: &Arc<Self>,
        most: usize,
        patience: Patience,
    ) -> Result<Option<Batch>> {
        let batch = |state: &mut State| {
            let mut batch = Batch::new(Arc::clone(self));
            let is_filled = batch.fill_permitted(state, most.min(Consumed::MOST_A_CALL));
            is_filled.then_some(batch)
        };
        self.wait(patience, most, batch).await
    }

    /// Returns up to `most` elements: those at hand, and what up to `claims` claims bring. A claim
    /// does not count if other callers get all of it.
    ///
    /// Cancel safe: a dropped batch gives its elements back.
    pub(crate) async fn drain(self: &Arc<Self>, most: usize, claims: usize) -> Result<Batch> {
        lock(&self.state).demand.consumed.ask(most);
        let mut batch = Batch::new(Arc::clone(self));
        batch.fill(&mut lock(&self.state), most)?;
        let mut left = claims;
        while left > 0 && batch.len() < most {
            let before = batch.len();
            let mut waiting = WaitingCaller::begin(
                &self.state,
                &self.work,
                &mut lock(&self.state),
                most - before,
            );
            let is_more = self.probe(true).await;
            let mut state = lock(&self.state);
            waiting.end(&mut state);
            batch.fill(&mut state, most)?;
            drop(state);
            if batch.len() > before {
                left -= 1;
            } else if !is_more {
                let trouble = self.trouble.borrow().clone();
                match trouble {
                    Some(failure) if before == 0 => return Err(failure.into_error(Step::Claim)),
                    _ => break,
                }
            }
        }
        Ok(batch)
    }

    /// Returns up to `most` of the elements at hand.
    pub(crate) fn batch_at_hand(self: &Arc<Self>, most: usize) -> Result<Batch> {
        let mut batch = Batch::new(Arc::clone(self));
        let mut state = lock(&self.state);
        batch.fill(&mut state, most)?;
        if batch.len() > 0 {
            // Like a call that waits, so that the worker claims ahead for a loop of them.
            state.demand.consumed.ask(batch.len());
        }
        drop(state);
        Ok(batch)
    }
}

impl Batch {
    fn new(intake: Arc<Intake>) -> Self {
        Self {
            intake,
            leased: VecDeque::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.leased.len()
    }

    pub(crate) fn payloads(&self) -> impl Iterator<Item = &Bytes> {
        self.leased.iter().map(|leased| &leased.payload)
    }

    /// Adds elements at hand until the batch has `most`.
    fn fill(&mut self, state: &mut State, most: usize) -> Result<()> {
        while self.leased.len() < most && self.intake.spend_permit()? {
            self.add_one(state);
        }
        Ok(())
    }

    /// [Fills](Self::fill) the batch for a caller that has spent a permit already. False if its element
    /// has lapsed.
    fn fill_permitted(&mut self, state: &mut State, most: usize) -> bool {
        let is_there = self.add_one(state);
        if is_there {
            // A closed intake adds nothing to the first element.
            let _ = self.fill(state, most);
        }
        is_there
    }

    fn add_one(&mut self, state: &mut State) -> bool {
        let Some(leased) = self.intake.next_usable(state) else {
            return false;
        };
        state.holdings.batched.insert(leased.lease, leased.popped());
        state.demand.consumed.got += 1;
        self.leased.push_back(leased);
        true
    }

    /// Hands over the first `count` elements, and says for each whether the caller now has it.
    /// False means that its lease has almost run out or that a shutdown gave it back. Another
    /// caller will get it.
    pub(crate) fn hand_over(mut self, count: usize) -> Vec<bool> {
        let now = Instant::now();
        let mut state = lock(&self.intake.state);
        let first = self.leased.drain(..count.min(self.leased.len()));
        let handed_over: Vec<bool> = first
            .map(|leased| {
                let is_here = state.holdings.batched.remove(&leased.lease).is_some();
                let is_usable = is_here && leased.is_usable(now);
                if is_usable {
                    state.holdings.hand_over(&leased);
                } else if is_here {
                    state.holdings.lapsed.push(leased.lease);
                }
                is_usable
            })
            .collect();
        drop(state);
        let count = handed_over.iter().filter(|it| **it).count();
        self.intake.meter.polled(count);
        self.intake.handed_over();
        handed_over
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if self.leased.is_empty() {
            return;
        }
        let mut state = lock(&self.intake.state);
        let mut permits = 0;
        while let Some(leased) = self.leased.pop_back() {
            // If it is no longer there, a shutdown has given it back.
            if state.holdings.batched.remove(&leased.lease).is_some() {
                state.holdings.ready.push_front(leased);
                permits += 1;
            }
        }
        // Under the lock: elements and permits are counted together.
        self.intake.ready.add_permits(permits);
        drop(state);
        self.intake.work.notify_one();
    }
}
