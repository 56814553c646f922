//! Queues that get another name, or go, while Java transfers and takes.

use std::time::Duration;

use redisson_delayed_queue::{Client, DelayedQueue, codec::StringCodec};
use tokio::runtime::Runtime;

use crate::{messages::Case, stage::Stage};

/// Java, which transfers and takes under both names, hears of what comes to the new one, is not
/// stalled by what leaves the old one, and delivers nothing that was deleted.
pub(crate) fn followed_by_java(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let mut stage = Stage::new(version);
    runtime.block_on(async {
        let client = Client::builder().transfer(false).connect(stage.url()).await;
        let client = client.expect("the private redis accepts connections");

        for (old, new) in [("old", "new"), ("{ü}-old", "{ü}-new")] {
            let from = Case::open(&mut stage, &client, old).await;
            let to = Case::open(&mut stage, &client, new).await;
            // Behind it on the new name, and gone with that.
            to.offer(&mut stage, "gone", 60).await;
            let a = from.offer(&mut stage, "a", 2).await;
            assert!(
                from.offering
                    .object()
                    .rename(new)
                    .await
                    .expect("redis renames")
            );
            let b = from.offer(&mut stage, "b", 2).await;
            stage.take_on_time(&to.queue, b"a", a.due_ms);
            stage.take_on_time(&from.queue, b"b", b.due_ms);

            let c = from.offer(&mut stage, "c", 1).await;
            assert!(
                from.offering
                    .object()
                    .copy_to(new)
                    .await
                    .expect("redis copies")
            );
            stage.take_on_time(&from.queue, b"c", c.due_ms);
            stage.take_on_time(&to.queue, b"c", c.due_ms);

            // What is due reaches a taker that waits already.
            stage.java.start(&format!("poll {new} 10000"));
            tokio::time::sleep(Duration::from_millis(300)).await;
            let unmoved: DelayedQueue<String> = client
                .delayed_queue(format!("{old}-unmoved"), StringCodec)
                .expect("the client is open");
            let due = "d".to_owned();
            unmoved
                .destination()
                .offer(&due)
                .await
                .expect("redis accepts it");
            let done = unmoved.object().rename(new).await;
            assert!(done.expect("redis renames"), "{version}");
            let reply = format!("{:?}", stage.java.finish());
            assert!(reply.contains("x64"), "{version}: {reply}");

            // A deletion leaves Java's timer behind, which does no harm.
            from.offer(&mut stage, "deleted", 1).await;
            assert!(
                from.offering
                    .object()
                    .delete()
                    .await
                    .expect("redis deletes")
            );
            let e = from.offer(&mut stage, "e", 1).await;
            stage.take_on_time(&from.queue, b"e", e.due_ms);
            from.offer(&mut stage, "ended", 2).await;
            let ended = from.offering.object().expire(Duration::from_secs(1)).await;
            assert!(ended.expect("redis lets keys end"));
            tokio::time::sleep(Duration::from_millis(1_100)).await;
            let f = from.offer(&mut stage, "f", 1).await;
            stage.take_on_time(&from.queue, b"f", f.due_ms);
        }
    });
}
