//! How hints tell a Rust process what Java did.

use std::time::Duration;

use redisson_delayed_queue::{Client, DelayedQueue, codec::StringCodec};
use tokio::runtime::Runtime;

use crate::stage::{ON_TIME, Stage, until};

/// What Java offers is moved on time, and what Java moves is taken on time, by Rust clients that
/// look at their queues of their own accord only every half minute. By default they do every
/// second, which would hide a missed hint.
pub(crate) fn of_java_reach_rust(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let mut stage = Stage::new(version);
    for (name, rust_transfers) in [("java-offers", true), ("java-moves", false)] {
        let what = format!("{version}, {name}");
        runtime.block_on(async {
            let builder = Client::builder()
                .safety_poll(SELDOM)
                .transfer(rust_transfers);
            let client = builder.connect(stage.url()).await;
            let client = client.expect("the private redis accepts connections");
            let queue: DelayedQueue<String> = client
                .delayed_queue(name, StringCodec)
                .expect("the client is open");
            if rust_transfers {
                stage.java.open_offering(name, name, "string");
            } else {
                stage.java.open(name, name, "string");
            }
            stage.raw.await_movers(name, 1);

            // The second is due first, so that a mover must hear of it.
            for (value, seconds) in [("later", 60), ("soon", 3)] {
                stage.java.offer(name, Duration::from_secs(seconds), value);
            }
            let due_ms = stage.raw.due_ms(name, b"soon");
            let taken = queue.poll(until(due_ms) + ON_TIME).await;
            assert_eq!(
                taken.expect("redis answers").as_deref(),
                Some("soon"),
                "{what}"
            );
            assert_eq!(until(due_ms), Duration::ZERO, "{what}: early");
        });
    }
}

/// Far longer than an element may be late.
const SELDOM: Duration = Duration::from_secs(30);
