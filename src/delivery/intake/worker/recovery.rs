//! Finding the elements that a claim leased although its reply was lost.

use tokio::time::Instant;

use super::claim::Arrival;
use super::{Part, Worker};
use crate::link::clock::after_us;
use crate::link::connection::Failure;
use crate::sync::lock;
use crate::wire::script::{self, Lease};

impl Worker {
    /// Asks Redis for leases of lost claims that this worker does not know, and adds their elements. It
    /// does not know the lease of another claim either if a caller's decision about the element failed.
    pub(super) async fn recover(&mut self) -> Result<(), Failure> {
        self.part = Part::Recover;
        let mut cursor = None;
        loop {
            let known: Vec<Lease> = {
                let state = lock(&self.intake.state);
                state.holdings.leases().copied().collect()
            };
            let (keys, set, incarnation) = (&self.keys, self.terms.set(), self.incarnation);
            let (sent, at) = (Instant::now(), cursor.as_ref());
            let link = self.route.delivery();
            let step = link
                .call(|it| script::recover(it, keys, set, incarnation, &known, at))
                .await?;
            let usable_until = |us| after_us(sent, us).checked_sub(self.reserve());
            let is_of_lost = |it: &Lease| self.lost_claims.contains(&it.claim().0);
            let found = step.found.into_iter().filter(|it| is_of_lost(&it.0));
            let found = found.map(|(lease, bytes, us)| Arrival {
                lease,
                bytes,
                usable_until: usable_until(us).unwrap_or(sent),
            });
            let found = self.join(found.collect()).await?;
            self.add(found);
            cursor = step.next;
            if cursor.is_none() {
                break;
            }
        }
        self.succeeded(Part::Recover);
        let next = Instant::now() + self.options.longest_pause();
        self.recover_at = (next < self.unsure_until).then_some(next);
        if self.recover_at.is_none() {
            self.lost_claims.clear();
        }
        Ok(())
    }
}
