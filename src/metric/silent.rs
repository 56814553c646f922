//! The instruments without the feature `metrics`: they are empty, and recording does nothing.

use super::Meter;

/// True if anything is recorded.
pub(crate) const IS_ON: bool = false;

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter;

/// A number that goes up and down.
#[derive(Debug, Default)]
pub(crate) struct Gauge;

/// Many measurements, of which the distribution is recorded.
#[derive(Debug, Default)]
pub(crate) struct Histogram;

/// Measures how long something takes.
#[derive(Debug)]
pub(crate) struct Stopwatch;

impl Counter {
    pub(crate) fn increment(&self, _by: u64) {}
}

impl Gauge {
    pub(crate) fn set(&self, _to: f64) {}

    pub(crate) fn increment(&self, _by: f64) {}

    pub(crate) fn decrement(&self, _by: f64) {}
}

impl Histogram {
    pub(crate) fn record(&self, _value: f64) {}
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self
    }

    pub(crate) fn seconds(&self) -> f64 {
        0.0
    }
}

impl Meter {
    /// The metrics of the queue that users call `queue`.
    pub(crate) fn of(_queue: &str, _has_histograms: bool) -> Self {
        Self::default()
    }
}

/// Counts the connections of a socket that replace another.
pub(crate) fn reconnects(_server: &str, _socket: &'static str) -> Counter {
    Counter
}

/// Tells the recorder what each metric means.
pub(crate) fn describe() {}
