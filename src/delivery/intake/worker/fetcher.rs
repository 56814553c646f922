//! Large payloads, fetched one at a time.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::time::sleep;

use super::Worker;
use crate::delivery::intake::{Intake, Large, Leased};
use crate::link::backoff::Backoff;
use crate::link::connection::{BYTES_A_MS, Failure, LargeLink};
use crate::sync::lock;
use crate::wire::keys::QueueKeys;
use crate::wire::script;

/// Fetches the payloads of large elements that the worker has claimed, on a connection that nothing
/// else waits for.
#[derive(Debug)]
pub(super) struct Fetcher {
    intake: Arc<Intake>,
    link: Arc<LargeLink>,
    keys: Arc<QueueKeys>,
    backoff: Backoff,
    /// How many times the usual time a fetch is given: the network may be slow.
    stretch: usize,
    /// Leases are ended before the hand-over.
    settles_first: bool,
}

impl Fetcher {
    /// The most for [`stretch`](Self::stretch): what a network of 0.5 Mbit/s needs.
    const MOST_STRETCH: usize = 64;

    pub(super) fn new(worker: &Worker) -> Self {
        Self {
            intake: Arc::clone(&worker.intake),
            link: Arc::clone(&worker.large),
            keys: Arc::clone(&worker.keys),
            backoff: Backoff::new(worker.options.longest_pause()),
            stretch: 1,
            settles_first: worker.options.at_most_once,
        }
    }

    /// Works until dropped. The element that is on its way then is given back by the worker.
    pub(super) async fn run(mut self) {
        loop {
            let next = lock(&self.intake.state).fetching.front().copied();
            let Some(large) = next else {
                self.intake.fetching.notified().await;
                continue;
            };
            if large.usable_until <= Instant::now() {
                self.give_up(&large);
                continue;
            }
            let fetched = self
                .link
                .call(self.bytes_to_allow_for(&large), |it| {
                    script::fetch_lease(it, &self.keys, large.lease)
                })
                .await;
            if let Err(failure) = &fetched {
                self.take_longer(failure);
            }
            match fetched {
                Ok(payload) => {
                    self.backoff.reset();
                    self.settle(&large, payload);
                }
                Err(failure) => {
                    tracing::debug!(?failure, bytes = large.bytes, "cannot fetch a payload");
                    sleep(self.backoff.next()).await;
                }
            }
        }
    }

    /// For how many bytes to allow: more than there are after fetches that did not end in time, but
    /// none that take longer than the element is of use.
    fn bytes_to_allow_for(&self, large: &Large) -> usize {
        let left = large.usable_until.saturating_duration_since(Instant::now());
        let most = usize::try_from(left.as_millis()).map_or(usize::MAX, |ms| ms * BYTES_A_MS);
        (large.bytes * self.stretch).min(most).max(large.bytes)
    }

    /// Gives the fetches from now on more time if one was cut off. The next element has it from the
    /// beginning, since its lease may leave no time for another attempt.
    fn take_longer(&mut self, failure: &Failure) {
        if matches!(failure, Failure::Lost(error) if error.is_timeout()) {
            self.stretch = (2 * self.stretch).min(Self::MOST_STRETCH);
        }
    }

    /// Makes an element ready to be handed over, unless its lease is gone.
    fn settle(&self, large: &Large, payload: Option<Bytes>) {
        let mut state = lock(&self.intake.state);
        state.fetching.retain(|it| it.lease != large.lease);
        if let Some(payload) = payload {
            let leased = Leased {
                lease: large.lease,
                payload,
                usable_until: large.usable_until,
            };
            self.intake
                .add(&mut state, vec![leased], self.settles_first);
        }
        drop(state);
        self.intake.work.notify_one();
    }

    /// Has the worker give an element back that cannot be handed over in time any more. It is
    /// another client's if its lease has run out.
    fn give_up(&self, large: &Large) {
        let mut state = lock(&self.intake.state);
        state.fetching.retain(|it| it.lease != large.lease);
        state.lapsed.push(large.lease);
        drop(state);
        self.intake.work.notify_one();
    }
}
