//! Deciding what a worker's next round does.

use std::sync::Arc;

use tokio::time::Instant;

use super::Worker;
use super::ahead::Ahead;
use super::round::Round;
use crate::delivery::intake::Signal;
use crate::delivery::intake::consumed::Consumed;
use crate::delivery::intake::state::State;
use crate::sync::lock;

impl Worker {
    /// Reads the signals, and returns what to do next.
    pub(super) fn plan(&mut self) -> Round {
        let intake = Arc::clone(&self.station.intake);
        let mut state = lock(&intake.state);
        let closed = self.station.intake.ready.is_closed();
        let now = Instant::now();
        let signals = std::mem::take(&mut state.signals);
        let lack = state.lack();
        self.prospects
            .hear(signals, lack > 0, self.station.sides.follows(), now);
        if signals.has(Signal::Released) {
            self.bars.lift();
        }
        self.bars.expire(now);
        if state.claim_at.take_if(|at| *at <= now).is_some() {
            self.prospects.doubt();
        }
        self.probes.append(&mut state.probes.asking);
        self.caution.left_large &= self.holds_large(&state);
        let mut round = Round::default();
        let is_worth_it = self.is_promising();
        if !closed && (is_worth_it || !self.probes.is_empty()) {
            round.claim = lack.min(Round::BATCH);
        }
        self.probes.append(&mut state.probes.patient);
        let may_claim_ahead =
            !self.station.sides.is_last_taken_from() && !self.station.terms.pops();
        if !closed && is_worth_it && may_claim_ahead {
            let spare = state
                .holdings
                .ready
                .len()
                .saturating_sub(state.demand.elements);
            round.ahead = self.ahead.lack(state.demand.consumed, spare, now);
            if round.claim > 0 {
                round.ahead = round.ahead.max(self.ahead.search());
            }
        }
        state.demand.claiming = round.claim + round.ahead;
        if state.demand.claiming > 0 {
            state.demand.consumed = Consumed::default();
        }
        if !closed && state.demand.claiming == 0 && lack > 0 && self.is_resting() {
            round.ask = self.prospects.ask(now);
            round.announce = self.prospects.must_announce();
        }
        self.plan_to_give_back(&mut state, closed, now);
        round.give_back = !state.holdings.returning.is_empty();
        round
    }

    /// Moves what to give back now to the elements that are returning.
    fn plan_to_give_back(&mut self, state: &mut State, closed: bool, now: Instant) {
        let State {
            holdings, demand, ..
        } = state;
        let lapsed = holdings.set_lapsed_aside(now);
        let forgotten = self.station.intake.ready.forget_permits(lapsed);
        // The other permits are with callers that nobody has polled since. Until somebody polls
        // them, nothing more is claimed for them.
        demand.asleep += lapsed - forgotten;
        // Some of these callers were dropped, which freed their permits.
        let excess = self.station.intake.ready.available_permits();
        let excess = excess
            .saturating_sub(holdings.ready.len())
            .min(demand.asleep);
        demand.asleep -= self.station.intake.ready.forget_permits(excess);
        if !holdings.returning.is_empty() {
            // In portions, whose order matters.
            return;
        }
        if !holdings.lapsed.is_empty() {
            holdings.return_lapsed();
            return;
        }
        if closed && holdings.ready.is_empty() {
            holdings.return_batched(Round::BATCH);
            holdings.return_fetching();
            return;
        }
        let surplus = if closed {
            holdings.ready.len()
        } else {
            holdings.surplus()
        };
        let wanted_soon = demand.elements > 0 && !closed;
        if surplus == 0 || wanted_soon {
            self.surplus_since = None;
            return;
        }
        let since = *self.surplus_since.get_or_insert(now);
        if closed || since.elapsed() >= Ahead::KEPT {
            let count = holdings.return_ready(surplus.min(Round::BATCH));
            self.station.intake.ready.forget_permits(count);
        }
    }

    /// True if a claim may bring something now.
    pub(super) fn is_promising(&self) -> bool {
        !self.prospects.is_known_empty() && self.bars.until.is_none() && !self.caution.left_large
    }

    /// True if this intake holds a large element that no caller has yet. A caller's element does
    /// not count: it may stay long if nobody polls the caller, and must not hold up others.
    pub(super) fn holds_large(&self, state: &State) -> bool {
        state
            .holdings
            .holds_large(self.station.intake.ready.available_permits())
    }

    /// True if we know of nothing to claim, and no pause or limit has to pass first.
    pub(super) fn is_resting(&self) -> bool {
        self.prospects.is_known_empty() && self.bars.until.is_none()
    }
}
