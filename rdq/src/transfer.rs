//! A mover of its own: for teams whose services only pop the target queue.
//!
//! - [`mover`]: the queues that are moved, and how new ones are found.
//! - [`report`]: what the client reports, as lines.
//! - [`health`]: tells others whether the mover works.

mod health;
mod mover;
mod report;

pub(crate) use health::{Health, HealthSign};
pub(crate) use mover::Mover;
pub(crate) use report::Report;
