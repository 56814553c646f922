//! Tests on real clusters and Sentinels, and over TLS.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod address;
mod announcer;
mod cluster;
mod consumer;
mod durability;
mod fixture;
mod login;
mod resp2;
mod rights;
mod sentinel;
mod sharded;
mod tls;
