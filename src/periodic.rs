//! Offers that repeat: their schedules, how these are stored, and how they fire.
//!
//! A schedule is stored in Redis under a name, with the payload that it offers. Every client that
//! moves what is due also looks for occurrences: it offers each a few seconds ahead, as an ordinary
//! element that is due at the occurrence, and sets the schedule to the one after these in the same
//! script. Whoever comes first does; to the others the schedule has moved on. So delivery is left
//! to the transfer, in any language, and is as exact as that of other elements.

use std::time::{Duration, SystemTime};

use crate::ordering::Ordering;

mod entry;
mod error;
mod schedule;

pub(crate) use entry::split;
pub use error::ScheduleError;
pub use schedule::{Missed, Schedule};

/// How far ahead of its time an occurrence is offered: several looks at the default
/// [`safety_poll`](crate::ClientBuilder::safety_poll), so that one that fails or is slow makes
/// nothing late.
pub(crate) const LOOK_AHEAD: Duration = Duration::from_secs(5);

/// A periodic offer, as [`DelayedQueue::schedules`](crate::DelayedQueue::schedules) finds it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Periodic<T> {
    /// The name that it was scheduled under.
    pub name: String,
    /// When it is offered.
    pub schedule: Schedule,
    /// What is offered.
    pub value: T,
    /// Whether what is offered is listed.
    pub ordering: Ordering,
    /// The next occurrence that was not offered yet, by the queue's clock.
    pub next: SystemTime,
}

/// What [`DelayedQueue::schedule`](crate::DelayedQueue::schedule) did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Scheduled {
    /// Nothing was scheduled under the name.
    Added,
    /// Another schedule, or another value, stood under the name.
    Replaced,
    /// The same schedule with the same value stood under the name.
    Unchanged,
}
