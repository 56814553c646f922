//! Which leases Redis was asked to end before the hand-over, and under which token.
//!
//! Pure bookkeeping: `settle` sends the calls.

use crate::delivery::intake::leased::Leased;
use crate::wire::script::{Lease, SettleToken};

/// The elements whose leases Redis is asked to end, one call at a time.
#[derive(Debug)]
pub(super) struct Settlement {
    incarnation: [u8; 8],
    /// Numbers the calls.
    calls: u64,
    /// The call that Redis has not answered.
    open: Option<Call>,
    /// The last call that Redis answered.
    answered: Option<SettleToken>,
}

/// One call to end leases.
#[derive(Debug)]
struct Call {
    token: SettleToken,
    leased: Vec<Leased>,
}

impl Settlement {
    pub(super) fn new(incarnation: [u8; 8]) -> Self {
        Self {
            incarnation,
            calls: 0,
            open: None,
            answered: None,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The leases that Redis was asked to end and may have ended.
    pub(super) fn leases(&self) -> impl Iterator<Item = Lease> {
        let leased = self.open.iter().flat_map(|call| &call.leased);
        leased.map(|it| it.lease)
    }

    /// The tokens of the open call and of the one before.
    pub(super) fn tokens(&self) -> Option<(SettleToken, Option<SettleToken>)> {
        let open = self.open.as_ref()?;
        Some((open.token, self.answered))
    }

    /// Opens a call for these elements, if there are any.
    pub(super) fn propose(&mut self, leased: Vec<Leased>) {
        if leased.is_empty() {
            return;
        }
        self.calls += 1;
        self.open = Some(Call {
            token: SettleToken::new(self.incarnation, self.calls),
            leased,
        });
    }

    /// Notes Redis's answer to the open call: the numbers of the leases that are gone, from 1.
    /// Returns the elements that now belong to this process. If some are gone, Redis has ended
    /// none, and the others are proposed anew.
    pub(super) fn answer(&mut self, gone: &[usize]) -> Vec<Leased> {
        let Some(Call { token, leased }) = self.open.take() else {
            return Vec::new();
        };
        if gone.is_empty() {
            self.answered = Some(token);
            return leased;
        }
        // Other clients have claimed these since.
        let numbered = leased.into_iter().zip(1..);
        let rest = numbered.filter(|(_, number)| !gone.contains(number));
        self.propose(rest.map(|(leased, _)| leased).collect());
        Vec::new()
    }
}
