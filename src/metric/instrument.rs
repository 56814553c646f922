//! The instruments of the crate `metrics`, under this crate's names.

pub(crate) use metrics::{Counter, Gauge, Histogram};
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

use super::Meter;
use super::names::{self, Kind};

/// True if anything is recorded.
pub(crate) const IS_ON: bool = true;

impl Meter {
    /// The metrics of the queue that users call `queue`, at the recorder that is installed now. It
    /// shares the histograms with other queues unless it `has_histograms` of its own.
    pub(crate) fn of(queue: &str, has_histograms: bool) -> Self {
        let labels = [(names::QUEUE, queue.to_owned())];
        let counter = |name| counter!(name, &labels);
        let gauge = |name| gauge!(name, &labels);
        let histogram = |name| match has_histograms {
            true => histogram!(name, &labels),
            false => histogram!(name),
        };
        Self {
            acknowledgements: counter(names::ACKNOWLEDGEMENTS),
            added_messages: counter(names::ADDED_MESSAGES),
            claim_duration: histogram(names::CLAIM_DURATION),
            dead_lettered_messages: counter(names::DEAD_LETTERED_MESSAGES),
            dead_letters: gauge(names::DEAD_LETTERS),
            expired_messages: counter(names::EXPIRED_MESSAGES),
            failed_acknowledgements: counter(names::FAILED_ACKNOWLEDGEMENTS),
            failed_transfers: counter(names::FAILED_TRANSFERS),
            handler_duration: histogram(names::HANDLER_DURATION),
            in_flight_messages: gauge(names::IN_FLIGHT_MESSAGES),
            lateness: histogram(names::LATENESS),
            paused: gauge(names::PAUSED),
            pending_messages: gauge(names::PENDING_MESSAGES),
            polled_messages: counter(names::POLLED_MESSAGES),
            quarantined_messages: counter(names::QUARANTINED_MESSAGES),
            ready_messages: gauge(names::READY_MESSAGES),
            rejected_acknowledgements: counter(names::REJECTED_ACKNOWLEDGEMENTS),
            transfer_duration: histogram(names::TRANSFER_DURATION),
            transferred_messages: counter(names::TRANSFERRED_MESSAGES),
        }
    }
}

/// Counts the connections of a socket that replace another.
pub(crate) fn reconnects(server: &str, socket: &'static str) -> Counter {
    let labels = [("server", server.to_owned()), ("socket", socket.to_owned())];
    counter!(names::RECONNECTED_CONNECTIONS, &labels)
}

/// Tells the recorder what each metric means.
pub(crate) fn describe() {
    for metric in names::ALL {
        match metric.kind {
            Kind::Counter => describe_counter!(metric.name, metric.unit, metric.meaning),
            Kind::Gauge => describe_gauge!(metric.name, metric.unit, metric.meaning),
            Kind::Histogram => describe_histogram!(metric.name, metric.unit, metric.meaning),
        }
    }
}
