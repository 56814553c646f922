//! Counting the callers that wait, and how much they wait for.

use std::sync::Mutex;

use tokio::sync::Notify;

use super::consumed::Consumed;
use super::state::State;
use crate::sync::lock;

/// Counts one caller and its demand until it is ended or dropped.
#[derive(Debug)]
pub(super) struct WaitingCaller<'a> {
    state: &'a Mutex<State>,
    work: &'a Notify,
    /// At least one, or zero once ended.
    demand: usize,
}

impl<'a> WaitingCaller<'a> {
    /// Counts a caller that waits for `demand` elements. Wake the worker after this.
    pub(super) fn begin(
        shared: &'a Mutex<State>,
        work: &'a Notify,
        state: &mut State,
        demand: usize,
    ) -> Self {
        let demand = demand.clamp(1, Consumed::MOST_A_CALL);
        state.demand.callers += 1;
        state.demand.elements += demand;
        Self {
            state: shared,
            work,
            demand,
        }
    }

    /// Stops counting the caller. This belongs in the step in which the caller gets its elements: a
    /// worker that looks in between would claim for it again.
    pub(super) fn end(&mut self, state: &mut State) {
        if self.demand > 0 {
            state.demand.callers -= 1;
            state.demand.elements -= std::mem::take(&mut self.demand);
        }
    }
}

impl Drop for WaitingCaller<'_> {
    fn drop(&mut self) {
        if self.demand > 0 {
            self.end(&mut lock(self.state));
            self.work.notify_one();
        }
    }
}
