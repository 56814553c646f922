//! Several elements on their way to one caller.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use super::state::State;
use super::{Intake, Leased};
use crate::error::Result;
use crate::sync::lock;

/// Elements that one caller looks at before it takes them. Those that are not taken go back to the
/// front of their intake, in order, when this is dropped.
#[derive(Debug)]
pub(crate) struct Batch {
    intake: Arc<Intake>,
    leased: VecDeque<Leased>,
}

impl Batch {
    pub(super) fn new(intake: Arc<Intake>) -> Self {
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

    /// Adds what is at hand, until there are `most`.
    pub(super) fn fill(&mut self, state: &mut State, most: usize) -> Result<()> {
        while self.leased.len() < most && self.intake.spend_permit()? {
            self.add_one(state);
        }
        Ok(())
    }

    /// The same, after an element for which the caller has spent a permit; false if there is none.
    pub(super) fn fill_permitted(&mut self, state: &mut State, most: usize) -> bool {
        let is_there = self.add_one(state);
        if is_there {
            // A closed intake adds no more to what the caller has a permit for.
            let _ = self.fill(state, most);
        }
        is_there
    }

    fn add_one(&mut self, state: &mut State) -> bool {
        let Some(leased) = self.intake.next_usable(state) else {
            return false;
        };
        state.held.insert(leased.lease);
        state.consumed.got += 1;
        self.leased.push_back(leased);
        true
    }

    /// Hands over the first `count`, and says of each whether the caller has it: an element whose
    /// lease has all but run out, or that a shutdown gave back, belongs to whoever claims it next.
    pub(crate) fn hand_over(mut self, count: usize) -> Vec<bool> {
        let now = Instant::now();
        let mut state = lock(&self.intake.state);
        let first = self.leased.drain(..count.min(self.leased.len()));
        let handed_over = first
            .map(|leased| {
                let is_usable = state.held.remove(&leased.lease) && leased.usable_until > now;
                if is_usable {
                    state.hand_over(leased.lease);
                }
                is_usable
            })
            .collect();
        drop(state);
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
            // Otherwise a shutdown gave it back already.
            if state.held.remove(&leased.lease) {
                state.ready.push_front(leased);
                permits += 1;
            }
        }
        // Under the lock, as what is at hand is counted.
        self.intake.ready.add_permits(permits);
        drop(state);
        self.intake.work.notify_one();
    }
}
