//! What is measured, one thing a file.

use crate::{Result, section::Section};

mod cluster;
mod consumers;
mod drain;
mod idle;
mod large;
mod lateness;
mod malformed;
mod memory;
mod offers;
mod pending;
mod processes;
mod takes;

/// One thing that is measured.
pub(crate) struct Measure {
    /// What `--only` and the marks of the document call it.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// How, and how it may mislead.
    pub(crate) about: &'static str,
    pub(crate) run: fn(&Plan) -> Result<Section>,
}

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) quick: bool,
}

impl Plan {
    pub(crate) fn choose<T>(self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// In the order of the document.
pub(crate) const MEASURES: &[Measure] = &[
    lateness::MEASURE,
    offers::MEASURE,
    takes::MEASURE,
    consumers::MEASURE,
    drain::MEASURE,
    pending::MEASURE,
    malformed::MEASURE,
    idle::MEASURE,
    processes::MEASURE,
    cluster::MEASURE,
    memory::MEASURE,
    large::MEASURE,
];

/// The queue of a measure.
const QUEUE: &str = "orders";
