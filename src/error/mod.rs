//! What can go wrong, whose fault it is, and whether Redis may have changed.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::codec;
use crate::link::durability::{Acknowledged, Durability};
use crate::offered::Offered;
#[cfg(feature = "periodic")]
use crate::periodic::ScheduleError;
use crate::private_bytes::PrivateBytes;
use crate::ticket::{ParseTicketError, ShardTicket, Ticket};
use crate::wire::keys::NameError;

mod cause;
mod context;
mod reason;
mod shard;
mod step;
#[cfg(test)]
mod tests;
mod unreachable;

pub use cause::Cause;
pub(crate) use cause::DENIED_INSIDE;
pub(crate) use context::may_pass;
pub(crate) use reason::advice;
pub use shard::ShardError;
pub use step::Step;
pub(crate) use unreachable::Unreachable;

/// The result of a call to this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
///
/// Each variant says whose fault it is and whether Redis may have changed. Code asks
/// [`Error::may_have_changed_redis`], and [`Error::is_transient`] whether a later call may succeed. An
/// error displays its own level only, with all that a codec said. What Redis or the driver said is in
/// the [`source`](std::error::Error::source). Its `Debug` has lengths in the place of payloads, so
/// logs may have it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Redis cannot show a client under this [name](crate::ClientBuilder::client_name).
    ///
    /// The caller's fault: choose a name of printable ASCII characters without spaces. Nothing was
    /// sent.
    #[error("client name {name:?} must be printable ASCII characters without spaces, at least one")]
    ClientName {
        /// The refused name.
        name: String,
    },

    /// The client has ended: by [`Client::shutdown`](crate::Client::shutdown), with the runtime on
    /// which it was made, or because one of its tasks panicked.
    ///
    /// The caller ended it, or this crate has a bug. Nothing was sent.
    #[error("the client is shut down")]
    Closed,

    /// No connection to Redis could be made.
    ///
    /// The server or the network is at fault, or the address names another server than it should; the
    /// message says which is likely. The call was not sent. An offer is retried for the whole
    /// [`retry_window`](crate::ClientBuilder::retry_window) before it fails like this. An address or
    /// a certificate that cannot be used at all is an [`Error::Settings`].
    #[error("cannot connect to redis at {server}: {}", reason::likely(source.as_driver()))]
    Connect {
        /// The server's address, without credentials.
        server: String,
        /// What the driver reported.
        #[source]
        source: Cause,
    },

    /// The codec cannot decode a value that was taken or read.
    ///
    /// Whoever wrote the value used another codec, or the codec panicked on it. A taken value is no
    /// longer in Redis, unless the call moved it to another queue. Its bytes are in `payload`.
    ///
    /// The text names the codec, the field or the byte, and the kind of value that was found there.
    /// It has no values of the payload except names of constants and keys of maps.
    #[error("cannot decode a payload of {} bytes: {reason}", payload.len())]
    Decode {
        /// The bytes as they stood in Redis.
        payload: PrivateBytes,
        /// What the codec reported.
        reason: codec::Error,
    },

    /// The due time would lie beyond 2^53 ms, where Redisson can no longer read it.
    ///
    /// The caller's fault. Nothing was written.
    #[error("a delay of {} s puts the due time past 2^53 ms", delay.as_secs())]
    DelayTooLong {
        /// The delay that was asked for.
        delay: Duration,
    },

    /// The client's Redis user lacks a permission.
    ///
    /// The ACL rules or the credentials are at fault. Nothing was changed, except on Redis 6.2. There
    /// a script cannot ask about rights before its first write, so it may have done a part of its
    /// work; [`may_have_changed_redis`](Error::may_have_changed_redis) is true then.
    #[error("redis at {server} denied {step}{}", on(queue))]
    Denied {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// The step that failed.
        step: Step,
        /// What Redis answered.
        #[source]
        source: Cause,
    },

    /// One of the values that were offered together cannot be offered.
    ///
    /// The caller's fault. None of them was sent.
    #[error("cannot offer the value at index {index}")]
    Element {
        /// The index of the value, counted from 0.
        index: usize,
        /// What is wrong with it.
        #[source]
        source: Box<Error>,
    },

    /// The codec refused the value.
    ///
    /// The caller's fault. Nothing was sent.
    #[error("cannot encode the value: {reason}")]
    Encode {
        /// What the codec reported.
        reason: codec::Error,
    },

    /// The element would expire before it is due.
    ///
    /// The caller's fault, or the caller's clock differs from the one that dates offers. Nothing
    /// was written.
    #[error("the element would expire before it is due")]
    ExpiresBeforeDue,

    /// The lease of a delivery had run out, and the delivery went on without this caller: to another
    /// one, or to the dead letters.
    ///
    /// The handler was slower than the [visibility](crate::ConsumerBuilder::visibility) of its
    /// consumer, or the process stood still. Nothing was changed.
    #[error("the lease of a delivery{} had run out, and others have it", on(queue))]
    Late {
        /// The queue's name.
        queue: Option<String>,
    },

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
        /// The step that failed.
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

    /// An element is stored, but not as durable as the offer wanted.
    ///
    /// Too few replicas confirmed it in time, or the disk did not. Or Redis refused to wait, and
    /// `source` says why: it does not know `WAITAOF` before version 7.2, `appendonly` is off, or the
    /// user lacks the right to `wait` or `waitaof`. The server, the network or its settings are at
    /// fault.
    ///
    /// **The master has the element**, and it becomes due like any other. It is lost only if the
    /// master fails before others have it. Offering the value again would store it twice;
    /// [`cancel`](crate::DelayedQueue::cancel) takes it back.
    #[error(
        "an element{} is stored in redis at {server}, but {got} confirmed it instead of {wanted}",
        on(queue)
    )]
    NotDurable {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// What the offer did. Of several values that were offered together, the first.
        offered: Box<Offered>,
        /// What the offer waited for.
        wanted: Durability,
        /// What has the element, as far as the master knew in the end.
        got: Acknowledged,
        /// Why Redis refused to wait, if it did.
        #[source]
        source: Option<Cause>,
    },

    /// Several values were offered together, but only some are certainly offered.
    ///
    /// `source` says whose fault it is. A value that neither map names is not stored, and will not
    /// be.
    #[error("{}", in_part(offered.len(), unknown.len(), source))]
    OfferedInPart {
        /// The offers that were made, by the index of the value, counted from 0.
        offered: BTreeMap<usize, Offered>,
        /// The offers whose outcome is unknown, by the index of the value. If `source` is
        /// [`Error::NotDurable`], including those that are stored and not as durable as they should
        /// be. [`cancel`](crate::DelayedQueue::cancel) settles each, as after
        /// [`Error::OutcomeUnknown`].
        unknown: BTreeMap<usize, Ticket>,
        /// Why the first of the other offers failed.
        #[source]
        source: Box<Error>,
    },

    /// The reply to an offer was lost, and sending it again could have delivered the value twice.
    ///
    /// The network's or the server's fault. The value may or may not have been scheduled.
    /// [`cancel`](crate::DelayedQueue::cancel) with `ticket` settles it: afterwards the value is
    /// not scheduled, and it does not appear later either.
    #[error("the outcome of an offer{} to redis at {server} is unknown", on(queue))]
    OutcomeUnknown {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// The element that may have been scheduled.
        ticket: Ticket,
        /// The last failure; `None` if the attempts only ran too late.
        #[source]
        source: Option<Cause>,
    },

    /// Redis answered with an error of its own: out of memory, still loading, a replica that takes
    /// no writes.
    ///
    /// The server's fault. Nothing was changed: every script checks what it needs before its first
    /// write. Only an answer that begins with `ERR` can come from the middle of a script: a bug of this
    /// crate, or a server that is not Redis in full. Then what the script did before stays done.
    #[error("redis at {server} refused {step}{}", on(queue))]
    Refused {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// The step that failed.
        step: Step,
        /// What Redis answered.
        #[source]
        source: Cause,
    },

    /// The schedule is invalid, or it never occurs.
    ///
    /// The caller's fault. Nothing was sent.
    #[cfg(feature = "periodic")]
    #[error(transparent)]
    Schedule(#[from] ScheduleError),

    /// A client or a consumer cannot be made with these settings: one is out of its bounds, an address
    /// cannot be read, several addresses do not go together, a certificate cannot be read, or this
    /// build lacks a feature.
    ///
    /// The caller's fault. Nothing was sent, and the same again does not help. An
    /// [`IntoAddress`](crate::IntoAddress) of your own can return this error as well.
    #[error("the settings cannot be used: {reason}")]
    Settings {
        /// What to do about it. Never shows a password.
        reason: String,
        /// What the driver reported, if it found the mistake.
        #[source]
        source: Option<Cause>,
    },

    /// The shards of a [`ShardedQueue`](crate::ShardedQueue) do not allow what the caller asked for.
    ///
    /// The caller's fault, or the shards are changing; the [`ShardError`] says which. Nothing was
    /// written.
    #[error(transparent)]
    Shard(#[from] ShardError),

    /// Several values were offered to a [`ShardedQueue`](crate::ShardedQueue), but only some are
    /// certainly offered.
    ///
    /// `source` says whose fault it is. A value that neither map names is not stored, and will not
    /// be.
    #[error("{}", in_part(offered.len(), unknown.len(), source))]
    ShardsOfferedInPart {
        /// The offers that were made, by the index of the value, counted from 0.
        offered: BTreeMap<usize, Offered<ShardTicket>>,
        /// The offers whose outcome is unknown, by the index of the value, and those that are not
        /// as durable as they should be. [`cancel`](crate::ShardedQueue::cancel) settles each.
        unknown: BTreeMap<usize, ShardTicket>,
        /// Why the first of the other offers failed.
        #[source]
        source: Box<Error>,
    },

    /// A text is not a [`Ticket`], or some bytes are not.
    ///
    /// Whoever wrote or kept them is at fault. Nothing was sent.
    #[error(transparent)]
    Ticket(#[from] ParseTicketError),

    /// A payload, or another part of the call, is larger than Redis accepts.
    ///
    /// The caller's fault. Nothing was sent. If a call needs several commands and this happens
    /// after the first, it fails with [`Error::Unfinished`] or [`Error::OfferedInPart`] instead.
    #[error("{size} bytes are too large: at most {limit} bytes can be sent")]
    TooLarge {
        /// Its size in bytes.
        size: usize,
        /// The largest size in bytes: [`MAX_PAYLOAD`](crate::MAX_PAYLOAD) for a payload, 512 MiB
        /// for a ticket, and 1,008 MiB for all arguments of one command.
        limit: usize,
    },

    /// Redis ran an offer only after the offer's deadline.
    ///
    /// The server was frozen or busy for that long, or its clock jumped. Nothing was written.
    #[error(
        "an offer{} reached redis at {server} too late, and nothing was written",
        on(queue)
    )]
    TooLate {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
    },

    /// A call that needs several commands failed after some of them had succeeded.
    ///
    /// The source says whose fault it is. The elements that were done stay done. If the source is
    /// [`Error::Lost`], the last command may have been applied as well.
    #[error("{step} failed after {done} elements")]
    Unfinished {
        /// The step that failed.
        step: Step,
        /// How many elements were certainly done.
        done: usize,
        /// Why it failed.
        #[source]
        source: Box<Error>,
    },

    /// One of the queue's keys holds another type of value.
    ///
    /// Whoever uses the queue's name for something else is at fault. Nothing was changed: every
    /// script checks the types before its first write.
    #[error("redis at {server} refused {step}{}: {detail}", on(queue))]
    WrongType {
        /// The server's address, without credentials.
        server: String,
        /// The queue's name, if the call was about one.
        queue: Option<String>,
        /// The step that failed.
        step: Step,
        /// Which key it is, and which type it holds.
        detail: String,
    },
}

/// Says what became of several values: `offered` of them are offered as the caller wanted, and
/// `others` may be.
fn in_part(offered: usize, others: usize, source: &Error) -> String {
    if matches!(source, Error::NotDurable { .. }) {
        return format!(
            "{offered} of the values are offered as durably as they should be; {others} others are \
             stored, or may be"
        );
    }
    format!("only {offered} of the values are certainly offered")
}

/// The part of a message that names the queue.
fn on(queue: &Option<String>) -> String {
    let named = queue.as_ref().map(|name| format!(" on queue {name}"));
    named.unwrap_or_default()
}
