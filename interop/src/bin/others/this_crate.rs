//! This crate, with one caller.

use std::time::{Instant, SystemTime};

use redisson_delayed_queue::{Client, DelayedQueue, codec::StringCodec};
use testbed::Server;
use tokio::runtime::Runtime;

use crate::{
    FAR, Work,
    lateness::{Lateness, due_in},
};

pub(crate) fn measure(work: Work) -> Lateness {
    let redis = Server::start();
    let runtime = Runtime::new().expect("the system has threads");
    let measured = runtime.block_on(async {
        let client = Client::connect(redis.url()).await?;
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec)?;
        let others = (0..work.others).map(|i| (format!("other {i}"), FAR));
        queue.offer_all(others).await?;
        queue
            .offer_all(work.delays().map(|it| (due_in(it), SystemTime::now() + it)))
            .await?;

        let end = Instant::now() + work.length();
        let mut late = Lateness::of(work.due);
        while !late.is_complete()
            && let Some(left) = end.checked_duration_since(Instant::now())
        {
            if let Some(due) = queue.poll(left).await? {
                late.came(&due);
            }
        }
        client.shutdown().await?;
        Ok::<_, redisson_delayed_queue::Error>(late)
    });
    measured.expect("redis works")
}
