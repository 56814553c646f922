//! On which terms a worker claims.

use std::sync::Arc;
use std::time::Duration;

use crate::side::Side;
use crate::wire::script::{Consumption, Grouping, LeaseSet};

/// What a worker claims, and for whom.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// The side of the queue from which it claims.
    pub(crate) side: Side,
    /// How long leases last.
    pub(crate) lease: Duration,
    /// The most elements to claim ahead of callers.
    pub(crate) most_ahead: usize,
    pub(crate) mode: Mode,
}

/// When elements leave Redis.
#[derive(Clone, Debug)]
pub(crate) enum Mode {
    /// With the claim, which takes no lease.
    Pop,
    /// At the hand-over.
    Take,
    /// When the caller acknowledges them.
    Consume(Arc<Consumption>),
}

impl Terms {
    pub(super) fn pops(&self) -> bool {
        matches!(self.mode, Mode::Pop)
    }

    /// The settings of a consumer. None for callers who take.
    pub(super) fn consumption(&self) -> Option<&Arc<Consumption>> {
        match &self.mode {
            Mode::Pop | Mode::Take => None,
            Mode::Consume(consumption) => Some(consumption),
        }
    }

    /// Where the leases stand.
    pub(super) fn set(&self) -> LeaseSet {
        match self.consumption() {
            None => LeaseSet::Claims,
            Some(_) => LeaseSet::Deliveries,
        }
    }

    /// How deliveries are sorted into groups. None if they have none.
    pub(super) fn grouping(&self) -> Option<&Grouping> {
        let consumption = self.consumption()?;
        consumption.is_grouped().then_some(&consumption.grouping)
    }
}
