//! Scenarios that run this crate and real Redisson on one Redis.
//!
//! This package's `README.md` says how to run them and holds the protocol between its parts:
//!
//! - [`peer`]: starts a process that speaks either language, and drives it.
//! - [`value`]: the values in its commands and replies.
//! - `java/`: the Java process, a real Redisson of a chosen version.

mod java;
pub mod peer;
pub mod value;
