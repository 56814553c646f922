//! Finding the elements that a claim leased although its reply was lost.

use tokio::time::Instant;

use super::Worker;
use super::claim::Arrival;
use super::trouble::Part;
use crate::link::clock::after_us;
use crate::link::connection::Failure;
use crate::sync::lock;
use crate::wire::script::{self, Lease};

impl Worker {
    /// Recovers if it is time.
    pub(super) async fn recover_if_due(&mut self) -> Result<(), Failure> {
        if !self.lost_claims.are_due() {
            return Ok(());
        }
        let recovered = self.recover().await;
        recovered.inspect_err(|failure| self.caution.failed(failure))?;
        self.lost_claims
            .looked(self.station.options.longest_pause());
        Ok(())
    }

    /// Lets the rest of the work go on if the recovery cannot succeed: the server refuses it until
    /// somebody changes something there, or an element is too large for any reply. The elements come
    /// again when their leases run out.
    pub(super) fn go_on_without_recovery(&mut self, failure: Failure) -> Result<(), Failure> {
        if !failure.is_refusal() {
            if !self.caution.is_in_vain() {
                return Err(failure);
            }
            self.lost_claims
                .look_after(self.station.options.longest_pause());
            return Ok(());
        }
        self.trouble.fail_instead();
        self.report_refusal(&failure);
        self.lost_claims
            .looked(self.station.options.longest_pause());
        if self.lost_claims.look_at().is_none() {
            self.succeeded(Part::Recover);
        }
        Ok(())
    }

    /// Asks Redis for leases of lost claims that this worker does not know, and adds their elements. It
    /// does not know the lease of another claim either if a caller's decision about the element failed.
    async fn recover(&mut self) -> Result<(), Failure> {
        self.trouble.begin(Part::Recover);
        let (mut cursor, mut unsorted) = (None, Vec::<Arrival>::new());
        loop {
            let mut known: Vec<Lease> = unsorted.iter().map(|it| it.lease).collect();
            known.extend(lock(&self.station.intake.state).holdings.leases());
            let (keys, set, incarnation) = (
                &self.station.keys,
                self.station.terms.set(),
                self.claims.incarnation,
            );
            let (sent, at) = (Instant::now(), cursor.as_ref());
            let most = self.caution.most_bytes();
            let link = self.station.route.delivery();
            let step = link
                .call(|it| script::recover(it, keys, set, incarnation, &known, most, at))
                .await?;
            let usable_until = |us| after_us(sent, us).checked_sub(self.station.reserve());
            let found = step.found.into_iter();
            let found = found.filter(|(lease, ..)| self.lost_claims.contains(lease));
            let found = found.map(|(lease, bytes, us)| Arrival {
                lease,
                bytes,
                usable_until: usable_until(us).unwrap_or(sent),
            });
            let has_groups = self.station.terms.grouping().is_some();
            let is_sorted = |it: &Arrival| !has_groups || it.lease.has_group();
            let (sorted, others): (Vec<_>, Vec<_>) = found.partition(is_sorted);
            unsorted.extend(others);
            let sorted = self.join(sorted).await?;
            self.add(sorted);
            cursor = step.next;
            if cursor.is_none() {
                break;
            }
        }
        // Only now is the order complete in which they join their groups.
        unsorted.sort_by_key(|it| it.lease.claim());
        let sorted = self.join(unsorted).await?;
        self.add(sorted);
        self.succeeded(Part::Recover);
        Ok(())
    }
}
