//! The calls that end leases before the hand-over, under
//! [`at_most_once`](crate::ClientBuilder::at_most_once). `settlement` notes which of them Redis has
//! answered.

use std::time::Duration;

use super::{Part, Worker};
use crate::delivery::intake::leased::Leased;
use crate::link::connection::Failure;
use crate::sync::lock;
use crate::wire::script;

impl Worker {
    /// How long Redis remembers that it ended leases. A client that gets no answer for so long
    /// treats the elements as lost.
    const REMEMBERED: Duration = Duration::from_secs(3_600);

    /// Ends the leases of claimed elements, and makes the elements ready. After a lost reply it
    /// asks about the same elements again, so it learns of each whether this client owns it.
    pub(super) async fn settle(&mut self) -> Result<(), Failure> {
        loop {
            if !self.settlement.is_open() {
                let leased = std::mem::take(&mut lock(&self.intake.state).settling);
                self.settlement.propose(leased);
            }
            let Some(tokens) = self.settlement.tokens() else {
                return Ok(());
            };
            self.part = Part::Settle;
            let leases: Vec<_> = self.settlement.leases().collect();
            let keys = &self.keys;
            let gone = self
                .route
                .delivery()
                .call(|it| script::settle_leases(it, keys, tokens, Self::REMEMBERED, &leases))
                .await?;
            let owned = self.settlement.answer(&gone);
            self.own(owned);
            self.succeeded(Part::Settle);
        }
    }

    /// Makes elements ready that exist nowhere but in this process.
    fn own(&self, leased: Vec<Leased>) {
        let mut state = lock(&self.intake.state);
        let owned = leased.iter().map(|it| (it.lease, it.payload.clone()));
        state.owned.extend(owned);
        self.intake.add(&mut state, leased, false);
    }
}
