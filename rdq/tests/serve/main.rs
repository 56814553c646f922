//! `rdq serve` as scripts, browsers and attackers see it, one private server a test.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod access;
mod connections;
mod dashboard;
mod elements;
#[path = "../cli/fill.rs"]
mod fill;
mod findings;
mod health;
mod held;
mod history;
mod http;
mod hung;
mod origin;
mod refusals;
mod scale;

use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue};

pub(crate) const HOUR: Duration = Duration::from_secs(3_600);

/// A queue whose elements nobody moves.
pub(crate) async fn queue(url: &str, name: &str) -> DelayedQueue<String> {
    let client = Client::builder().transfer(false);
    let client = client.connect(url).await.unwrap();
    client.delayed_queue(name, StringCodec).unwrap()
}
