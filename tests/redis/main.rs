//! The crate against a real Redis, one private server a test.
//!
//! Each file is a topic, each test a sentence. Names in brackets, as in `[A3]`, are the known defects of Redisson's
//! delayed queue that a test proves this crate free of; `CONTRIBUTING.md` lists them.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod cancellation;
mod conservation;
mod expiry;
mod fixture;
mod lookup;
mod network;
mod offer;
mod offer_at;
mod offer_many;
mod poison;
mod refusal;
mod support;
mod take;
mod transfer;
mod unique;
