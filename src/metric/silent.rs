//! The instruments without the feature `metrics`: empty types with the methods of `instrument`,
//! whose recording does nothing.

use super::Meter;

pub(crate) const IS_ON: bool = false;

#[derive(Debug, Default)]
pub(crate) struct Counter;

#[derive(Debug, Default)]
pub(crate) struct Gauge;

#[derive(Debug, Default)]
pub(crate) struct Histogram;

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

impl Meter {
    pub(crate) fn of(_queue: &str, _has_histograms: bool) -> Self {
        Self::default()
    }
}

pub(crate) fn reconnects(_server: &str, _socket: &'static str) -> Counter {
    Counter
}

pub(crate) fn describe() {}
