//! The producer is gone when its element comes due.

use std::time::Duration;

use interop::peer::Peer;

use crate::stage::{Language, Roles, Stage, rust_peer};

/// The producer is killed while it is the only process that transfers for the queue; only then does
/// the other language open the queue. The element is on time all the same.
pub(crate) fn producer_killed_before_due(version: &'static str) {
    let mut stage = Stage::new(version);
    let url = stage.url();
    for (language, survivor) in [
        (Language::Rust, Language::Java),
        (Language::Java, Language::Rust),
    ] {
        let name = format!("{language:?}-is-killed");
        let mut producer = match language {
            Language::Rust => rust_peer(&url),
            Language::Java => Peer::java(version, &url),
        };
        producer.open("q", &name, "json");
        producer.offer("q", Duration::from_secs(3), ORDER);
        let due_ms = stage.raw.due_ms(&name, ORDER);
        producer.kill();
        stage.raw.await_movers(&name, 0);

        let roles = Roles {
            producer: language,
            mover: survivor,
            consumer: survivor,
        };
        let queue = stage.open(roles, &name, "json");
        stage.take_on_time(&queue, ORDER, due_ms);
    }
    stage.raw.await_empty(version);
}

const ORDER: &[u8] = br#"{"amountCents":250,"id":"A-7","quantity":1}"#;
