//! [codec/docs/codecs.md]: codec::guide::codecs
//! [docs/coming-from-redisson.md]: guide::coming_from_redisson
//! [docs/performance.md]: guide::performance
//!
#![doc = include_str!("../README.md")]
//!
//! # Words
//!
//! - The **target queue** is the list of payloads that are due, under the queue's own name.
//! - The **timeout set** holds what is not yet due, by due time, and the **ordering list** the same
//!   in offer order, as packed **members**: an id and a payload. A member that is **unlisted**, by
//!   its id, stands in the timeout set alone.
//! - To **transfer** is to move what is due from these to the target queue. Every client of a queue
//!   does, in any language; each element is moved once.
//! - To **claim** is to move payloads from the target queue into leases of this process, from which
//!   they are handed to callers.
//! - One client of a queue **leads**: normally the one that moved an element last. The others
//!   **follow**: they move what is due only if it is late, and claim when the leader **calls**
//!   them, by a message that names them.
//! - An id is **settled** when its element is not to be written (again): a late attempt at an offer
//!   finds it in a set of its own. Calls that must not take effect twice leave a token there.
//! - A client that meets a member that cannot be read moves it to the **quarantine**. It then
//!   **tidies** the ordering list, which may hold the member as well.
//! - A payload of more than 1 MiB is **large**: it is sent and fetched on a socket of its own.
//! - The **state** of a queue says whether it is paused and how fast it lets elements go.
//!
//! # The map
//!
//! - [`Client`], made by a [`ClientBuilder`]: a connection to one Redis.
//! - [`DelayedQueue`], [`BlockingQueue`], [`Ticket`], [`Entry`]: a delayed queue, its target queue,
//!   one of its elements, and that with its due time.
//! - [`Selector`], [`RateLimit`], [`End`]: several queues at once, how fast elements may come, and
//!   from where.
//! - `Schedule`, with the feature `periodic`: offers that repeat.
//! - [`Ordering`], [`IfPending`], [`Placed`]: whether what is offered has a place in the offer
//!   order, and what an offer does with what is pending.
//! - [`codec`], [`java`]: values to payloads and back, and what codecs must know of Java's values
//!   and classes; both from the crate `redisson-codec`.
//! - [`Error`], [`Cause`], [`Event`]: what calls answer, what Redis said, and what is reported
//!   besides.
//! - [`MAX_PAYLOAD`]: how large a payload may be.
//! - `test_util`, with the feature `test-util`: a private server and a clock under control, for the
//!   tests of users.
//! - [`keys`], [`packed`]: the names of keys and the bytes of members.

// The house. What users see stands at the top, under the name of its type. Behind it are six rooms.
// Each uses the rooms below it:
//
// - `client`: `Client` and its builder, and the `session`, which is what all queues of a client
//   share.
// - `queue`: the handles that users call. `raw` is one queue as bytes, shared by all handles of its
//   name; `taker` makes values of what it claims.
// - `offer`: an offer and its attempts, and the `line` in which offers stand that are made at the
//   same time.
// - `delivery`: from due to delivered. `transfer` is the task that moves what is due: its `agenda`
//   says when to look at which queue, `alarm` wakes it on time, `survey` notes where members stand
//   in a long ordering list, and `subscription` listens to the channels. `peers` says which of many
//   clients moves. `intake` claims elements and hands them to the callers that wait.
// - `wire`: what stands in Redis. `keys` and `packed` are names and members, pure text and bytes;
//   `ids` names elements; `script` has one typed function for each script of `lua/`; `chunk` says
//   how much goes into one command.
// - `link`: the way to Redis. `connection` has the sockets for calls, for deliveries, for messages
//   and for large payloads; `backoff` is how long to wait before the next attempt, `background` a
//   thread with a runtime of its own, `clock` whose time it is.
//
// Beside the public words, `options` holds what was chosen about a client, `payload` turns values
// into bytes, `sync` is a lock, and `guide` shows the guides of `docs/` in the documentation.

mod client;
mod delivery;
mod end;
mod entry;
mod error;
mod event;
#[cfg(all(doc, not(doctest)))]
pub mod guide;
mod link;
mod offer;
mod options;
mod ordering;
mod payload;
#[cfg(feature = "periodic")]
mod periodic;
mod placed;
mod queue;
mod rate;
mod sync;
#[cfg(feature = "test-util")]
pub mod test_util;
mod ticket;
mod wire;

pub use client::builder::ClientBuilder;
pub use client::handle::Client;
pub use end::End;
pub use entry::Entry;
pub use error::{Cause, Error, Result, Step};
pub use event::{Event, Events};
pub use link::clock::Clock;
pub use ordering::Ordering;
pub use payload::MAX_PAYLOAD;
#[cfg(feature = "periodic")]
pub use periodic::{Missed, Periodic, Schedule, ScheduleError, Scheduled};
pub use placed::{IfPending, Placed};
pub use queue::blocking_queue::BlockingQueue;
pub use queue::delayed_queue::DelayedQueue;
pub use queue::selector::Selector;
pub use rate::RateLimit;
pub use ticket::{ParseTicketError, Ticket};
pub use wire::ids::MemberIds;
pub use wire::{keys, packed};

#[doc(inline)]
pub use redisson_codec as codec;
#[doc(inline)]
pub use redisson_codec::java;

/// The bytes of payloads and members, as they appear in this crate's interface.
pub use bytes;
/// The Redis driver, some of whose types appear in this crate's interface.
pub use redis;
