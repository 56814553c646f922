//! What can go wrong, whose fault it is, and whether Redis may have changed.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use redis::RedisError;

use crate::codec;
#[cfg(feature = "periodic")]
use crate::periodic::ScheduleError;
use crate::ticket::Ticket;
use crate::wire::keys::NameError;

mod cause;
mod reason;

pub use cause::Cause;

/// The result of a call to this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
///
/// Each variant says whose fault it is and whether Redis may already have changed;
/// [`Error::may_have_changed_redis`] answers the second question for code. What is displayed is one
/// level; what Redis or the driver said is in the [`source`](std::error::Error::source).
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client was shut down, by [`Client::shutdown`](crate::Client::shutdown).
    ///
    /// The caller's doing. Nothing was sent.
    #[error("the client is shut down")]
    Closed,

    /// No connection to Redis could be made.
    ///
    /// The server's or the network's fault, or the address is wrong: the message says which is
    /// likely. The call was not sent, and an offer was retried for the whole
    /// [`retry_window`](crate::ClientBuilder::retry_window) first.
    #[error("cannot connect to redis at {server}: {}", reason::likely(source))]
    Connect {
        /// The server's address, without credentials.
        server: String,
        /// What the driver reported.
        #[source]
        source: Cause,
    },

    /// A value was taken or read, but the codec does not understand it.
    ///
    /// Whoever wrote the value used another codec, or the codec panicked on it. A taken value is no
    /// longer in Redis, unless the call moved it to another queue: it is here, in `payload`.
    #[error("cannot decode a payload of {} bytes", payload.len())]
    Decode {
        /// The bytes as they stood in Redis.
        payload: Bytes,
        /// What the codec reported.
        #[source]
        source: codec::Error,
    },

    /// The due time would lie beyond 2^53 ms, where Redisson can no longer read it.
    ///
    /// The caller's fault. Nothing was written.
    #[error("a delay of {} s puts the due time past 2^53 ms", delay.as_secs())]
    DelayTooLong {
        /// The delay that was asked for.
        delay: Duration,
    },

    /// The user that the client logs in as lacks a right.
    ///
    /// The fault of the ACL rules, or of the credentials. Nothing was changed.
    #[error("redis at {server} denied {step}{}", on(queue))]
    Denied {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// What was being done.
        step: Step,
        /// What Redis answered.
        #[source]
        source: Cause,
    },

    /// One of several values that were offered together cannot be offered.
    ///
    /// The caller's fault. None of them was sent.
    #[error("cannot offer the value at index {index}")]
    Element {
        /// Which of the values, counted from 0.
        index: usize,
        /// What is wrong with it.
        #[source]
        source: Box<Error>,
    },

    /// The codec refused the value.
    ///
    /// The caller's fault. Nothing was sent.
    #[error("cannot encode the value")]
    Encode {
        /// What the codec reported.
        #[source]
        source: codec::Error,
    },

    /// An element was to expire before it is due.
    ///
    /// The caller's fault, or the two clocks differ. Nothing was written.
    #[error("the element would expire before it is due")]
    ExpiresBeforeDue,

    /// The connection failed, or no reply came in time, while doing `step`.
    ///
    /// The network's or the server's fault. A write may have been applied: the reply can be lost
    /// after the script ran.
    #[error("the reply to {step}{} from redis at {server} was lost", on(queue))]
    Lost {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// What was being done.
        step: Step,
        /// What the driver reported.
        #[source]
        source: Cause,
    },

    /// The queue's name cannot be used.
    ///
    /// The caller's fault. Nothing was sent.
    #[error(transparent)]
    Name(#[from] NameError),

    /// Several values were offered together, and not all of them are certainly stored.
    ///
    /// `source` says whose fault it is. The values are offered in order, up to 500 at a time:
    /// those behind the ones named here were not sent.
    #[error("only the first {} of the values are certainly stored", stored.len())]
    OfferedInPart {
        /// The elements that were scheduled, in offer order: the first of the values.
        stored: Vec<Ticket>,
        /// The elements of the values that follow, if they may have been scheduled or not, all of
        /// them alike. [`cancel`](crate::DelayedQueue::cancel) settles each, as after
        /// [`Error::OutcomeUnknown`].
        unknown: Vec<Ticket>,
        /// Why no more were stored.
        #[source]
        source: Box<Error>,
    },

    /// An offer was sent, its reply was lost, and sending it again could have delivered it twice.
    ///
    /// The network's or the server's fault. The value may or may not have been scheduled.
    /// [`cancel`](crate::DelayedQueue::cancel) with `ticket` settles it: afterwards it is not
    /// scheduled, and it will not appear late either.
    #[error("the outcome of an offer{} to redis at {server} is unknown", on(queue))]
    OutcomeUnknown {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// The element that may have been scheduled.
        ticket: Ticket,
        /// What was reported last, if not merely lateness.
        #[source]
        source: Option<Cause>,
    },

    /// Redis answered with an error of its own: out of memory, still loading, a replica that takes
    /// no writes.
    ///
    /// The server's fault. Nothing was changed: every script checks what it needs before its first
    /// write.
    #[error("redis at {server} refused {step}{}", on(queue))]
    Refused {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// What was being done.
        step: Step,
        /// What Redis answered.
        #[source]
        source: Cause,
    },

    /// Something cannot be scheduled so.
    ///
    /// The caller's fault. Nothing was sent.
    #[cfg(feature = "periodic")]
    #[error(transparent)]
    Schedule(#[from] ScheduleError),

    /// Redis reached an offer only after the time in which it may take effect.
    ///
    /// The server was frozen or busy for that long, or its clock jumped. Nothing was written.
    #[error(
        "redis at {server} reached an offer{} too late, and wrote nothing",
        on(queue)
    )]
    TooLate {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
    },

    /// A payload, or another part of the call, is larger than Redis takes.
    ///
    /// The caller's fault. Nothing was sent; a call that takes several commands ends in
    /// [`Error::Unfinished`] or [`Error::OfferedInPart`] if this comes after the first of them.
    #[error("{size} bytes are more than the {limit} that can be sent")]
    TooLarge {
        /// How many bytes it has.
        size: usize,
        /// How many it may have: [`MAX_PAYLOAD`](crate::MAX_PAYLOAD) for a payload, 512 MiB for a
        /// ticket, and somewhat less than 1 GiB for all that one command holds.
        limit: usize,
    },

    /// A call that takes several commands ended after some of them were done.
    ///
    /// Whose fault it is, the source says. What was done stays done; if the source is
    /// [`Error::Lost`], the last command may have been applied as well.
    #[error("{step} ended after {done} elements")]
    Unfinished {
        /// What was being done.
        step: Step,
        /// How many elements it was certainly done with.
        done: usize,
        /// Why it ended.
        #[source]
        source: Box<Error>,
    },

    /// One of the queue's keys holds another type of value.
    ///
    /// The fault of whoever uses the queue's name for something else. Every script checks the types
    /// before its first write, so nothing was changed.
    #[error("redis at {server} refused {step}{}: {detail}", on(queue))]
    WrongType {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// What was being done.
        step: Step,
        /// Which key holds what.
        detail: String,
    },
}

impl Error {
    /// What is wrong with an address that the driver refused, which has read it and does not tell
    /// what it was.
    pub(crate) fn of_address(source: RedisError) -> Self {
        Self::Connect {
            server: "the given address".to_owned(),
            source: source.into(),
        }
    }

    /// What is wrong with one of several values.
    pub(crate) fn of_element(index: usize, source: Self) -> Self {
        Self::Element {
            index,
            source: Box::new(source),
        }
    }

    /// Whether Redis may have changed because of the failed call.
    ///
    /// `false` is certain. `true` means that the command was sent and its reply did not arrive or
    /// made no sense. For [`Error::Decode`] it is `true` since a taken element has left Redis.
    #[must_use]
    pub fn may_have_changed_redis(&self) -> bool {
        match self {
            Self::Decode { .. }
            | Self::Lost { .. }
            | Self::OfferedInPart { .. }
            | Self::OutcomeUnknown { .. }
            | Self::Unfinished { .. } => true,
            Self::Closed
            | Self::Connect { .. }
            | Self::DelayTooLong { .. }
            | Self::Denied { .. }
            | Self::Element { .. }
            | Self::Encode { .. }
            | Self::ExpiresBeforeDue
            | Self::Name(_)
            | Self::Refused { .. }
            | Self::TooLate { .. }
            | Self::TooLarge { .. }
            | Self::WrongType { .. } => false,
            #[cfg(feature = "periodic")]
            Self::Schedule(_) => false,
        }
    }

    /// This error, or what it means if it is that a script refused to make something due `delay`
    /// from now at the latest.
    pub(crate) fn of_due(self, delay: Duration) -> Self {
        match self {
            Self::Refused { source, .. } if source.code() == Some("RDQRANGE") => {
                Self::DelayTooLong { delay }
            }
            Self::Refused { source, .. } if source.code() == Some("RDQEXPIRY") => {
                Self::ExpiresBeforeDue
            }
            error => error,
        }
    }

    /// This error, met by a call about the queue of this name.
    pub(crate) fn on_queue(mut self, name: &str) -> Self {
        if let Self::Denied { queue, .. }
        | Self::Lost { queue, .. }
        | Self::OutcomeUnknown { queue, .. }
        | Self::Refused { queue, .. }
        | Self::TooLate { queue, .. }
        | Self::WrongType { queue, .. } = &mut self
        {
            queue.get_or_insert_with(|| name.to_owned());
        }
        self
    }

    /// This error, met after `done` elements were done with.
    pub(crate) fn after(self, step: Step, done: usize) -> Self {
        if done == 0 {
            return self;
        }
        Self::Unfinished {
            step,
            done,
            source: Box::new(self),
        }
    }
}

/// How a message names the queue.
fn on(queue: &Option<String>) -> String {
    let named = queue.as_ref().map(|name| format!(" on queue {name}"));
    named.unwrap_or_default()
}

/// What was being done when Redis failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Removing elements before they are due.
    Cancel,
    /// Leasing due elements to this client.
    Claim,
    /// Deleting every element that is not yet due.
    Clear,
    /// Connecting and introducing the client.
    Connect,
    /// Copying every key of a queue to another name.
    Copy,
    /// Deleting every key of a queue.
    Delete,
    /// Saying when every key of a queue ends.
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
    /// Taking elements that are not yet due.
    PollUndue,
    /// Reading without writing.
    Read,
    /// Moving an element to another queue.
    Relay,
    /// Removing elements from the target queue.
    Remove,
    /// Giving every key of a queue another name.
    Rename,
    /// Giving an element another due time.
    Reschedule,
    /// Storing a periodic offer.
    Schedule,
    /// Listening to a queue's channel.
    Subscribe,
    /// Moving due elements to the target queue.
    Transfer,
    /// Forgetting a periodic offer.
    Unschedule,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancel => "cancel",
            Self::Claim => "claim",
            Self::Clear => "clear",
            Self::Connect => "connect",
            Self::Copy => "copy",
            Self::Delete => "delete",
            Self::Expire => "expire",
            Self::Fire => "fire",
            Self::GiveBack => "give back",
            Self::Limit => "limit",
            Self::Move => "move",
            Self::Offer => "offer",
            Self::Pause => "pause",
            Self::PollUndue => "poll undue",
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
