//! Counting and measuring what the client does, for a monitoring system.
//!
//! Everything is recorded through the facade `metrics`. Without the feature of that name, the
//! instruments are empty types, and what is recorded here compiles to nothing.
//!
//! To read on: `meter` has one method for each thing that happens to a queue, `names` the names and
//! descriptions under which users see it, `instrument` makes the one from the other. `silent` stands
//! in for `instrument` without the feature.

#[cfg(feature = "metrics")]
mod instrument;
#[cfg(not(feature = "metrics"))]
#[path = "silent.rs"]
mod instrument;
mod meter;
#[cfg(feature = "metrics")]
pub mod names;

pub(crate) use instrument::{Counter, IS_ON, Stopwatch, describe, reconnects};
pub(crate) use meter::Meter;
