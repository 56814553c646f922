//! The metrics of this crate: their names, kinds and meanings.
//!
//! A client records them through the crate `metrics`, with the recorder that is installed when the
//! queue is opened. So install the recorder before you connect. `docs/monitoring.md` has a table
//! of all metrics, a dashboard and alerts.
//!
//! # Examples
//!
//! Buckets for the exporter to Prometheus. Without them it exports quantiles, which cannot be added
//! over several processes.
//!
//! ```no_run
//! use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
//! use redisson_delayed_queue::metrics::{PREFIX, SECONDS};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! PrometheusBuilder::new()
//!     .set_buckets_for_metric(Matcher::Prefix(PREFIX.to_owned()), &SECONDS)?
//!     .install_recorder()?;
//! # Ok(()) }
//! ```

use metrics::Unit;

/// What the names of all metrics begin with.
pub const PREFIX: &str = "redisson_delayed_queue_";

/// The label with the queue's name, as your code calls the queue.
pub const QUEUE: &str = "queue";

/// Bounds of buckets for the histograms, all of which are in seconds: from half a millisecond to an
/// hour.
pub const SECONDS: [f64; 18] = [
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
    600.0, 3600.0,
];

/// One metric.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Its unit.
    pub unit: Unit,
    /// Its labels.
    pub labels: &'static [&'static str],
    /// What it says.
    pub meaning: &'static str,
}

/// The kinds of metrics.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// A number that only grows.
    Counter,
    /// A number that goes up and down.
    Gauge,
    /// Many measurements, of which the distribution is recorded.
    Histogram,
}

/// Defines a constant for each name, and the list of all.
macro_rules! metrics {
    ($($constant:ident = $name:literal: $kind:ident, $unit:ident, $labels:expr, $meaning:literal;)*) => {
        $(
            #[doc = $meaning]
            #[doc = ""]
            #[doc = concat!("`redisson_delayed_queue_", $name, "`")]
            pub const $constant: &str = concat!("redisson_delayed_queue_", $name);
        )*

        /// All metrics.
        pub const ALL: &[Metric] = &[
            $(Metric {
                name: $constant,
                kind: Kind::$kind,
                unit: Unit::$unit,
                labels: $labels,
                meaning: $meaning,
            },)*
        ];
    };
}

metrics! {
    ACKNOWLEDGEMENTS = "acknowledgements_total": Counter, Count, &[QUEUE],
        "Elements that consumers of this process acknowledged.";
    ADDED_MESSAGES = "added_messages_total": Counter, Count, &[QUEUE],
        "Elements that this process offered.";
    CLAIM_DURATION = "claim_duration_seconds": Histogram, Seconds, &[QUEUE],
        "How long claims took, from sending the script to its reply.";
    DEAD_LETTERED_MESSAGES = "dead_lettered_messages_total": Counter, Count, &[QUEUE],
        "Elements that this process moved to the dead letters.";
    DEAD_LETTERS = "dead_letters": Gauge, Count, &[QUEUE],
        "Dead letters in their queue at the last claim of a consumer.";
    EXPIRED_MESSAGES = "expired_messages_total": Counter, Count, &[QUEUE],
        "Elements that this process dropped because their expiry time had passed.";
    FAILED_ACKNOWLEDGEMENTS = "failed_acknowledgements_total": Counter, Count, &[QUEUE],
        "Attempts of consumers of this process that failed, to be retried or buried.";
    FAILED_TRANSFERS = "failed_transfers_total": Counter, Count, &[QUEUE],
        "Runs of the transfer that failed.";
    HANDLER_DURATION = "handler_duration_seconds": Histogram, Seconds, &[QUEUE],
        "How long handlers took for an element.";
    IN_FLIGHT_MESSAGES = "in_flight_messages": Gauge, Count, &[QUEUE],
        "Deliveries that callers in this process have, until Redis confirms what was decided.";
    LATENESS = "lateness_seconds": Histogram, Seconds, &[QUEUE],
        "How long after its due time this process moved an element to the target queue.";
    PAUSED = "paused": Gauge, Count, &[QUEUE],
        "1 while the queue is paused, else 0.";
    PENDING_MESSAGES = "pending_messages": Gauge, Count, &[QUEUE],
        "Elements that wait to be moved to the target queue.";
    POLLED_MESSAGES = "polled_messages_total": Counter, Count, &[QUEUE],
        "Elements that callers in this process got. Each attempt counts.";
    QUARANTINED_MESSAGES = "quarantined_messages_total": Counter, Count, &[QUEUE],
        "Malformed members that this process moved to the quarantine.";
    READY_MESSAGES = "ready_messages": Gauge, Count, &[QUEUE],
        "Elements that nobody had taken from the target queue when the last run of the transfer came.";
    RECONNECTED_CONNECTIONS = "reconnected_connections_total": Counter, Count, &["server", "socket"],
        "Connections to Redis that replaced a lost one.";
    REJECTED_ACKNOWLEDGEMENTS = "rejected_acknowledgements_total": Counter, Count, &[QUEUE],
        "Elements that consumers of this process rejected.";
    TRANSFER_DURATION = "transfer_duration_seconds": Histogram, Seconds, &[QUEUE],
        "How long successful runs of the transfer took, from sending the script to its reply.";
    TRANSFERRED_MESSAGES = "transferred_messages_total": Counter, Count, &[QUEUE],
        "Elements that this process moved to the target queue.";
}
