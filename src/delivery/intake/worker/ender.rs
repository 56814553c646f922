//! The end of leases, sent as soon as elements are handed over.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use futures::stream::{FuturesUnordered, StreamExt};
use tokio::time::sleep_until;

use super::Worker;
use crate::delivery::intake::Intake;
use crate::error::{Result, Step};
use crate::link::backoff::Backoff;
use crate::link::connection::{Failure, Link};
use crate::options::Options;
use crate::sync::lock;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{self, Lease};

/// Ends the leases of elements that were handed over. It waits for no claim and for no earlier end:
/// if the process is killed before Redis has ended a lease, the element is delivered again.
#[derive(Debug)]
pub(super) struct Ender {
    intake: Arc<Intake>,
    link: Arc<Link>,
    keys: Arc<QueueKeys>,
    options: Options,
}

impl Ender {
    /// How many commands may be on their way at once. Each ends everything that was handed over
    /// since the one before, so there are few unless the network is slow.
    const MOST_UNDER_WAY: usize = 64;

    pub(super) fn new(worker: &Worker) -> Self {
        Self {
            intake: Arc::clone(&worker.intake),
            link: Arc::clone(&worker.link),
            keys: Arc::clone(&worker.keys),
            options: worker.options.clone(),
        }
    }

    /// Works until `finished` says that nothing more can be handed over, and all leases have ended.
    /// An error says that some leases could not be ended; their elements are delivered again.
    pub(super) async fn run(self, finished: impl Future<Output = ()>) -> Result<()> {
        let mut finished = pin!(finished);
        let mut under_way = FuturesUnordered::new();
        let mut backoff = Backoff::new(self.options.longest_pause());
        // After a failure, nothing is sent before this moment.
        let mut resume_at: Option<Instant> = None;
        // Set at the end: when to leave leases that cannot be ended.
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
            let resume = sleep_until(resume_at.unwrap_or_else(Instant::now).into());
            tokio::select! {
                // The worker is done.
                () = &mut finished, if give_up_at.is_none() => {
                    give_up_at = Some(Instant::now() + self.options.offer_window());
                }
                // Elements were handed over.
                () = self.intake.ending.notified(), if resume_at.is_none() => {}
                // A pause is over.
                () = resume, if resume_at.is_some() => resume_at = None,
                // Redis answered, or did not.
                Some((leases, ended)) = under_way.next() => {
                    lock(&self.intake.state).finish_ending(&leases, ended.is_ok());
                    let Err(failure) = ended else {
                        backoff.reset();
                        continue;
                    };
                    let at = Instant::now() + backoff.next();
                    if give_up_at.is_some_and(|give_up_at| at >= give_up_at) {
                        let error = failure.into_error(Step::GiveBack);
                        return Err(error.on_queue(self.keys.target()));
                    }
                    resume_at = Some(at);
                }
            }
        }
    }

    fn next(&self) -> Option<Arc<[Lease]>> {
        lock(&self.intake.state).begin_ending(Worker::BATCH)
    }

    async fn end(&self, leases: Arc<[Lease]>) -> (Arc<[Lease]>, Result<(), Failure>) {
        let call = self
            .link
            .call(|it| script::end_leases(it, &self.keys, &leases));
        let ended = call.await;
        (leases, ended)
    }
}
