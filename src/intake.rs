//! Taking due elements: how they reach this process and are handed to the callers that wait.
//!
//! A call that pops cannot be made safe: when its future is dropped or its reply is lost, the
//! element is gone. So one task a queue *claims* elements, which moves them into a set of leases in
//! Redis, and callers take them from this process's memory in a single step. A lease ends when the
//! element was handed over; one that is never ended runs out and the element is claimed again.
//!
//! The worker learns that there is something to claim from the transfer service, and, when another
//! client moved it, from Redis: the connection tracks keys (`CLIENT TRACKING`), and reading an
//! empty target queue asks to be told when it changes. A blocking peek (`BLMOVE` of the head onto
//! itself) is as fast, 59 us from the push to the hint at the median against 75 us (2,000 rounds,
//! Redis 7.0.15 on loopback), but needs a socket a queue.

use std::collections::VecDeque;
use std::future::pending;
use std::pin::pin;
use std::sync::Mutex;
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::{Notify, Semaphore, oneshot, watch};
use tokio::time::sleep_until;

use crate::connection::Failure;
use crate::error::{Error, Result, Step};
use crate::sync::lock;

mod worker;

pub(crate) use worker::Worker;

/// The elements of one queue that this process holds, and the callers that wait for them.
#[derive(Debug)]
pub(crate) struct Intake {
    state: Mutex<State>,
    /// One permit for each element in `State::ready`; closed when no more are handed over.
    ready: Semaphore,
    /// Rung when there is something to do for the worker.
    work: Notify,
    /// Rung when the intake is closed.
    closing: Notify,
    /// Why the last round with Redis failed; nothing after a round that went well.
    trouble: watch::Sender<Option<Failure>>,
}

#[derive(Debug, Default)]
struct State {
    /// Claimed and not handed over, the oldest first.
    ready: VecDeque<Leased>,
    /// Leases of elements that were handed over, to be ended in Redis.
    handed_over: Vec<Bytes>,
    /// How many callers wait.
    waiting: usize,
    /// Callers that want to know when one more claim is done.
    probes: Vec<oneshot::Sender<()>>,
    /// Something may be there to claim.
    hinted: bool,
}

#[derive(Debug)]
struct Leased {
    /// As it stands in the set of leases.
    member: Bytes,
    payload: Bytes,
    /// After this moment too little of the lease is left to hand the element over.
    usable_until: Instant,
}

/// How long a caller waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    Forever,
    /// For one claim.
    Once,
    Until(Instant),
}

impl Intake {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::default(),
            ready: Semaphore::new(0),
            work: Notify::new(),
            closing: Notify::new(),
            trouble: watch::Sender::new(None),
        }
    }

    /// Says that there may be something to claim.
    pub(crate) fn hint(&self) {
        lock(&self.state).hinted = true;
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
        let mut trouble = self.trouble.subscribe();
        let waiting = Waiting::new(self);
        let probe = match patience {
            Patience::Once => Some(self.probe()),
            Patience::Forever | Patience::Until(_) => None,
        };
        let mut given_up = pin!(async move {
            match (patience, probe) {
                (Patience::Until(deadline), _) => sleep_until(deadline.into()).await,
                (_, Some(probe)) => drop(probe.await),
                _ => pending().await,
            }
        });
        // Kept throughout, for it holds this caller's place in the line.
        let mut permit = pin!(self.ready.acquire());
        loop {
            tokio::select! {
                // First what is there, so that a caller without patience gets it.
                biased;
                permitted = &mut permit => {
                    permitted.map_err(|_| Error::Closed)?.forget();
                    // No await from here on: a future dropped while it waits has taken nothing.
                    if let Some(payload) = self.hand_over() {
                        drop(waiting);
                        return Ok(Some(payload));
                    }
                    permit.set(self.ready.acquire());
                }
                // The worker goes on trying, but a caller should know of what will not pass by itself.
                _ = trouble.changed() => {
                    let failure = trouble.borrow_and_update().clone();
                    if let Some(failure) = failure.filter(Failure::is_refusal) {
                        return Err(failure.into_error(Step::Claim));
                    }
                }
                () = &mut given_up => {
                    let failure = trouble.borrow().clone();
                    return failure.map_or(Ok(None), |it| Err(it.into_error(Step::Claim)));
                }
            }
        }
    }

    fn probe(&self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.state).probes.push(sender);
        self.work.notify_one();
        receiver
    }

    fn hand_over(&self) -> Option<Bytes> {
        // There are leases to end, or, if all had run out, elements to claim.
        self.work.notify_one();
        let mut state = lock(&self.state);
        let now = Instant::now();
        while let Some(leased) = state.ready.pop_front() {
            // What cannot be used any more is claimed again, by whoever comes first, when it runs
            // out.
            if leased.usable_until > now {
                state.handed_over.push(leased.member);
                return Some(leased.payload);
            }
        }
        None
    }
}

/// Counts a caller among those that wait, until dropped.
struct Waiting<'a>(&'a Intake);

impl<'a> Waiting<'a> {
    fn new(intake: &'a Intake) -> Self {
        lock(&intake.state).waiting += 1;
        intake.work.notify_one();
        Self(intake)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).waiting -= 1;
        self.0.work.notify_one();
    }
}
