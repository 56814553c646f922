//! How callers get due elements.
//!
//! The handles call [`Intake::take`] and its like. They promise that no element is lost when a
//! future is dropped or a reply does not arrive. A call that pops from Redis cannot promise that.
//! So a task, the [`Worker`], *claims* elements: a script moves them from the target queue into a
//! set of leases in Redis. Each caller then takes its own from this process's memory, in a single
//! step of its own future. As callers take elements, another task ends their leases. If a process
//! dies before that, the lease runs out and another client claims the element.
//!
//! Two sources tell a worker that there is something to claim, see [`Signal`]. The transfer service
//! knows what this client and its peers moved. Redis reports what Java moved or anybody pushed: the
//! delivery connection tracks keys (`CLIENT TRACKING`), and a worker that finds the target queue
//! empty asks to be told when that changes. A blocking peek (`BLMOVE` of the head onto itself) is
//! as fast, 59 us from the push to the hint at the median against 75 us (2,000 rounds, Redis 7.0.15
//! on loopback), but needs one socket for each queue.
//!
//! Reports may be for nothing: Redis forgets keys when its table is full, and says that they changed.
//! So a worker asks only as often as its `Trust` allows.
//!
//! While another client leads, a worker waits for that client to call it, and asks Redis only after
//! a pause. Otherwise every element would wake the workers of all clients, and each would ask
//! again.
//!
//! A claim leaves a large payload in its lease. The worker's fetcher reads it over a socket of its
//! own, and smaller elements behind it may come first.
//!
//! A consumer has an intake and a worker of its own, on other `terms`: its elements stay in Redis
//! until the caller has acknowledged them (`held`). They are leased in keys of their own, which keep
//! count of the attempts.
//!
//! To read on: callers and worker share the `state`, whose `holdings` are all elements that this
//! process has claimed. The `worker` fills them, `batch` serves calls for several elements, `sides`
//! joins the intakes of a queue.

use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use tokio::sync::{Notify, Semaphore, TryAcquireError, oneshot, watch};
use tokio::task::unconstrained;
use tokio::time::{Instant, sleep_until};

use crate::error::{Error, Result, Step};
use crate::link::connection::Failure;
use crate::metric::Meter;
use crate::sync::lock;

mod batch;
mod consumed;
mod decisions;
mod demand;
mod held;
mod holdings;
mod leased;
mod patience;
mod probes;
mod sides;
mod signal;
mod state;
mod terms;
mod waiting;
mod worker;

pub(crate) use batch::Batch;
pub(crate) use held::Held;
pub(crate) use patience::Patience;
pub(crate) use sides::Sides;
pub(crate) use signal::Signal;
pub(crate) use terms::{Mode, Terms};
pub(crate) use worker::{Station, Worker};

use leased::Leased;
use state::State;
use waiting::WaitingCaller;

/// The elements that this process holds from one side of a queue, and the callers that wait for
/// them.
#[derive(Debug)]
pub(crate) struct Intake {
    state: Mutex<State>,
    /// One permit for each element in `Holdings::ready`. Closed with the intake.
    ready: Semaphore,
    /// Wakes the worker.
    work: Notify,
    /// Wakes the task that ends leases or sends decisions.
    ending: Notify,
    /// Wakes the task that fetches large payloads.
    fetching: Notify,
    /// Wakes a worker that waits after a failure, when the intake is closed.
    closing: Notify,
    /// Why the worker's last round failed. `None` after a round without trouble.
    trouble: watch::Sender<Option<Failure>>,
    /// How long a decision about a delivery may be sent again.
    decision_window: Duration,
    meter: Arc<Meter>,
}

impl Intake {
    pub(crate) fn new(decision_window: Duration, meter: Arc<Meter>) -> Self {
        Self {
            decision_window,
            meter,
            state: Mutex::default(),
            ready: Semaphore::new(0),
            work: Notify::new(),
            ending: Notify::new(),
            fetching: Notify::new(),
            closing: Notify::new(),
            trouble: watch::Sender::new(None),
        }
    }

    /// Notes a signal for the worker.
    fn tell(&self, signal: Signal) {
        let mut state = lock(&self.state);
        state.signals.add(signal);
        if signal.wakes_worker() {
            state.is_exhausted = false;
            drop(state);
            self.work.notify_one();
        }
    }

    /// Notes that a delivery is due again at this moment.
    fn claim_by(&self, at: Instant) {
        let mut state = lock(&self.state);
        state.claim_at = Some(state.claim_at.map_or(at, |it| it.min(at)));
        drop(state);
        self.work.notify_one();
    }

    /// How many elements callers still wait for if the claim under way brings all it asks for.
    fn wanted(&self) -> usize {
        let state = lock(&self.state);
        state.lack().saturating_sub(state.demand.claiming)
    }

    /// Hands over no more elements. The worker gives back what it holds, and ends.
    pub(crate) fn close(&self) {
        self.ready.close();
        self.work.notify_one();
        self.closing.notify_one();
    }

    /// Returns the payload of the next element, or None when the caller's patience ends.
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub(crate) async fn take(&self, patience: Patience) -> Result<Option<Bytes>> {
        self.wait(patience, 1, |state| self.hand_over(state)).await
    }

    /// Returns the payload of the next element if one is at hand.
    pub(crate) fn take_at_hand(&self) -> Result<Option<Bytes>> {
        if !self.spend_permit()? {
            return Ok(None);
        }
        let mut state = lock(&self.state);
        // Like a call that waits, so that the worker claims ahead for a loop of them.
        state.demand.consumed.ask(1);
        Ok(self.hand_over(&mut state))
    }

    /// Spends the permit of an element at hand. False if none is at hand.
    fn spend_permit(&self) -> Result<bool> {
        match self.ready.try_acquire() {
            Ok(permit) => permit.forget(),
            Err(TryAcquireError::NoPermits) => return Ok(false),
            Err(TryAcquireError::Closed) => return Err(Error::Closed),
        }
        Ok(true)
    }

    /// Waits for a permit, and then calls `get`. None when the caller's patience ends first.
    async fn wait<T>(
        &self,
        patience: Patience,
        demand: usize,
        get: impl Fn(&mut State) -> Option<T>,
    ) -> Result<Option<T>> {
        let mut trouble = self.trouble.subscribe();
        let mut waiting = {
            let mut state = lock(&self.state);
            if matches!(patience, Patience::Known) && state.is_known_empty(Instant::now()) {
                return Ok(None);
            }
            state.demand.consumed.ask(demand);
            WaitingCaller::begin(&self.state, &self.work, &mut state, demand)
        };
        self.work.notify_one();
        let mut given_up = pin!(self.lose_patience(patience));
        // Kept across the loop: it holds this caller's place in the line.
        let mut permit = pin!(self.ready.acquire());
        loop {
            let (permitted, is_last) = tokio::select! {
                // Elements first: a caller without patience gets what is there.
                biased;
                permitted = &mut permit => (Some(permitted), false),
                _ = trouble.changed() => {
                    check_refusal(&mut trouble)?;
                    continue;
                }
                // One last look: an element may have come after the look above.
                () = &mut given_up => (unconstrained(permit.as_mut()).now_or_never(), true),
            };
            if let Some(permitted) = permitted {
                permitted.map_err(|_| Error::Closed)?.forget();
                // No await from here on, so a future that is dropped while it waits took nothing.
                let mut state = lock(&self.state);
                if let Some(got) = get(&mut state) {
                    waiting.end(&mut state);
                    return Ok(Some(got));
                }
                drop(state);
                // That element had lapsed. Another has to be claimed for this caller.
                self.work.notify_one();
                permit.set(self.ready.acquire());
            }
            if is_last {
                let failure = trouble.borrow().clone();
                return failure.map_or(Ok(None), |it| Err(it.into_error(Step::Claim)));
            }
        }
    }

    /// Waits until a caller with this patience gives up.
    async fn lose_patience(&self, patience: Patience) {
        match patience {
            Patience::Forever => pending().await,
            // Other callers may get all that one claim brings, so ask while more is left.
            Patience::Once => while self.probe(true).await {},
            Patience::Known => while self.probe(false).await {},
            Patience::Until(deadline) => sleep_until(deadline).await,
        }
    }

    /// Waits for the end of the worker's round. True if more may be left than that round brought;
    /// false after a failure. With `asks` that round asks Redis in any case.
    async fn probe(&self, asks: bool) -> bool {
        let answer = {
            let (sender, answer) = oneshot::channel();
            let mut state = lock(&self.state);
            // The worker of a closed intake may answer no more.
            if !self.ready.is_closed() {
                let probes = match asks {
                    true => &mut state.probes.asking,
                    false => &mut state.probes.patient,
                };
                probes.push(sender);
            }
            answer
        };
        self.work.notify_one();
        answer.await.unwrap_or(false)
    }

    /// Adds claimed elements to those at hand.
    fn add(&self, state: &mut State, leased: Vec<Leased>) {
        let count = leased.len();
        for leased in leased {
            // Fetched elements are older than those that came meanwhile.
            if leased.is_large() {
                state.holdings.ready.push_front(leased);
            } else {
                state.holdings.ready.push_back(leased);
            }
        }
        // Under the lock: a batch counts elements and permits together.
        self.ready.add_permits(count);
    }

    /// Returns the next element for a caller that has spent a permit.
    fn next_usable(&self, state: &mut State) -> Option<Leased> {
        let (leased, lapsed) = state.holdings.next_usable(Instant::now());
        state.demand.asleep += lapsed - self.ready.forget_permits(lapsed);
        if leased.is_none() {
            // The caller's permit stood for one of the lapsed elements.
            state.demand.asleep = state.demand.asleep.saturating_sub(1);
        }
        leased
    }

    fn hand_over(&self, state: &mut State) -> Option<Bytes> {
        let leased = self.next_usable(state)?;
        state.holdings.hand_over(&leased);
        state.demand.consumed.got += 1;
        self.meter.polled(1);
        self.handed_over();
        Some(leased.payload)
    }

    /// Wakes those who end leases and claim more.
    fn handed_over(&self) {
        self.ending.notify_one();
        self.work.notify_one();
    }
}

/// Fails if the worker's last round was refused. The worker goes on trying, but a refusal does not
/// pass by itself.
fn check_refusal(trouble: &mut watch::Receiver<Option<Failure>>) -> Result<()> {
    let failure = trouble.borrow_and_update().clone();
    match failure.filter(Failure::is_refusal) {
        Some(failure) => Err(failure.into_error(Step::Claim)),
        None => Ok(()),
    }
}
