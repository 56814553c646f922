//! Counting and measuring what the client does, for a monitoring system.
//!
//! Everything is recorded through the facade `metrics`. Without the feature of that name, the
//! instruments are empty types, and recording compiles to nothing.
//!
//! To read on: `meter` has one method for each thing that happens to a queue. `names` has the names
//! and descriptions of the metrics, and `instrument` creates the instruments with these names.
//! `silent` replaces `instrument` without the feature.

#[cfg(feature = "metrics")]
mod instrument;
#[cfg(not(feature = "metrics"))]
#[path = "silent.rs"]
mod instrument;
mod meter;
#[cfg(feature = "metrics")]
pub mod names;

pub(crate) use instrument::{Counter, IS_ON, describe, reconnects};
pub(crate) use meter::Meter;
