//! What the tasks of a worker share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::round_trip::RoundTrip;
use crate::delivery::intake::{Intake, Sides, Terms};
use crate::delivery_id::DeliveryId;
use crate::event::{Event, Reporter};
use crate::link::nodes::Route;
use crate::options::Options;
use crate::sync::lock;
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
    pub(crate) round_trip: Mutex<RoundTrip>,
}

impl Station {
    /// The last part of a lease. No element is handed over during it: it is kept for the command
    /// that ends the lease.
    pub(super) fn reserve(&self) -> Duration {
        self.terms.lease / 3
    }

    /// How long the leases of a claim or an extension last.
    pub(super) fn lease(&self) -> Duration {
        self.terms.lease + lock(&self.round_trip).lately()
    }

    /// Learns from how long a command about leases took.
    pub(super) fn learn_round_trip(&self, took: Duration) {
        let is_news = {
            let mut round_trip = lock(&self.round_trip);
            round_trip.learn(took);
            round_trip.is_news(took, self.terms.lease)
        };
        if is_news {
            self.reporter.report(Event::LeaseTooShort {
                queue: self.keys.name().to_owned(),
                lease: self.terms.lease,
                round_trip: took,
            });
        }
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
