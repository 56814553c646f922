//! Giving elements back: to the target queue, or deliveries after their first attempt to the retries.

use bytes::Bytes;
use tokio::time::Instant;

use super::Worker;
use super::trouble::Part;
use crate::delivery::intake::Signal;
use crate::link::connection::Failure;
use crate::sync::lock;
use crate::wire::script::{self, Lease};

impl Worker {
    /// Gives back the elements that the last plan chose. They stay among the holdings until Redis
    /// confirms: a command whose reply was lost may run late, so callers must not get these elements
    /// any more.
    pub(super) async fn give_back(&mut self) -> Result<(), Failure> {
        let (leased, popped): (Vec<Lease>, Vec<Option<Bytes>>) = {
            let state = lock(&self.station.intake.state);
            let returning = state.holdings.returning.iter();
            returning.map(|it| (it.lease, it.popped.clone())).unzip()
        };
        let popped: Vec<Bytes> = popped.into_iter().flatten().collect();
        if leased.is_empty() {
            return Ok(());
        }
        self.trouble.begin(Part::GiveBack);
        if popped.is_empty() {
            self.give_back_leased(&leased).await?;
        } else {
            self.push(&popped).await?;
        }
        self.forget_returning();
        self.succeeded(Part::GiveBack);
        // Redis does not report a client's own writes to it.
        self.station.sides.tell(Signal::Claimable);
        Ok(())
    }

    /// Lets the rest of the work go on if the server refuses popped elements, because it is full or
    /// lacks a right: callers can still have them.
    pub(super) fn go_on_without_giving_back(&mut self, failure: Failure) -> Result<(), Failure> {
        let is_refused = matches!(failure, Failure::Refused(_)) && !failure.is_redirect();
        let intake = &self.station.intake;
        if !is_refused || !self.station.terms.pops() || intake.ready.is_closed() {
            return Err(failure);
        }
        self.trouble.fail_instead();
        self.report_refusal(&failure);
        let state = &mut *lock(&self.station.intake.state);
        let count = state.holdings.keep_returning();
        // Under the lock: elements and permits are counted together.
        self.station.intake.ready.add_permits(count);
        self.surplus_since = None;
        Ok(())
    }

    /// Notes that the elements went back, or that nobody knows whether they did.
    fn forget_returning(&self) {
        lock(&self.station.intake.state).holdings.returning.clear();
    }

    /// Gives back elements whose leases still stand.
    async fn give_back_leased(&self, leased: &[Lease]) -> Result<(), Failure> {
        let (keys, link) = (&self.station.keys, self.station.route.delivery());
        let (set, side) = (self.station.terms.set(), self.station.terms.side);
        let channel = keys.moved(link.database());
        link.call(|it| script::give_back(it, keys, &channel, set, side, leased))
            .await?;
        if self.station.terms.consumption().is_some() {
            self.station.sides.tell_retry(Instant::now());
        }
        Ok(())
    }

    /// Gives back popped elements, the oldest first. After a lost reply they may be back, and are not
    /// sent again: they must not come twice.
    async fn push(&mut self, popped: &[Bytes]) -> Result<(), Failure> {
        let (keys, side) = (&self.station.keys, self.station.terms.side);
        let bytes = popped.iter().map(Bytes::len).sum();
        let link = self.station.route.delivery();
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
            self.forget_returning();
        }
        pushed
    }
}
