//! Leases that are ended before their elements are handed over, where a client asks for that.

use std::time::Duration;

use super::Worker;
use crate::delivery::intake::Leased;
use crate::link::connection::Failure;
use crate::sync::lock;
use crate::wire::script::{self, Lease, SettleToken};

/// Elements whose leases Redis was asked to end.
#[derive(Debug)]
pub(super) struct Unsettled {
    token: SettleToken,
    leased: Vec<Leased>,
}

impl Unsettled {
    pub(super) fn leases(&self) -> impl Iterator<Item = Lease> {
        self.leased.iter().map(|it| it.lease)
    }
}

impl Worker {
    /// How long Redis remembers that it ended leases: a client that gets no answer for so long takes
    /// the elements for gone.
    const REMEMBERED: Duration = Duration::from_secs(3_600);

    /// Ends the leases of what was claimed, and makes it ready then. After a lost reply the same
    /// elements are asked about again, so that each is known to be this client's or another's.
    pub(super) async fn settle(&mut self) -> Result<(), Failure> {
        loop {
            if self.unsettled.is_none() {
                let leased = std::mem::take(&mut lock(&self.intake.state).settling);
                self.propose(leased);
            }
            let Some(unsettled) = &self.unsettled else {
                return Ok(());
            };
            let leases: Vec<_> = unsettled.leases().collect();
            let keys = &self.keys;
            let tokens = (unsettled.token, self.settled_before);
            let gone = self
                .link
                .call(|it| script::settle_leases(it, keys, tokens, Self::REMEMBERED, &leases))
                .await?;
            let Some(Unsettled { token, leased }) = self.unsettled.take() else {
                return Ok(());
            };
            if gone.is_empty() {
                self.settled_before = Some(token);
                self.own(leased);
            } else {
                // Those whose leases ran out are others' by now.
                let numbered = leased.into_iter().zip(1..);
                let rest = numbered.filter(|(_, number)| !gone.contains(number));
                self.propose(rest.map(|(leased, _)| leased).collect());
            }
        }
    }

    /// Elements whose leases are to be ended next.
    fn propose(&mut self, leased: Vec<Leased>) {
        if leased.is_empty() {
            return;
        }
        self.settlements += 1;
        self.unsettled = Some(Unsettled {
            token: SettleToken::new(self.incarnation, self.settlements),
            leased,
        });
    }

    /// Makes elements ready that are in no place but this process.
    fn own(&self, leased: Vec<Leased>) {
        let mut state = lock(&self.intake.state);
        let owned = leased.iter().map(|it| (it.lease, it.payload.clone()));
        state.owned.extend(owned);
        self.intake.add(&mut state, leased, false);
    }
}
