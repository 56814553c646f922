//! [codec/docs/codecs.md]: codec::guide::codecs
//! [docs/acl.md]: guide::acl
//! [docs/coming-from-redisson.md]: guide::coming_from_redisson
//! [docs/concepts.md]: guide::concepts
//! [docs/consumers.md]: guide::consumers
//! [docs/forwarding.md]: guide::forwarding
//! [docs/monitoring.md]: guide::monitoring
//! [docs/operating.md]: guide::operating
//! [docs/performance.md]: guide::performance
//! [docs/reliability.md]: guide::reliability
//! [docs/sharded.md]: guide::sharded
//! [docs/topologies.md]: guide::topologies
//! [docs/which-delayed-queue.md]: guide::which_delayed_queue
//!
#![doc = include_str!("../README.md")]
//!
//! # Start here
//!
//! [`DelayedQueue::offer`] schedules a value. It returns a [`Ticket`], with which any process can
//! cancel the element. Three calls take due elements, and most programs need only one of them:
//!
//! | Call | Use it if |
//! |---|---|
//! | [`Consumer::run`], from [`DelayedQueue::consumer`] | no element may be lost when its handler fails or its process dies |
//! | [`DelayedQueue::take`] | the element that a dying process has in hand may be lost, as with Java's `take()` |
//! | [`DelayedQueue::take_many`] | the same, for hundreds of elements at a time |
//!
//! The other calls that take differ from these in one point, which their names tell: `poll…` gives
//! up after a time, `try_take…` waits for none, `stream` goes on without end, `…last` takes from the
//! back. [`BlockingQueue`] has the calls of Java's target queue. [`Selector`], [`ShardedQueue`] and
//! [`Workers`] serve many queues.
//!
//! # Words
//!
//! - An element is **pending** from its offer until it is moved to the **target queue**, the list
//!   under the queue's own name. It is **due** when its time has come. In the target queue it is
//!   **ready**, and the next taker gets it.
//! - The **timeout set** holds the pending elements by due time, the **ordering list** the same
//!   elements in offer order. In both an element is a **member**: an id and a payload. An
//!   **unlisted** element is in the timeout set only.
//! - To **transfer** is to move what is due to the target queue. Any client may do it, in Java or
//!   Rust. However many do, each element is moved once.
//! - A **lease** keeps an element for one process, from the moment at which the process claims it
//!   until a caller has it, or until a [`Consumer`] has acknowledged it.
//! - A **delivery** is an element that a consumer has, or that waits for another **attempt**. After
//!   the last attempt it is a **dead letter**.
//! - The **quarantine** is a key for members that nobody can read.
//! - A **large** payload has more than 1 MiB. It travels on a socket of its own, like every call
//!   that sends 1 MiB or more.
//!
//! # Features
//!
//! | Feature | What it adds |
//! |---|---|
//! | `amqp` | `amqp::Publisher`: forwards due elements to RabbitMQ |
//! | `tls-rustls`, `tls-native-tls` | `rediss://`, with rustls or with the system's library; `Tls` and `ClientBuilder::tls` |
//! | `metrics` | counters, gauges and histograms, see [docs/monitoring.md]; `metrics` |
//! | `periodic` | `DelayedQueue::schedule`: offers that repeat |
//! | `tower` | `Consumer::run_service`: handlers that are tower services |
//! | `test-util` | `test_util`: a private server and a clock under control |
//! | `derive` (by default) | `#[derive(JavaObject)]` |
//! | `cbor`, `lz4`, `marshalling`, `msgpack`, `protobuf`, `serialization`, `smile`, `snappy`, `uuid`, `zstd` | codecs, and a type, of these names |
//!
//! # The map
//!
//! - [`Client`], made by a [`ClientBuilder`]: a client of one Redis, at an [`Address`] of any form
//!   ([`IntoAddress`]). [`Master`] sends commands of your own. [`Events`] reports what happens
//!   besides the calls, and [`Move`] which client moves elements.
//! - [`DelayedQueue`]: offers, takes and controls. Its views are [`Pending`], the elements that are
//!   not transferred yet; [`BlockingQueue`], the target queue; [`QueueObject`], the whole queue;
//!   [`Leases`], the elements that processes hold; and [`Quarantine`], the members that nobody can
//!   read.
//! - [`Offer`]: everything that can be said about an offer; [`Offered`] is the answer. [`Entry`] is
//!   a pending element with its due time. `Schedule`, with the feature `periodic`: offers that
//!   repeat.
//! - [`Consumer`], made by a [`ConsumerBuilder`]: takes with acknowledgement. [`Delivery`] is an
//!   element that it has, [`Receipt`] acknowledges it, and [`Run`] is a handler at work.
//!   [`Workers`]: handlers for many queues. [`Router`]: a handler for each kind of element in one
//!   queue. [`DeadLetters`]: the elements that nobody could handle.
//! - [`QueueStream`], [`Entries`]: what `stream()` and `iter()` return.
//! - [`Selector`]: takes from several queues. [`ShardedQueue`] over [`Shards`]: one logical queue
//!   over several names.
//! - [`codec`], [`java`]: values to payloads and back, and Java's values and classes for codecs;
//!   both from the crate `redisson-codec`.
//! - [`Error`], [`Cause`]: why a call failed, and what Redis said.
//! - [`keys`], [`packed`]: the names of keys and the bytes of members. [`script`]: Lua scripts of your
//!   own, which [`Master::call`] runs.
//! - `amqp`, `metrics` and `test_util`, with the features of these names: forwarding to RabbitMQ,
//!   the names of all metrics, and a private server with a clock for tests.

// Behind this map are six layers, a directory each. Each uses only the layers below it. Small
// public types that several layers share (`DeliveryId`, `Entry`, `Ticket`, …) have files of their own up
// here. `docs/internals.md` follows an offer and a delivery through the layers.
//
// - `client`: `Client`, which starts and ends everything, and its builder.
// - `queue`: the handles that users call. `raw` is one queue as bytes, shared by all handles of its
//   name; `typed` is that queue with a codec, and makes values of what it takes; `names` holds the
//   queues of a client by name. `consumer` is everything about acknowledgement: deliveries, handlers, dead letters.
// - `offer`: one offer, and the attempts at it; the `line` lets concurrent offers share a script.
//   That script computes the due time (`lua/offer_one.lua` for one plain offer, `lua/lib/score.lua` for
//   others).
// - `delivery`: from due to delivered. `session` is one client at work: the calls, links and tasks
//   that all its queues share; it knows no queues itself. `transfer` is the task that moves what is
//   due: its `agenda` says when to look at which queue, `alarm` wakes it on time, `survey` notes
//   where members stand in a long ordering list, and `subscription` listens to the channels.
//   `services` runs one such task for each master. `peers` says which of many clients moves.
//   `intake` claims elements, for callers to fetch.
// - `wire`: what stands in Redis. `keys` and `packed` are names and members, pure text and bytes;
//   `name_mapper` makes them of the names that users give; `ids` names elements; `script` has one
//   typed function for each script of `lua/`; `chunk` says how much goes into one command, and
//   `command` what one says.
// - `link`: the way to Redis. `address` is all forms in which users say where it is, and `topology`
//   what is there: a server, a cluster, or Sentinels that know one. `endpoint` is one master, with
//   its `clock` and the login that `access` gives; `node` is the sockets to it, and `nodes` finds
//   the one that has a queue. `connection` has the sockets for calls, for deliveries, for messages,
//   for large payloads and for durable offers. `calls` sends commands on them, again while that is
//   safe; `pauses` are how long to wait before the next attempt. `background` is a thread with a
//   runtime of its own, `tasks` are what a shutdown waits for. `host` gives all of them their sockets
//   and threads: those of the system, or of a simulation.
//
// `amqp` stands above all of them and uses what users have: it is a handler of a consumer.
//
// Beside the public words, `options` holds what was chosen about a client, `payload` turns values
// into bytes, `private_bytes` are those that no log shows, `metric` counts and measures for all layers, `trace` makes
// their spans, `sync` is a lock, and `guide` shows the guides of `docs/` in the documentation.

#[cfg(feature = "amqp")]
pub mod amqp;
mod client;
mod delivery;
mod delivery_id;
mod entry;
mod error;
mod event;
#[cfg(all(doc, not(doctest)))]
pub mod guide;
mod link;
mod listing;
mod metric;
mod offer;
mod offered;
mod options;
mod payload;
#[cfg(feature = "periodic")]
mod periodic;
mod private_bytes;
mod queue;
mod rate;
mod side;
mod sync;
#[cfg(feature = "test-util")]
pub mod test_util;
mod ticket;
mod trace;
mod wire;

pub use client::builder::ClientBuilder;
pub use client::handle::Client;
pub use client::master::Master;
pub use client::moves::Move;
pub use delivery_id::DeliveryId;
pub use entry::Entry;
pub use error::{Cause, Error, Result, ShardError, Step};
pub use event::{Event, Events};
pub use link::access::Credentials;
pub use link::address::{Address, IntoAddress};
pub use link::clock::Clock;
pub use link::durability::{Acknowledged, Durability};
#[cfg(any(feature = "tls-native-tls", feature = "tls-rustls"))]
pub use link::tls::Tls;
pub use listing::Listing;
#[cfg(feature = "metrics")]
pub use metric::names as metrics;
pub use offered::{Offered, Outcome};
pub use payload::MAX_PAYLOAD;
#[cfg(feature = "periodic")]
pub use periodic::{Missed, Periodic, Schedule, ScheduleError, Scheduled};
pub use private_bytes::PrivateBytes;
pub use queue::blocking_queue::BlockingQueue;
#[cfg(feature = "tower")]
pub use queue::consumer::Request;
pub use queue::consumer::{
    AckMode, Backoff, Consumer, ConsumerBuilder, DeadLetter, DeadLetters, Delivery, DeliveryInfo,
    HandlerError, Nack, Processing, Receipt, Router, Run, Workers,
};
pub use queue::delayed_queue::DelayedQueue;
pub use queue::leased_element::{LeaseKind, LeasedElement};
pub use queue::leases::Leases;
pub use queue::object::QueueObject;
pub use queue::offer::{IfPending, Offer};
pub use queue::pending::{Entries, Pending};
pub use queue::quarantine::{Quarantine, QuarantinedMember};
pub use queue::selector::Selector;
pub use queue::sharded::{ShardedQueue, Shards};
pub use queue::stream::QueueStream;
pub use rate::RateLimit;
pub use side::Side;
pub use ticket::{ParseTicketError, ShardTicket, Ticket};
pub use trace::TraceCarrier;
pub use wire::ids::MemberIds;
pub use wire::name_mapper::{NameMapper, PrefixMapper};
pub use wire::{keys, packed, script};

#[doc(inline)]
pub use redisson_codec as codec;
#[doc(inline)]
pub use redisson_codec::java;

/// The bytes of payloads and members, as they appear in this crate's interface.
pub use bytes;
/// The Redis driver, for commands and scripts of your own.
///
/// Its types appear where they are meant for it: [`Master`] and [`script::Call`] take its commands
/// and values, and [`Address::from_driver`] and [`IntoAddress`] its configuration. When this crate
/// goes to another major version of the driver, that is a breaking change of these four, and of
/// nothing else. Errors do not show the driver: see [`Cause`].
pub use redis;
