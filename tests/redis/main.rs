//! The crate against a real Redis, one private server a test.
//!
//! Each file is a topic, each test a sentence. Names in brackets, as in `[A3]`, are the known defects of Redisson's
//! delayed queue that a test proves this crate free of; `docs/defects-of-redisson.md` lists them.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod abandoned;
mod address;
mod ahead;
mod at_most_once;
mod backlog;
mod blocked;
mod bounded;
mod calls;
mod cancellation;
mod claim;
mod clock;
mod codec_panic;
mod conservation;
mod consumer;
mod database;
mod deque;
mod distance;
mod entries;
mod expiry;
mod fixture;
mod garbage;
mod herd;
mod hint;
mod keyspace;
mod large;
mod large_take;
mod leases;
mod leftover;
mod list;
mod list_move;
mod lookup;
mod master;
#[cfg(feature = "metrics")]
mod metrics;
mod moves;
mod name_mapper;
mod network;
mod offer;
mod offer_at;
mod offer_crowd;
mod offer_many;
mod offer_with;
mod pause;
mod pending;
#[cfg(feature = "periodic")]
mod periodic;
mod poison;
mod quarantine;
mod refusal;
mod relay;
mod removal;
mod reply_limit;
mod reschedule;
mod resp2;
mod runtime;
mod select;
mod sharded;
mod shutdown;
mod storm;
mod stream;
mod subscription;
mod support;
mod take;
mod take_many;
#[cfg(feature = "test-util")]
mod test_util;
mod transfer;
mod transfer_rest;
mod twins;
mod unique;
mod unlisted;
mod unpolled;
