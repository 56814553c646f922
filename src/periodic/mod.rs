//! Offers that repeat: their schedules, how Redis stores them, and how they fire.
//!
//! Redis stores a schedule under a name, together with the payload. Every client that moves due
//! elements also looks for occurrences. A few seconds ahead it offers each occurrence as an
//! ordinary element, due at that time. The same script moves the schedule on to the next
//! occurrence. So one client fires an occurrence, and for the others the schedule has already moved
//! on. The ordinary transfer delivers the element, in any language, as exactly as any other.

use std::time::{Duration, SystemTime};

use crate::listing::Listing;

mod entry;
mod error;
mod schedule;

pub(crate) use entry::split;
pub use error::ScheduleError;
pub(crate) use schedule::Occurrence;
pub use schedule::{Missed, Schedule};

/// How long before its time an occurrence is offered. That is several looks at the default
/// [`safety_poll`](crate::ClientBuilder::safety_poll), so one look that fails or is slow makes
/// nothing late.
pub(crate) const LOOK_AHEAD: Duration = Duration::from_secs(5);

/// A periodic offer, as [`DelayedQueue::schedules`](crate::DelayedQueue::schedules) returns it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Periodic<T> {
    /// The name under which it was scheduled.
    pub name: String,
    /// When its elements are due.
    pub schedule: Schedule,
    /// The value that it offers.
    pub value: T,
    /// Whether the elements that it offers are listed.
    pub listing: Listing,
    /// The next occurrence that has not been offered yet, by the queue's clock.
    pub next: SystemTime,
}

/// What [`DelayedQueue::schedule`](crate::DelayedQueue::schedule) did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Scheduled {
    /// Nothing was scheduled under the name.
    Added,
    /// The name had another schedule or value.
    Replaced,
    /// The name had the same schedule and value already.
    Unchanged,
}
