//! Ending the leases of elements, as soon as callers have them.

use std::pin::pin;
use std::sync::Arc;

use futures::stream::{FuturesUnordered, StreamExt};
use tokio::time::{Instant, sleep_until};

use super::round::Round;
use super::station::Station;
use crate::error::{Result, Step};
use crate::link::connection::Failure;
use crate::link::pauses::Pauses;
use crate::sync::lock;
use crate::wire::script::{self, Lease};

/// Ends the leases of handed-over elements. It waits neither for claims nor for earlier ends, since
/// time counts: if the process is killed before Redis has ended a lease, the element comes again.
#[derive(Debug)]
pub(super) struct Ender {
    station: Arc<Station>,
}

impl Ender {
    /// The most commands under way at once. Each ends all leases since the one before, so there are
    /// few unless the network is slow.
    const MOST_UNDER_WAY: usize = 64;

    pub(super) fn new(station: Arc<Station>) -> Self {
        Self { station }
    }

    /// Works until `finished` says that no more elements will be handed over, and all leases have
    /// ended. Fails if some could not be ended; their elements are delivered again.
    pub(super) async fn run(self, finished: impl Future<Output = ()>) -> Result<()> {
        let mut finished = pin!(finished);
        let mut under_way = FuturesUnordered::new();
        let mut pauses = Pauses::new(self.station.options.longest_pause());
        // After a failure, nothing is sent before this moment.
        let mut resume_at: Option<Instant> = None;
        // Set at the end: when to give up on leases that cannot be ended.
        let mut give_up_at: Option<Instant> = None;
        loop {
            if resume_at.is_none() {
                while under_way.len() < Self::MOST_UNDER_WAY
                    && let Some(leases) = self.next()
                {
                    under_way.push(self.end(leases));
                }
                if give_up_at.is_some() && under_way.is_empty() {
                    return Ok(());
                }
            }
            let resume = sleep_until(resume_at.unwrap_or_else(Instant::now));
            tokio::select! {
                // The worker is done.
                () = &mut finished, if give_up_at.is_none() => {
                    give_up_at = Some(Instant::now() + self.station.options.offer_window());
                }
                // Elements were handed over.
                () = self.station.intake.ending.notified(), if resume_at.is_none() => {}
                // A pause is over.
                () = resume, if resume_at.is_some() => resume_at = None,
                // Redis answered, or the call failed.
                Some((leases, ended)) = under_way.next() => {
                    lock(&self.station.intake.state)
                        .holdings
                        .finish_ending(&leases, ended.is_ok());
                    let Err(failure) = ended else {
                        pauses.reset();
                        continue;
                    };
                    let at = Instant::now() + pauses.next();
                    if give_up_at.is_some_and(|give_up_at| at >= give_up_at) {
                        let error = failure.into_error(Step::EndLeases);
                        return Err(error.on_queue(self.station.keys.name()));
                    }
                    resume_at = Some(at);
                }
            }
        }
    }

    fn next(&self) -> Option<Arc<[Lease]>> {
        lock(&self.station.intake.state)
            .holdings
            .begin_ending(Round::BATCH)
    }

    async fn end(&self, leases: Arc<[Lease]>) -> (Arc<[Lease]>, Result<(), Failure>) {
        let link = self.station.route.delivery();
        let ended = link
            .call(|it| script::end_leases(it, &self.station.keys, &leases))
            .await;
        (leases, ended)
    }
}
