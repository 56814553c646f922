//! Popping elements, for a client that wants each of them
//! [at most once](crate::ClientBuilder::at_most_once).

use std::time::Duration;

use tokio::time::Instant;

use super::Worker;
use super::claim::Catch;
use super::fetcher::Fetcher;
use crate::link::connection::Failure;
use crate::wire::script::{self, Claim};

impl Worker {
    /// How many times the usual time the reply with a large payload may take. A second attempt would
    /// not find the payload.
    const PATIENCE: usize = Fetcher::MOST_STRETCH;

    /// Takes up to `count` elements out of Redis, without leases. A lost reply loses them.
    pub(super) async fn pop(&mut self, count: usize) -> Result<Catch, Failure> {
        let mut pop = Claim {
            side: self.station.terms.side,
            count,
            ahead: 0,
            lease: Duration::ZERO,
            claimant: self.claims.claimant(),
            most_bytes: self.caution.most_bytes(),
            is_careful: self.caution.is_careful(),
            leaves_large: true,
        };
        let (keys, sent) = (&self.station.keys, Instant::now());
        let link = self.station.route.delivery();
        let mut popped = link.call(|it| script::claim(it, keys, &pop)).await?;
        if let Some(bytes) = popped.left_large.filter(|_| popped.leases.is_empty()) {
            self.station
                .report_quarantined(std::mem::take(&mut popped.quarantined));
            pop.count = 1;
            pop.leaves_large = false;
            let large = self.station.route.large();
            popped = large
                .call(bytes * Self::PATIENCE, |it| script::claim(it, keys, &pop))
                .await?;
        }
        self.station.intake.meter.claimed(sent.elapsed());
        Ok(self.catch(popped, sent, Duration::ZERO))
    }
}
