//! Giving elements back: to the target queue, or deliveries after their first attempt to the retries.

use bytes::Bytes;
use tokio::time::Instant;

use super::{Part, Worker};
use crate::delivery::intake::Signal;
use crate::link::connection::Failure;
use crate::wire::script::{self, Lease};

impl Worker {
    /// Gives back the elements in `returning`. They stay there until Redis confirms: a command
    /// whose reply was lost may run late, so callers must not get these elements any more.
    pub(super) async fn give_back(&mut self) -> Result<(), Failure> {
        if self.returning.is_empty() {
            return Ok(());
        }
        self.part = Part::GiveBack;
        let popped = self.returning.iter().filter_map(|it| it.popped.clone());
        let popped: Vec<Bytes> = popped.collect();
        if popped.is_empty() {
            let leased: Vec<Lease> = self.returning.iter().map(|it| it.lease).collect();
            self.give_back_leased(&leased).await?;
        } else {
            self.push(&popped).await?;
        }
        self.returning.clear();
        self.succeeded(Part::GiveBack);
        // Redis does not report a client's own writes to it.
        self.sides.tell(Signal::Claimable);
        Ok(())
    }

    /// Gives back elements whose leases still stand.
    async fn give_back_leased(&self, leased: &[Lease]) -> Result<(), Failure> {
        let (keys, link) = (&self.keys, self.route.delivery());
        let (set, side) = (self.terms.set(), self.terms.side);
        let channel = keys.moved(link.database());
        link.call(|it| script::give_back(it, keys, &channel, set, side, leased))
            .await?;
        if self.terms.consumption().is_some() {
            self.sides.tell_retry(Instant::now());
        }
        Ok(())
    }

    /// Gives back popped elements, the oldest first. After a lost reply they may be back, and are not
    /// sent again: they must not come twice.
    async fn push(&mut self, popped: &[Bytes]) -> Result<(), Failure> {
        let (keys, side) = (&self.keys, self.terms.side);
        let bytes = popped.iter().map(Bytes::len).sum();
        let link = self.route.delivery();
        let pushed = link
            .call_sized(bytes, |mut connection| async move {
                let mut push = redis::cmd(side.push());
                push.arg(keys.target());
                for payload in popped.iter().rev() {
                    push.arg(payload.as_ref());
                }
                push.exec_async(&mut connection).await
            })
            .await;
        if matches!(pushed, Err(Failure::Lost(_))) {
            let (queue, count) = (keys.name(), popped.len());
            tracing::warn!(queue, count, "elements that nobody waits for may be lost");
            self.returning.clear();
        }
        pushed
    }
}
