//! The program `rdq` against real servers, one private server a test.
//!
//! Each file is a verb or a topic, each test a sentence.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod advice;
mod bench;
mod broken;
mod change;
mod dlq;
mod doctor;
mod drain;
mod ends;
mod export;
mod fill;
mod hand_back;
mod incident;
mod leases;
mod ls;
mod migrate;
mod offer;
mod offline;
mod profile;
mod quarantine;
mod queues;
mod rdq;
mod repair;
mod rights;
mod schema;
mod sniff;
mod stray;
mod tail;
mod take;
mod terminal;
mod transfer;
mod undo;
mod unknown;
mod vectors;
mod watch;
