//! What the tasks of a worker share.

use std::sync::Arc;
use std::time::Duration;

use crate::delivery::intake::{Intake, Sides, Terms};
use crate::delivery_id::DeliveryId;
use crate::event::{Event, Reporter};
use crate::link::nodes::Route;
use crate::options::Options;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{Consumption, Lease, Quarantined};

/// The queue that a worker claims from, for whom it claims, and the way there.
#[derive(Debug)]
pub(crate) struct Station {
    pub(crate) intake: Arc<Intake>,
    pub(crate) sides: Arc<Sides>,
    pub(crate) terms: Terms,
    /// The way to the node that has the queue.
    pub(crate) route: Route,
    pub(crate) keys: Arc<QueueKeys>,
    pub(crate) options: Options,
    pub(crate) reporter: Reporter,
}

impl Station {
    /// The last part of a lease. No element is handed over during it: it is kept for the command
    /// that ends the lease.
    pub(super) fn reserve(&self) -> Duration {
        self.terms.lease / 3
    }

    /// Reports what a claim took out because it could not read it.
    pub(super) fn report_quarantined(&self, quarantined: Quarantined) {
        let queue = self.keys.name();
        self.reporter.report_quarantined(queue, quarantined);
    }

    /// Reports that a delivery went to the dead letters, with the lease of its last attempt.
    pub(super) fn report_dead_letter(
        &self,
        consumption: &Consumption,
        lease: Lease,
        reason: String,
    ) {
        self.reporter.report(Event::DeadLettered {
            queue: self.keys.name().to_owned(),
            dead_letter_name: consumption.dead.name().to_owned(),
            id: DeliveryId::new(lease.origin()),
            attempts: lease.attempt(),
            reason,
        });
    }
}
