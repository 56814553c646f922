#![doc = include_str!("../README.md")]
//!
//! # Words
//!
//! - The **target queue** is the list of payloads that are due, under the queue's own name.
//! - The **timeout set** and the **ordering list** hold what is not yet due, by due time and in
//!   offer order, as packed **members**: an id and a payload.
//! - To **transfer** is to move what is due from these to the target queue. Every client of a queue
//!   does, in any language; each element is moved once.
//! - To **claim** is to move payloads from the target queue into leases of this process, from which
//!   they are handed to callers.
//!
//! # The map
//!
//! What users see:
//!
//! - `client`, `builder`: a connection to one Redis and its settings.
//! - `queue`, `blocking_queue`, `ticket`: a delayed queue, its target queue, one of its elements.
//! - `placed`: what an offer does with what is pending.
//! - [`codec`]: values to payloads and back.
//! - [`java`]: what codecs must know of Java's values and classes.
//! - `error`, `event`: what calls answer, and what is reported besides.
//!
//! What they are made of, from the caller to the wire:
//!
//! - `shared`: what a client and all its queues use.
//! - `raw`: one queue as bytes, shared by the handles of its name.
//! - `offer`: one offer and its attempts.
//! - `intake`: claims elements and hands them to the callers that wait.
//! - `transfer`, `agenda`, `alarm`: the task that moves what is due, when it looks at which queue,
//!   and how it wakes on time.
//! - `script`: the Lua scripts of `lua/`, one typed function each.
//! - `connection`, `backoff`: the sockets, and how they are made again.
//! - `clock`, `ids`, `options`, `sync`: whose time it is, how elements are named, what was chosen,
//!   and a lock.
//! - [`keys`], [`packed`]: the names and the members, pure text and bytes.

mod agenda;
mod alarm;
mod backoff;
mod blocking_queue;
mod builder;
mod client;
mod clock;
pub mod codec;
mod connection;
mod error;
mod event;
mod ids;
mod intake;
pub mod java;
pub mod keys;
mod offer;
mod options;
pub mod packed;
mod placed;
mod queue;
mod raw;
mod script;
mod shared;
mod sync;
mod ticket;
mod transfer;

pub use blocking_queue::BlockingQueue;
pub use builder::ClientBuilder;
pub use client::Client;
pub use clock::Clock;
pub use error::{Error, Result, Step};
pub use event::{Event, Events};
pub use ids::MemberIds;
pub use placed::{IfPending, Placed};
pub use queue::DelayedQueue;
pub use ticket::Ticket;

/// The bytes of payloads and members, as they appear in this crate's interface.
pub use bytes;
/// The Redis driver, some of whose types appear in this crate's interface.
pub use redis;
