//! Giving elements back: to the target queue, or deliveries after their first attempt to the retries.

use std::time::Instant;

use bytes::Bytes;

use super::{Part, Worker};
use crate::delivery::intake::Signal;
use crate::link::connection::Failure;
use crate::options::Options;
use crate::sync::lock;
use crate::wire::script::{self, Lease};

impl Worker {
    /// Gives back the elements in `returning`. They stay there until Redis confirms: a command
    /// whose reply was lost may run late, so callers must not get these elements any more.
    pub(super) async fn give_back(&mut self) -> Result<(), Failure> {
        if self.returning.is_empty() {
            return Ok(());
        }
        self.part = Part::GiveBack;
        let (keys, side) = (&self.keys, self.terms.side);
        let (owned, leased) = self.sort_returning();
        if !leased.is_empty() {
            self.give_back_leased(&leased).await?;
        }
        if !owned.is_empty() {
            let bytes = owned.iter().map(|(_, payload)| payload.len()).sum();
            let remember = Options::id_memory(bytes);
            self.route
                .delivery()
                .call_sized(bytes, |connection| {
                    script::restore(connection, keys, side, remember, &owned)
                })
                .await?;
            let mut state = lock(&self.intake.state);
            state
                .owned
                .retain(|lease, _| !self.returning.contains(lease));
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
        let side = self.terms.side;
        if self.terms.consumption().is_none() {
            let given = link.call(|it| script::give_back(it, keys, side, leased));
            return given.await.map(drop);
        }
        let channel = keys.moved(link.database());
        link.call(|it| script::unconsume(it, keys, &channel, leased))
            .await?;
        self.sides.tell_retry(Instant::now());
        Ok(())
    }

    /// Sorts `returning` into elements whose leases have ended, and leases that still stand.
    fn sort_returning(&self) -> (Vec<(Lease, Bytes)>, Vec<Lease>) {
        let state = lock(&self.intake.state);
        let (mut owned, mut leased) = (Vec::new(), Vec::new());
        for lease in &self.returning {
            match state.owned.get(lease) {
                Some(payload) => owned.push((*lease, payload.clone())),
                None => leased.push(*lease),
            }
        }
        (owned, leased)
    }
}
