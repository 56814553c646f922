//! Taking due elements: how they reach this process and are handed to the callers that wait.
//!
//! A call that pops cannot be made safe: when its future is dropped or its reply is lost, the
//! element is gone. So a task, one for each end of a queue that is taken from, *claims* elements,
//! which moves them into a set of leases in Redis, and callers take them from this process's memory
//! in a single step. Leases are ended as elements are handed over; one that is never ended runs
//! out and the element is claimed again, at whichever end.
//!
//! The worker learns that there is something to claim from the transfer service, and of what Java
//! moved or anybody pushed from Redis: the connection tracks keys (`CLIENT TRACKING`), and whoever
//! reads an empty target queue may ask to be told when it changes. A blocking peek (`BLMOVE` of the
//! head onto itself) is as fast, 59 us from the push to the hint at the median against 75 us (2,000
//! rounds, Redis 7.0.15 on loopback), but needs a socket a queue.
//!
//! A large payload stays in its lease when it is claimed. The worker's fetcher gets it over a socket
//! of its own and makes it ready then, so smaller ones behind it can come first.
//!
//! While another client moves what is due, the worker waits to be called by that one, and asks
//! Redis to be told of changes only after a while without any: otherwise every element would wake
//! the workers of all clients, and have each ask again.

use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::FutureExt;
use tokio::sync::{Notify, Semaphore, TryAcquireError, oneshot, watch};
use tokio::task::unconstrained;
use tokio::time::sleep_until;

use crate::error::{Error, Result, Step};
use crate::link::connection::Failure;
use crate::sync::lock;

mod batch;
mod consumed;
mod ends;
mod state;
mod waiting;
mod worker;

pub(crate) use batch::Batch;
pub(crate) use ends::Ends;
pub(crate) use worker::Worker;

use consumed::Consumed;
use state::{Large, Leased, State};
use waiting::Waiting;

/// The elements from one end of a queue that this process holds, and the callers that wait for
/// them.
#[derive(Debug)]
pub(crate) struct Intake {
    state: Mutex<State>,
    /// One permit for each element in `State::ready`; closed when no more are handed over.
    ready: Semaphore,
    /// Rung when there is something to do for the worker.
    work: Notify,
    /// Rung when there are leases to end.
    ending: Notify,
    /// Rung when there is a payload to fetch.
    fetching: Notify,
    /// Rung when the intake is closed.
    closing: Notify,
    /// Why the last round with Redis failed; nothing after a round that went well.
    trouble: watch::Sender<Option<Failure>>,
}

/// How long a caller waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    Forever,
    /// For one claim, and more while these leave something and bring this caller nothing.
    Once,
    Until(Instant),
}

impl Patience {
    /// To wait for up to `timeout`; a timeout of zero asks Redis once.
    pub(crate) fn of(timeout: Duration) -> Self {
        match Instant::now().checked_add(timeout) {
            _ if timeout.is_zero() => Self::Once,
            Some(deadline) => Self::Until(deadline),
            None => Self::Forever,
        }
    }
}

impl Intake {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::default(),
            ready: Semaphore::new(0),
            work: Notify::new(),
            ending: Notify::new(),
            fetching: Notify::new(),
            closing: Notify::new(),
            trouble: watch::Sender::new(None),
        }
    }

    /// Says that there may be something to claim.
    pub(crate) fn hint(&self) {
        lock(&self.state).signals.hinted = true;
        self.work.notify_one();
    }

    fn disturb(&self) {
        lock(&self.state).signals.disturbed = true;
        self.work.notify_one();
    }

    fn call(&self) {
        lock(&self.state).signals.called = true;
        self.work.notify_one();
    }

    /// The worker need not know before it has something to do.
    fn explain(&self) {
        lock(&self.state).signals.explained = true;
    }

    /// How many elements callers wait for that no claim under way may bring.
    fn wanted(&self) -> usize {
        let state = lock(&self.state);
        state.lack().saturating_sub(state.claiming)
    }

    /// Says that what held claims back may be over.
    fn release(&self) {
        lock(&self.state).signals.released = true;
        self.work.notify_one();
    }

    /// Hands over no more; the worker gives back what it holds and ends.
    pub(crate) fn close(&self) {
        self.ready.close();
        self.work.notify_one();
        self.closing.notify_one();
    }

    /// The payload of the next element, or nothing when the caller's patience ends.
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub(crate) async fn take(&self, patience: Patience) -> Result<Option<Bytes>> {
        self.wait(patience, 1, |state| self.hand_over(state)).await
    }

    /// Up to `most` elements as soon as one is at hand, or nothing when the caller's patience ends.
    ///
    /// Cancel safe: what the batch holds goes back when it is dropped.
    pub(crate) async fn take_batch(
        self: &Arc<Self>,
        most: usize,
        patience: Patience,
    ) -> Result<Option<Batch>> {
        let batch = |state: &mut State| {
            let mut batch = Batch::new(Arc::clone(self));
            let is_filled = batch.fill_permitted(state, most.min(Waiting::MOST));
            is_filled.then_some(batch)
        };
        self.wait(patience, most, batch).await
    }

    /// Up to `most` elements out of what is at hand and what `claims` claims bring at the most, not
    /// counting those of which others got all.
    ///
    /// Cancel safe: what the batch holds goes back when it is dropped.
    pub(crate) async fn drain(self: &Arc<Self>, most: usize, claims: usize) -> Result<Batch> {
        lock(&self.state).consumed.ask(most);
        let mut batch = self.batch_at_hand(most)?;
        let mut left = claims;
        while left > 0 && batch.len() < most {
            let before = batch.len();
            let mut waiting = Waiting::begin(self, &mut lock(&self.state), most - before);
            let is_more = self.probe().await;
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

    /// The payload of an element that is at hand.
    pub(crate) fn take_at_hand(&self) -> Result<Option<Bytes>> {
        if !self.spend_permit()? {
            return Ok(None);
        }
        Ok(self.hand_over(&mut lock(&self.state)))
    }

    /// Spends the permit of an element that is at hand; false if none is.
    fn spend_permit(&self) -> Result<bool> {
        match self.ready.try_acquire() {
            Ok(permit) => permit.forget(),
            Err(TryAcquireError::NoPermits) => return Ok(false),
            Err(TryAcquireError::Closed) => return Err(Error::Closed),
        }
        Ok(true)
    }

    /// Up to `most` elements that are at hand.
    pub(crate) fn batch_at_hand(self: &Arc<Self>, most: usize) -> Result<Batch> {
        let mut batch = Batch::new(Arc::clone(self));
        batch.fill(&mut lock(&self.state), most)?;
        Ok(batch)
    }

    /// Waits for a permit to `get` something, and gets it; nothing when the caller's patience ends.
    async fn wait<T>(
        &self,
        patience: Patience,
        demand: usize,
        get: impl Fn(&mut State) -> Option<T>,
    ) -> Result<Option<T>> {
        let mut trouble = self.trouble.subscribe();
        let mut waiting = {
            let mut state = lock(&self.state);
            state.consumed.ask(demand);
            Waiting::begin(self, &mut state, demand)
        };
        self.work.notify_one();
        let mut given_up = pin!(async move {
            match patience {
                Patience::Forever => pending().await,
                // What a claim leaves may be this caller's, if others came first.
                Patience::Once => while self.probe().await {},
                Patience::Until(deadline) => sleep_until(deadline.into()).await,
            }
        });
        // Kept throughout, for it holds this caller's place in the line.
        let mut permit = pin!(self.ready.acquire());
        loop {
            let (permitted, is_last) = tokio::select! {
                // First what is there, so that a caller without patience gets it.
                biased;
                permitted = &mut permit => (Some(permitted), false),
                // The worker goes on trying, but a caller should know of what will not pass by
                // itself.
                _ = trouble.changed() => {
                    let failure = trouble.borrow_and_update().clone();
                    if let Some(failure) = failure.filter(Failure::is_refusal) {
                        return Err(failure.into_error(Step::Claim));
                    }
                    continue;
                }
                // Once more what is there: it may have come after the look above.
                () = &mut given_up => (unconstrained(permit.as_mut()).now_or_never(), true),
            };
            if let Some(permitted) = permitted {
                permitted.map_err(|_| Error::Closed)?.forget();
                // No await from here on: a future dropped while it waits has taken nothing.
                let mut state = lock(&self.state);
                if let Some(got) = get(&mut state) {
                    waiting.end(&mut state);
                    return Ok(Some(got));
                }
                drop(state);
                // The lease had run out, and what this caller waits for is to be claimed.
                self.work.notify_one();
                permit.set(self.ready.acquire());
            }
            if is_last {
                let failure = trouble.borrow().clone();
                return failure.map_or(Ok(None), |it| Err(it.into_error(Step::Claim)));
            }
        }
    }

    /// Waits for a round of the worker, and says whether there may be more than that brought; not
    /// of a round that failed.
    async fn probe(&self) -> bool {
        let answer = {
            let (sender, answer) = oneshot::channel();
            let mut state = lock(&self.state);
            // The worker of a closed intake may have answered its last.
            if !self.ready.is_closed() {
                state.probes.push(sender);
            }
            answer
        };
        self.work.notify_one();
        answer.await.unwrap_or(false)
    }

    /// Adds claimed elements to those at hand. If their leases are to be ended first, the worker does
    /// that before.
    fn add(&self, state: &mut State, leased: Vec<Leased>, settles_first: bool) {
        if settles_first {
            state.settling.extend(leased);
            return;
        }
        let count = leased.len();
        for leased in leased {
            // Those that were fetched are older than what came meanwhile.
            if leased.is_large() {
                state.ready.push_front(leased);
            } else {
                state.ready.push_back(leased);
            }
        }
        // Under the lock, for a batch is filled with what is there and permitted.
        self.ready.add_permits(count);
    }

    /// The next element for a caller that has spent a permit.
    fn next_usable(&self, state: &mut State) -> Option<Leased> {
        let (leased, lapsed) = state.next_usable(Instant::now());
        state.asleep += lapsed - self.ready.forget_permits(lapsed);
        if leased.is_none() {
            // That permit was one of those.
            state.asleep = state.asleep.saturating_sub(1);
        }
        leased
    }

    fn hand_over(&self, state: &mut State) -> Option<Bytes> {
        let leased = self.next_usable(state)?;
        state.hand_over(leased.lease);
        state.consumed.got += 1;
        self.handed_over();
        Some(leased.payload)
    }

    /// Says that there are leases to end, and less at hand than before.
    fn handed_over(&self) {
        self.ending.notify_one();
        self.work.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    /// It ends on another thread than those of callers, so at any moment of theirs.
    #[tokio::test]
    async fn nobody_waits_for_a_worker_that_has_ended() {
        let intake = Arc::new(Intake::new());
        let mut asked_before = pin!(intake.probe());
        assert_eq!(asked_before.as_mut().now_or_never(), None);
        drop(worker::CloseOnDrop(Arc::clone(&intake)));
        let patience = Duration::from_secs(20);
        assert_eq!(timeout(patience, asked_before).await, Ok(false));
        assert_eq!(timeout(patience, intake.probe()).await, Ok(false));
    }
}
