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

// The modules. What users see has the name of its type; it is made of these, from the caller to the
// wire:
//
// - `shared`: what a client and all its queues use.
// - `raw`: one queue as bytes, shared by the handles of its name.
// - `offer`, `chunk`: one offer and its attempts, the `line` in which those stand that are made at
//   the same time, and how much goes into one command.
// - `intake`, `taker`: claims elements when there is a hint (by Redis, which tells of changes, or by
//   another part of this process) and hands them to the callers that wait, as bytes and as values.
// - `transfer`, `agenda`, `alarm`: the task that moves what is due, when it looks at which queue,
//   and how it wakes on time. Below it `herd` says which of many clients does so, by the words of
//   `message`; `survey` reads a long ordering list, so that there are guesses where members stand
//   in it; and `subscription` listens to the channels.
// - `background`: the threads on which tasks transfer and claim, and send what is large.
// - `payload`: values as bytes, and what calls answer when the codec refuses.
// - `script`: the Lua scripts of `lua/`, one typed function each.
// - `connection`, `backoff`: the sockets for calls, for deliveries, for messages and for large
//   payloads, and how they are made again.
// - `clock`, `ids`, `options`, `sync`: whose time it is, how elements are named, what was chosen,
//   and a lock.
// - `keys`, `packed`: the names and the members, pure text and bytes.
// - `guide`: the guides of `docs/`, for the documentation alone.

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
mod ordering;
mod payload;
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
pub use placed::{IfPending, Placed};
pub use queue::blocking_queue::BlockingQueue;
pub use queue::delayed_queue::DelayedQueue;
#[cfg(feature = "periodic")]
pub use queue::periodic::{Missed, Periodic, Schedule, ScheduleError, Scheduled};
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
