//! Elements that Rust makes due earlier while Java transfers.

use std::time::Duration;

use redisson_delayed_queue::{Client, DelayedQueue, codec::StringCodec};
use testbed::PATIENCE;
use tokio::runtime::Runtime;

use crate::{elements::assert_on_time, stage::Stage};

/// A message must tell Java of the new due time, whatever server each of them is connected to: Java
/// knows only what messages say. In a cluster the queues lie on all masters.
pub(crate) fn wakes_java(stage: &mut Stage) {
    let runtime = Runtime::new().expect("the system has threads");
    runtime.block_on(async {
        let builder = Client::builder().transfer(false);
        let client = stage.place.connect(builder).await;
        for name in ["sooner-0", "sooner-1", "sooner-2", "sooner-3"] {
            let queue: DelayedQueue<String> = client
                .delayed_queue(name, StringCodec)
                .expect("the client is open");
            due_earlier(stage, name, &queue).await;
        }
    });
}

async fn due_earlier(stage: &mut Stage, name: &str, queue: &DelayedQueue<String>) {
    let offer = async |value: &str, delay| {
        let offered = queue.offer(&value.to_owned(), delay).await;
        offered.expect("redis accepts offers")
    };
    let [_, java] = &mut stage.peers;
    java.open(name, name, "string");
    // Redisson also looks when it has subscribed. An element that was taken shows that it has.
    offer("warm-up", Duration::ZERO).await;
    assert!(java.poll(name, PATIENCE).is_some(), "{name}: no warm-up");

    loop {
        let before = stage.scripts(name);
        let ticket = offer("value", Duration::from_secs(60)).await;
        let sooner = queue.reschedule(&ticket, Duration::from_secs(1)).await;
        assert!(sooner.expect("redis reschedules"), "it was scheduled");
        if stage.scripts(name) == before + 2 {
            break;
        }
        stage.forget_pending(name);
    }
    let due_ms = stage.due_ms(name, b"value");
    let taken = stage.peers[1].poll(name, PATIENCE);
    assert_on_time(&format!("{}, {name}", stage.what), taken, "value", due_ms);
}
