//! Verbs of `rdq` on queues that real Redisson filled, moves, and broke.
//!
//! `ELEMENTS=100000 cargo test -p interop --test operator migrate -- --nocapture` migrates so many
//! elements, instead of 5,000.

mod export;
mod hand_back;
mod healthy;
mod leases;
mod migrate;
mod queue;
mod repair;

use interop::operator::{Operated, operate};
use queue::Queue;

/// Runs `rdq` on the server of the queue.
fn rdq(queue: &Queue, args: &[&str]) -> Operated {
    operate(env!("CARGO_BIN_EXE_peer"), &queue.server.url(), args)
}

/// The findings of a check.
fn finding<'a>(examined: &'a Operated, check: &str) -> &'a serde_json::Value {
    let found = examined.rows.iter().find(|it| it["check"] == check);
    found.unwrap_or_else(|| panic!("{check} is not among {:#?}", examined.rows))
}
