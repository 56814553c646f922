//! The steps of calls.

use std::fmt;

/// The step of a call that failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Removing elements before they are due.
    Cancel,
    /// Leasing ready elements to this client.
    Claim,
    /// Deleting every pending element.
    Clear,
    /// Running a command of the user's own.
    Command,
    /// Acknowledging a delivery, or whatever else was decided about it.
    Conclude,
    /// Connecting and introducing the client.
    Connect,
    /// Copying the keys of a queue to another name.
    Copy,
    /// Deleting the keys of a queue.
    Delete,
    /// Ending the leases of elements that callers have.
    EndLeases,
    /// Setting when the keys of a queue expire.
    Expire,
    /// Offering occurrences of periodic offers.
    Fire,
    /// Returning leased elements that were not handed over.
    GiveBack,
    /// Limiting the rate at which elements are taken.
    Limit,
    /// Moving elements from the target queue to another list.
    Move,
    /// Writing an element.
    Offer,
    /// Pausing a queue, or resuming it.
    Pause,
    /// Taking pending elements before they are due.
    PollPending,
    /// Making an element due now.
    Promote,
    /// Reading without writing.
    Read,
    /// Moving an element to another queue.
    Relay,
    /// Removing elements from the target queue.
    Remove,
    /// Renaming the keys of a queue.
    Rename,
    /// Changing the due time of an element.
    Reschedule,
    /// Storing a periodic offer.
    Schedule,
    /// Subscribing to a queue's channel.
    Subscribe,
    /// Moving due elements to the target queue.
    Transfer,
    /// Removing a periodic offer.
    Unschedule,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancel => "cancel",
            Self::Claim => "claim",
            Self::Clear => "clear",
            Self::Command => "a command",
            Self::Conclude => "conclude a delivery",
            Self::Connect => "connect",
            Self::Copy => "copy",
            Self::Delete => "delete",
            Self::EndLeases => "end leases",
            Self::Expire => "expire",
            Self::Fire => "fire",
            Self::GiveBack => "give back",
            Self::Limit => "limit",
            Self::Move => "move",
            Self::Offer => "offer",
            Self::Pause => "pause",
            Self::PollPending => "poll pending",
            Self::Promote => "promote",
            Self::Read => "read",
            Self::Relay => "relay",
            Self::Remove => "remove",
            Self::Rename => "rename",
            Self::Reschedule => "reschedule",
            Self::Schedule => "schedule",
            Self::Subscribe => "subscribe",
            Self::Transfer => "transfer",
            Self::Unschedule => "unschedule",
        })
    }
}
