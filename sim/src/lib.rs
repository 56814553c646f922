//! A Redis without a process, a socket or a clock of its own, which runs the real scripts.
//!
//! Everything happens on the caller's thread and depends on nothing but the calls: the same calls
//! give the same bytes. `tests/differential` compares it with a real Redis.
//!
//! - [`Server`] is the Redis. Bytes of a connection go in, and bytes come out.
//! - [`Keyspace`] is what a database holds.
//! - [`Condition`] is what may be wrong with a server.
//! - [`Slots`] are those of a cluster, as one of its servers sees them.
//!
//! - [`run`] is a schedule: processes with the real client, a network, and this Redis or a cluster of
//!   it in virtual time, and accidents, all from one seed. `world` passes the time and lets accidents
//!   happen, `process` is a runtime for each process, `redisson` what runs in those of Java, `pipe` a
//!   stream, `plan` the accidents, `ledger` what was offered and what came, and `chance` the
//!   randomness of the process.
//! - [`DEFECTS`] are what a schedule must find in scripts that have them.
//!
//! It has the commands that the crate, its scripts and Redisson's delayed queue send, and answers
//! as Redis 7.0 does.

mod acl;
mod chance;
mod command;
mod defect;
mod fault;
mod keyspace;
mod ledger;
mod number;
mod pack;
mod pattern;
mod pipe;
mod plan;
mod process;
mod redisson;
mod reply;
mod request;
mod script;
mod server;
mod session;
mod sorted_set;
mod tracking;
mod work;
mod world;

pub use defect::{DEFECTS, Defect};
pub use keyspace::Keyspace;
pub use server::{Condition, Server, slots::Slots};
pub use session::SessionId;
pub use work::Work;
pub use world::{Outcome, run};
