//! Telling Redis what callers decided about their deliveries.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use tokio::time::{Instant, sleep_until};

use super::round::Round;
use super::station::Station;
use crate::delivery::intake::Intake;
use crate::delivery::intake::decisions::{Conclusion, DecisionRequest};
use crate::link::connection::Failure;
use crate::link::pauses::Pauses;
use crate::sync::lock;
use crate::wire::script::{self, Consumption, Decision, Fate, Lease};

/// Sends decisions in batches. Each command carries all that were made since the one before. Decides
/// to extend the leases that are to be kept.
#[derive(Debug)]
pub(super) struct Concluder {
    station: Arc<Station>,
    consumption: Arc<Consumption>,
}

/// What Redis answered: a fate for each decision, and how long until there is something to claim
/// again, if that is known.
type Answer = Result<(Vec<Fate>, Option<Duration>), Failure>;

impl Concluder {
    /// The most commands under way at once.
    const MOST_UNDER_WAY: usize = 64;

    pub(super) fn new(station: Arc<Station>, consumption: Arc<Consumption>) -> Self {
        Self {
            station,
            consumption,
        }
    }

    /// Works until `finished` says that no more deliveries will be handed over, and callers have
    /// decided about all that they have. After a shutdown it waits for no more decisions.
    pub(super) async fn run(self, finished: impl Future<Output = ()>) {
        // However this ends, callers must not wait for it.
        let _over = OverOnDrop(Arc::clone(&self.station.intake));
        let mut finished = pin!(finished);
        let mut is_finished = false;
        let mut under_way = FuturesUnordered::new();
        let mut pauses = Pauses::new(self.station.options.longest_pause());
        // After a failure, nothing is sent before this moment.
        let mut resume_at: Option<Instant> = None;
        // When to extend the leases that are to be kept. A third was left at the hand-over.
        let mut extend_at: Option<Instant> = None;
        loop {
            if extend_at.is_none() && lock(&self.station.intake.state).decisions.is_keeping {
                extend_at = Some(Instant::now() + self.station.terms.lease / 4);
            }
            while resume_at.is_none()
                && under_way.len() < Self::MOST_UNDER_WAY
                && let Some(requests) = self.next(under_way.is_empty())
            {
                under_way.push(self.send(requests));
            }
            if is_finished && under_way.is_empty() && self.is_over() {
                return;
            }
            let resume = sleep_until(resume_at.unwrap_or_else(Instant::now));
            let extend = sleep_until(extend_at.unwrap_or_else(Instant::now));
            tokio::select! {
                // The worker is done.
                () = &mut finished, if !is_finished => is_finished = true,
                // Somebody decided, or nobody will any more.
                () = self.station.intake.ending.notified() => {}
                // A pause is over.
                () = resume, if resume_at.is_some() => resume_at = None,
                // Leases are to be extended: the next pass of the loop begins with that.
                () = extend, if extend_at.is_some() => {
                    let is_keeping = self.station.intake.extend_kept(self.station.lease());
                    extend_at = is_keeping.then(|| Instant::now() + self.station.terms.lease / 4);
                }
                // Redis answered, or the call failed.
                Some((requests, answer)) = under_way.next() => match answer {
                    Ok((fates, next)) => {
                        pauses.reset();
                        self.report(requests, &fates, next);
                    }
                    Err(failure) => {
                        let at = Instant::now() + pauses.next();
                        self.put_back(requests, &failure, at);
                        resume_at = Some(at);
                    }
                },
            }
        }
    }

    /// The decisions to send next. While others are under way, these wait until they are about half
    /// of the deliveries that callers have. Otherwise only callers who got their answers together
    /// would decide together again, and Redis would get many small commands.
    fn next(&self, is_idle: bool) -> Option<Vec<DecisionRequest>> {
        let state = &mut *lock(&self.station.intake.state);
        let requests = &mut state.decisions.requests;
        if !is_idle && requests.len() < state.holdings.delivered.len() / 2 {
            return None;
        }
        let count = requests.len().min(Round::BATCH);
        (count > 0).then(|| requests.drain(..count).collect())
    }

    async fn send(&self, requests: Vec<DecisionRequest>) -> (Vec<DecisionRequest>, Answer) {
        let link = self.station.route.delivery();
        let channel = self.station.keys.moved(link.database());
        let decisions = requests.iter().map(|it| (it.lease, &it.decision));
        let sent = Instant::now();
        let answer = link
            .call(|it| {
                script::conclude(
                    it,
                    &self.station.keys,
                    &channel,
                    &self.consumption,
                    decisions,
                )
            })
            .await;
        if answer.is_ok() {
            self.station.learn_round_trip(sent.elapsed());
        }
        (requests, answer)
    }

    /// Tells callers what became of their decisions.
    fn report(&self, requests: Vec<DecisionRequest>, fates: &[Fate], next: Option<Duration>) {
        // Only these make something due earlier: a retry, what was not tried, and a delivery that
        // leaves its group.
        let may_bring = |it: &DecisionRequest| {
            matches!(it.decision, Decision::Retry(..) | Decision::Return) || it.lease.has_group()
        };
        if let Some(next) = next
            && requests.iter().any(may_bring)
        {
            // Redis's message about it may be lost, or this client may hear none.
            self.station.sides.tell_retry(Instant::now() + next);
        }
        for (mut request, fate) in requests.into_iter().zip(fates) {
            let may_be_done = match fate {
                Fate::NotYet => {
                    // The loop that called this sends it next.
                    lock(&self.station.intake.state)
                        .decisions
                        .requests
                        .push_back(request);
                    continue;
                }
                Fate::Done | Fate::Buried => {
                    self.note_done(&request, *fate);
                    self.answer(request, Conclusion::Done);
                    continue;
                }
                // Perhaps an earlier attempt ended the delivery, or another worker did. An extension
                // ends none.
                Fate::Gone => !matches!(request.decision, Decision::Extend(_)),
                // The delivery goes on. An earlier attempt at a retry may be why.
                Fate::Late => {
                    matches!(request.decision, Decision::Retry(..) | Decision::Return)
                }
            };
            let conclusion = match request.lost.take() {
                Some(failure) if may_be_done => Conclusion::Failed(failure),
                _ => Conclusion::Late,
            };
            self.answer(request, conclusion);
        }
    }

    /// Counts a decision that was carried out, and reports a dead letter.
    fn note_done(&self, request: &DecisionRequest, fate: Fate) {
        if fate == Fate::Buried {
            self.report_dead_letter(request);
        }
        let meter = &self.station.intake.meter;
        match request.decision {
            Decision::Acknowledge => meter.acknowledged(),
            Decision::Bury(_) => meter.rejected(),
            Decision::Retry(..) => meter.failed(fate == Fate::Buried),
            Decision::Return | Decision::Extend(_) => {}
        }
    }

    fn report_dead_letter(
        &self,
        DecisionRequest {
            lease, decision, ..
        }: &DecisionRequest,
    ) {
        if let Decision::Bury(reason) | Decision::Retry(_, reason) = decision {
            let consumption = &self.consumption;
            self.station
                .report_dead_letter(consumption, *lease, reason.clone());
        }
    }

    /// Puts decisions that failed back, to be sent again at `at`. Answers those for which that would be
    /// in vain or too late.
    fn put_back(&self, requests: Vec<DecisionRequest>, failure: &Failure, at: Instant) {
        let is_lost = matches!(failure, Failure::Lost(_));
        let may_pass = is_lost || failure.may_pass() || failure.is_redirect();
        let mut again = VecDeque::new();
        for mut request in requests {
            if is_lost {
                request.lost = Some(failure.clone());
            }
            if may_pass && at < request.give_up_at {
                again.push_back(request);
            } else {
                // An earlier attempt may have been carried out.
                let failure = request.lost.take().unwrap_or_else(|| failure.clone());
                self.answer(request, Conclusion::Failed(failure));
            }
        }
        let mut state = lock(&self.station.intake.state);
        again.append(&mut state.decisions.requests);
        state.decisions.requests = again;
    }

    fn answer(&self, request: DecisionRequest, conclusion: Conclusion) {
        let is_extension = matches!(request.decision, Decision::Extend(_));
        if !is_extension
            && lock(&self.station.intake.state)
                .holdings
                .delivered
                .remove(&request.lease)
        {
            self.station.intake.meter.ended(1);
        }
        match request.caller {
            // The caller may have gone.
            Some(caller) => drop(caller.send(conclusion)),
            None if is_extension => self.note_extension(request.lease, &conclusion),
            None => tracing::debug!(
                queue = self.station.keys.name(),
                ?conclusion,
                "a delivery was dropped"
            ),
        }
    }

    /// Notes what became of the extension of a lease that is to be kept.
    fn note_extension(&self, lease: Lease, conclusion: &Conclusion) {
        let mut state = lock(&self.station.intake.state);
        let Some(is_under_way) = state.decisions.kept.get_mut(&lease) else {
            // Its caller has decided since.
            return;
        };
        *is_under_way = false;
        let queue = self.station.keys.name();
        match conclusion {
            Conclusion::Done => {}
            Conclusion::Late => {
                state.decisions.kept.remove(&lease);
                drop(state);
                tracing::warn!(queue, "a handler is slower than its lease");
            }
            Conclusion::Failed(_) => {
                drop(state);
                tracing::warn!(queue, ?conclusion, "cannot extend a lease");
            }
        }
    }

    /// True if no decision is left or still to come. Refuses later ones then.
    fn is_over(&self) -> bool {
        let mut state = lock(&self.station.intake.state);
        let is_over = state.decisions.requests.is_empty()
            && (state.holdings.delivered.is_empty() || state.decisions.is_leaving);
        state.decisions.is_over |= is_over;
        is_over
    }
}

/// Refuses decisions when the concluder ends, also by a panic or with its runtime.
struct OverOnDrop(Arc<Intake>);

impl Drop for OverOnDrop {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.decisions.is_over = true;
        state.decisions.requests.clear();
        state.decisions.kept.clear();
        // Nobody will end these deliveries any more. Their leases stay known.
        self.0.meter.ended(state.holdings.delivered.len());
    }
}
