//! Finding the elements that a claim leased although its reply was lost.

use std::time::Instant;

use super::claim::Arrival;
use super::{Part, Worker};
use crate::link::clock::after_us;
use crate::link::connection::Failure;
use crate::sync::lock;
use crate::wire::script::{self, Lease};

impl Worker {
    /// Asks Redis for leases of this worker that it does not know, and adds their elements.
    pub(super) async fn recover(&mut self) -> Result<(), Failure> {
        self.part = Part::Recover;
        loop {
            let known: Vec<Lease> = {
                let state = lock(&self.intake.state);
                let known = state.leases().chain(&self.returning).copied();
                known.chain(self.settlement.leases()).collect()
            };
            let (keys, incarnation) = (&self.keys, self.incarnation);
            let sent = Instant::now();
            let link = self.route.delivery();
            let unknown = if self.terms.consumption().is_some() {
                link.call(|it| script::recover_deliveries(it, keys, incarnation, &known))
                    .await?
            } else {
                link.call(|it| script::recover(it, keys, incarnation, &known))
                    .await?
            };
            if unknown.is_empty() {
                break;
            }
            let usable_until = |us| after_us(sent, us).checked_sub(self.reserve());
            let found = unknown.into_iter().map(|(lease, bytes, us)| Arrival {
                lease,
                bytes,
                usable_until: usable_until(us).unwrap_or(sent),
            });
            let found = self.join(found.collect()).await?;
            self.add(found);
        }
        self.succeeded(Part::Recover);
        let next = Instant::now() + self.options.longest_pause();
        self.recover_at = (next < self.unsure_until).then_some(next);
        Ok(())
    }
}
