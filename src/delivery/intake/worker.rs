//! The worker: the task that fills an [`Intake`] from Redis.
//!
//! [`RawQueue`](crate::queue::raw::RawQueue) starts one for each side of a queue that somebody takes
//! from. A worker goes round and round: `plan` decides from what it knows (`prospects`, `ahead`,
//! `bars`) what a [`Round`] does, and `carry_out` does it (`claim`, `give_back`, `notices`). After
//! a lost reply, `recovery` finds what Redis did. Two more tasks belong to it. The [`Fetcher`] fetches
//! large payloads. The other tells Redis what became of elements: the [`Ender`] ends the leases of
//! those that callers took, the [`Concluder`] carries out what callers decided about deliveries.

use std::future::pending;
use std::sync::Arc;

use futures::future::Either;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Intake, Signal};
use crate::error::{Cause, Result, Step};
use crate::event::Event;
use crate::link::connection::Failure;
use crate::sync::lock;

mod ahead;
mod bars;
mod caution;
mod claim;
mod claims;
mod concluder;
mod ender;
mod fetcher;
mod give_back;
mod join;
mod lost_claims;
mod lull;
mod notices;
mod plan;
mod pop;
mod prospects;
mod recovery;
mod round;
mod round_trip;
mod station;
mod trouble;

use ahead::Ahead;
use bars::Bars;
use caution::Caution;
use claims::Claims;
use concluder::Concluder;
use ender::Ender;
use fetcher::Fetcher;
use lost_claims::LostClaims;
use prospects::Prospects;
use round::Round;
pub(crate) use station::Station;
use trouble::{Part, Trouble};

/// Claims elements for one [`Intake`], and gives back those that nobody wants any more.
#[derive(Debug)]
pub(crate) struct Worker {
    station: Arc<Station>,
    trouble: Trouble,
    claims: Claims,
    prospects: Prospects,
    ahead: Ahead,
    bars: Bars,
    caution: Caution,
    /// Callers to answer at the end of the present round.
    probes: Vec<oneshot::Sender<bool>>,
    /// Since when this intake holds elements that nobody waits for.
    surplus_since: Option<Instant>,
    lost_claims: LostClaims,
    /// Callers stop waiting for this worker, however it ends.
    _closing: CloseOnDrop,
}

impl Worker {
    pub(crate) fn new(station: Station) -> Self {
        let (terms, longest_pause) = (&station.terms, station.options.longest_pause());
        station.sides.set_taken_from(terms.side);
        let round_trips = match terms.consumption() {
            Some(_) => Ahead::CONSUMING,
            None => Ahead::TAKING,
        };
        Self {
            _closing: CloseOnDrop(Arc::clone(&station.intake)),
            ahead: Ahead::new(terms.most_ahead, round_trips),
            station: Arc::new(station),
            trouble: Trouble::new(longest_pause),
            claims: Claims::new(),
            prospects: Prospects::new(longest_pause),
            bars: Bars::new(longest_pause),
            caution: Caution::default(),
            probes: Vec::new(),
            surplus_since: None,
            lost_claims: LostClaims::default(),
        }
    }

    /// Works until the intake is closed. Fails if it then could not end some leases or give them
    /// back; other clients claim these elements when the leases run out.
    pub(crate) async fn run(mut self) -> Result<()> {
        let fetcher = Fetcher::new(Arc::clone(&self.station));
        let (finish, finished) = oneshot::channel::<()>();
        let finished = async move { drop(finished.await) };
        let end = self.end_leases(finished);
        let work = async move {
            tokio::select! {
                () = fetcher.run() => {}
                () = self.serve() => {}
            }
            let result = self.farewell().await;
            // From here on nothing is handed over.
            drop(finish);
            result
        };
        let (given_back, ended) = tokio::join!(work, end);
        given_back.and(ended)
    }

    /// Tells Redis what became of elements, until `finished` is ready and nothing is left to tell.
    fn end_leases<F: Future<Output = ()>>(
        &self,
        finished: F,
    ) -> impl Future<Output = Result<()>> + use<F> {
        let station = Arc::clone(&self.station);
        match self.station.terms.consumption() {
            None => Either::Left(Ender::new(station).run(finished)),
            Some(consumption) => {
                let concluder = Concluder::new(station, Arc::clone(consumption));
                Either::Right(async move {
                    concluder.run(finished).await;
                    Ok(())
                })
            }
        }
    }

    /// Works until the intake is closed.
    async fn serve(&mut self) {
        while !self.station.intake.ready.is_closed() {
            match self.work().await {
                Ok(()) => self.idle().await,
                Err(failure) => {
                    self.trouble.fail();
                    self.prospects.doubt();
                    self.report_refusal(&failure);
                    self.station.intake.trouble.send_replace(Some(failure));
                    // Only now: answered callers look at the trouble at once.
                    self.probes.clear();
                    lock(&self.station.intake.state).probes.forget();
                    tokio::select! {
                        () = sleep(self.trouble.pause()) => {}
                        () = self.station.intake.closing.notified() => {}
                    }
                }
            }
        }
    }

    /// Gives back everything that this intake holds.
    async fn farewell(&mut self) -> Result<()> {
        self.lost_claims.hurry();
        let give_up = Instant::now() + self.station.options.offer_window();
        while let Err(failure) = self.recover_and_go_round().await {
            let wait = self.trouble.pause();
            if Instant::now() + wait >= give_up {
                let error = failure.into_error(Step::GiveBack);
                return Err(error.on_queue(self.station.keys.name()));
            }
            sleep(wait).await;
        }
        Ok(())
    }

    /// Does everything there is to do now.
    async fn work(&mut self) -> Result<(), Failure> {
        if let Err(failure) = self.recover_if_due().await {
            self.go_on_without_recovery(failure)?;
        }
        self.go_round().await
    }

    /// The same, and fails if the recovery is refused.
    async fn recover_and_go_round(&mut self) -> Result<(), Failure> {
        let recovered = self.recover_if_due().await;
        self.go_round().await.and(recovered)
    }

    async fn go_round(&mut self) -> Result<(), Failure> {
        loop {
            let round = self.plan();
            // First, since a claim counts an attempt at each element whose lease ran out.
            if let Err(failure) = self.give_back().await {
                self.go_on_without_giving_back(failure)?;
            }
            if round.is_nothing() {
                self.went_well();
                return Ok(());
            }
            self.carry_out(round).await?;
        }
    }

    /// Waits for something to do.
    async fn idle(&mut self) {
        let (unserved, lapse, claim_at) = {
            let state = lock(&self.station.intake.state);
            (
                state.lack() > 0,
                state.holdings.first_lapse(),
                state.claim_at,
            )
        };
        // Without a transfer service, only this worker makes up for a lost signal. That service
        // knows nothing of deliveries.
        let polls =
            !self.station.sides.is_transferred() || self.station.terms.consumption().is_some();
        let poll =
            (unserved && polls).then(|| self.claims.sent_at + self.station.options.safety_poll);
        let surplus = self.surplus_since.map(|since| since + Ahead::KEPT);
        let bar = self.bars.until.filter(|_| unserved);
        let ask = self.prospects.ask_at();
        let ask = ask.filter(|_| unserved && self.is_resting());
        let claim_at = claim_at.filter(|_| unserved);
        let look_at = self.lost_claims.look_at();
        let wake = [poll, look_at, surplus, lapse, bar, ask, claim_at]
            .into_iter()
            .flatten()
            .min();
        let timer = async {
            match wake {
                Some(at) => sleep_until(at).await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = self.station.intake.work.notified() => {}
            () = timer => {}
        }
        if poll.is_some_and(|at| at <= Instant::now()) {
            self.prospects.doubt();
        }
    }

    /// Notes that a part of the work succeeded. Ends the trouble if it was this part that had
    /// failed.
    fn succeeded(&mut self, part: Part) {
        if self.trouble.succeed(part) {
            self.station.reporter.report(Event::Recovered {
                server: self.station.route.delivery().server().to_string(),
                queue: Some(self.station.keys.name().to_owned()),
            });
        }
    }

    /// Reports that the server refuses a part of the work: once, until that part works again.
    fn report_refusal(&mut self, failure: &Failure) {
        // After a redirect, the next round goes to the node that has the queue.
        if let Failure::Refused(met) = failure
            && !failure.is_redirect()
            && self.trouble.report()
        {
            self.station.reporter.report(Event::Degraded {
                server: met.server.to_string(),
                queue: Some(self.station.keys.name().to_owned()),
                cause: Cause::of(met.error.clone()),
            });
        }
    }

    async fn carry_out(&mut self, round: Round) -> Result<(), Failure> {
        let asked_for = round.claim + round.ahead;
        let (count, caught) = self.claim_and_add(round.claim, round.ahead).await?;
        self.trouble.begin(Part::Watch);
        let watches = round.ask || round.announce || caught.wait.is_some();
        let now = Instant::now();
        let brought = count + caught.without_turn;
        self.ahead
            .learn(self.claims.sent_at, now, asked_for, brought);
        self.ahead.search_on(asked_for, caught.without_turn);
        if let Some(wait) = caught.wait {
            if count > 0 {
                self.bars.forget_promise();
                // The claim wrote the queue's state. Redis does not report this client's own writes
                // to it. It also drops its promise to report the next change.
                self.station
                    .sides
                    .tell_others(&self.station.intake, Signal::Released);
            }
            self.bar(wait).await?;
        } else if caught.left_large {
            self.caution.left_large = true;
        } else if caught.was_last {
            self.prospects.exhausted(brought == 0, now);
        } else if asked_for > 0 {
            // The claim left something.
            self.prospects.doubt();
        }
        if round.ask {
            let is_empty = self.is_empty().await?;
            self.prospects.asked(is_empty, Instant::now());
        }
        if round.announce {
            self.announce().await?;
            self.prospects.announced();
        }
        if watches {
            self.succeeded(Part::Watch);
        }
        if count > 0 {
            self.surplus_since = None;
            self.bars.passed();
            self.prospects.claimed();
        }
        self.went_well();
        Ok(())
    }

    /// Ends a round that met no trouble: tells the callers that waited for it whether there may be
    /// more to claim. What the round brought is at hand already.
    fn went_well(&mut self) {
        self.trouble.went_well();
        let trouble = &self.station.intake.trouble;
        trouble.send_if_modified(|it| it.take().is_some());
        let mut state = lock(&self.station.intake.state);
        let is_free = self.station.intake.ready.available_permits() > 0;
        // The large element that was left can be claimed as soon as the one before it is fetched
        // and has a caller. That may have happened since.
        let is_due = self.caution.left_large && (is_free || state.holdings.fetching.is_empty());
        let is_more = self.is_promising() || is_due;
        state.is_exhausted = !is_more && state.signals.is_empty();
        if !is_more && !is_free && !state.holdings.fetching.is_empty() {
            // The payload that is on its way may be for one of them.
            state.probes.of_large.append(&mut self.probes);
            return;
        }
        for probe in self.probes.drain(..).chain(state.probes.of_large.drain(..)) {
            // The caller may have gone.
            let _ = probe.send(is_more);
        }
    }
}

/// Closes an intake when its worker ends: by itself, by a panic, or with its runtime.
#[derive(Debug)]
struct CloseOnDrop(Arc<Intake>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
        // Later callers find the intake closed.
        let mut state = lock(&self.0.state);
        state.probes.forget();
        state.probes.of_large.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::time::Duration;

    use futures::FutureExt;
    use tokio::time::timeout;

    use super::*;
    use crate::metric::Meter;

    /// The worker runs on another thread than the callers, so it may end at any moment of a call.
    #[tokio::test]
    async fn nobody_waits_for_a_worker_that_has_ended() {
        let intake = Arc::new(Intake::new(
            Duration::ZERO,
            Arc::new(Meter::of("orders", true)),
        ));
        let mut asked_before = pin!(intake.probe(false));
        assert_eq!(asked_before.as_mut().now_or_never(), None);
        drop(CloseOnDrop(Arc::clone(&intake)));
        let patience = Duration::from_secs(20);
        assert_eq!(timeout(patience, asked_before).await, Ok(false));
        assert_eq!(timeout(patience, intake.probe(true)).await, Ok(false));
    }
}
