//! Callers that wait.

use super::Intake;
use super::state::State;
use crate::sync::lock;

/// Counts a caller and its demand among what is waited for, until ended or dropped.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    intake: &'a Intake,
    /// At least one, and nothing when ended.
    demand: usize,
}

impl<'a> Waiting<'a> {
    /// The most elements that one caller is claimed for at a time: more would only be there when
    /// the caller has gone with the first of them.
    pub(super) const MOST: usize = 500;

    /// Counts a caller that asks for so much. The worker is to be told by who calls this.
    pub(super) fn begin(intake: &'a Intake, state: &mut State, demand: usize) -> Self {
        let demand = demand.clamp(1, Self::MOST);
        state.callers += 1;
        state.demand += demand;
        Self { intake, demand }
    }

    /// Counts the caller no more. To be called in the same step in which it gets its elements: a
    /// worker that looks in between would claim for it again.
    pub(super) fn end(&mut self, state: &mut State) {
        if self.demand > 0 {
            state.callers -= 1;
            state.demand -= std::mem::take(&mut self.demand);
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.demand > 0 {
            self.end(&mut lock(&self.intake.state));
            self.intake.work.notify_one();
        }
    }
}
