//! Scenarios that run this crate and real Redisson on one Redis.
//!
//! This package's `README.md` says how to run them and holds the protocol between their parts:
//!
//! - [`peer`]: starts a process that speaks either language, and drives it.
//! - [`address`]: where peers find Redis, on any topology.
//! - [`operator`]: runs `rdq`, the operator's tool.
//! - [`oracle`]: asks the codecs of real Redisson about payloads.
//! - [`exact`]: values as the oracle prints them with all their classes, and where two differ.
//! - [`codecs`]: the codecs of this crate by the names of Redisson's.
//! - [`payload`]: payloads that real Redisson wrote, and what it reads from them.
//! - [`value`]: the values in its commands and replies.
//! - [`caller`]: starts a process of any revision of this crate that makes all its calls.
//! - [`order`], [`delays`]: what the peers of both languages have in common.
//! - [`messages`]: what is published while a test runs.
//! - [`proxy`]: a network before a server that is slow or silent.
//! - [`keyspace`]: what Redis holds of a queue.
//! - [`random`]: random values of the classes that both sides know.
//! - [`tally`]: whether each element came once.
//! - `bin/peer/`: the Rust process.
//! - `java/`: the Java process, a real Redisson of a chosen version.
//! - `bench/`: a package apart that measures both languages on one Redis.
//! - `bin/crashes/`: kills and stops of processes that acknowledge what they handle.
//! - `bin/forwarding/`: what forwarding to RabbitMQ promises.
//! - `bin/demo/`: both on one queue, and how late each element was.
//! - `bin/sharded.rs`: both on one logical queue over several names.

pub mod address;
pub mod caller;
pub mod codecs;
pub mod delays;
pub mod exact;
mod java;
pub mod keyspace;
pub mod messages;
pub mod operator;
pub mod oracle;
pub mod order;
pub mod payload;
pub mod peer;
pub mod proxy;
pub mod random;
pub mod tally;
pub mod value;
