//! Large payloads, fetched one at a time.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::time::sleep;

use super::Worker;
use crate::backoff::Backoff;
use crate::connection::LargeLink;
use crate::intake::{Intake, Large, Leased};
use crate::keys::QueueKeys;
use crate::script;
use crate::sync::lock;

/// Fetches the payloads of large elements that the worker has claimed, on a connection that nothing
/// else waits for.
#[derive(Debug)]
pub(super) struct Fetcher {
    intake: Arc<Intake>,
    link: Arc<LargeLink>,
    keys: Arc<QueueKeys>,
    backoff: Backoff,
    /// Leases are ended before the hand-over.
    settles_first: bool,
}

impl Fetcher {
    pub(super) fn new(worker: &Worker) -> Self {
        Self {
            intake: Arc::clone(&worker.intake),
            link: Arc::clone(&worker.large),
            keys: Arc::clone(&worker.keys),
            backoff: Backoff::new(worker.options.longest_pause()),
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
                .call(large.bytes, |it| {
                    script::fetch_lease(it, &self.keys, large.lease)
                })
                .await;
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
