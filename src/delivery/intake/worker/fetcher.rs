//! Fetching large payloads, one at a time.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::{Instant, sleep};

use super::station::Station;
use crate::delivery::intake::leased::{Large, Leased};
use crate::link::connection::{Failure, bytes_within};
use crate::link::pauses::Pauses;
use crate::sync::lock;
use crate::wire::script;

/// Fetches the payloads of claimed large elements, on the connection for large calls.
#[derive(Debug)]
pub(super) struct Fetcher {
    station: Arc<Station>,
    pauses: Pauses,
    /// A fetch gets this many times the usual time, since the network may be slow.
    stretch: usize,
}

impl Fetcher {
    /// The most for [`stretch`](Self::stretch): enough for 0.5 Mbit/s.
    pub(super) const MOST_STRETCH: usize = 64;

    pub(super) fn new(station: Arc<Station>) -> Self {
        Self {
            pauses: Pauses::new(station.options.longest_pause()),
            station,
            stretch: 1,
        }
    }

    /// Works until dropped. The worker then gives back the element that is on its way.
    pub(super) async fn run(mut self) {
        loop {
            let next = lock(&self.station.intake.state)
                .holdings
                .fetching
                .front()
                .copied();
            let Some(large) = next else {
                self.station.intake.fetching.notified().await;
                continue;
            };
            if large.usable_until <= Instant::now() {
                self.give_up(&large);
                continue;
            }
            let fetched = self.fetch(&large).await;
            if let Err(failure) = &fetched {
                self.take_longer(failure);
            }
            match fetched {
                Ok(payload) => {
                    self.pauses.reset();
                    self.add(&large, payload);
                }
                Err(failure) => {
                    tracing::debug!(?failure, bytes = large.bytes, "cannot fetch a payload");
                    sleep(self.pauses.next()).await;
                }
            }
        }
    }

    async fn fetch(&self, large: &Large) -> Result<Option<Bytes>, Failure> {
        let (link, bytes) = (self.station.route.large(), self.bytes_to_allow_for(large));
        let (keys, lease) = (&self.station.keys, large.lease);
        link.call(bytes, |it| script::fetch(it, keys, lease)).await
    }

    /// How many bytes to allow time for: more than the payload's after slow fetches, but no more
    /// than the lease leaves time for.
    fn bytes_to_allow_for(&self, large: &Large) -> usize {
        let left = large.usable_until.saturating_duration_since(Instant::now());
        (large.bytes * self.stretch)
            .min(bytes_within(left))
            .max(large.bytes)
    }

    /// Gives further fetches more time if this one timed out. Later elements get that time at once,
    /// since their leases may leave none for a second attempt.
    fn take_longer(&mut self, failure: &Failure) {
        if matches!(failure, Failure::Lost(error) if error.is_timeout()) {
            self.stretch = (2 * self.stretch).min(Self::MOST_STRETCH);
        }
    }

    /// Makes an element ready for callers, unless its lease is gone.
    fn add(&self, large: &Large, payload: Option<Bytes>) {
        let mut state = lock(&self.station.intake.state);
        state.holdings.fetching.retain(|it| it.lease != large.lease);
        if let Some(payload) = payload {
            let leased = Leased {
                lease: large.lease,
                payload,
                usable_until: Some(large.usable_until),
            };
            self.station.intake.add(&mut state, vec![leased]);
        }
        drop(state);
        self.station.intake.work.notify_one();
    }

    /// Has the worker give back an element that came too late. If the lease has run out, another
    /// client may have the element already.
    fn give_up(&self, large: &Large) {
        let mut state = lock(&self.station.intake.state);
        state.holdings.fetching.retain(|it| it.lease != large.lease);
        state.holdings.lapsed.push(large.lease);
        drop(state);
        self.station.intake.work.notify_one();
    }
}
