//! The process that forwards.

use std::time::Duration;

use redisson_delayed_queue::{
    Backoff, Client,
    amqp::{Error, Publisher},
    codec::StringCodec,
};
use tokio::time::sleep;

use crate::conservation::QUEUE;

/// Forwards until it is killed.
pub(crate) async fn serve(redis: &str, broker: &str) {
    let client = loop {
        match Client::connect(redis).await {
            Ok(client) => break client,
            Err(error) => tell(&error).await,
        }
    };
    let publisher: Publisher<String> = loop {
        let builder = Publisher::builder(QUEUE, StringCodec);
        match builder.connect(broker).await {
            Ok(publisher) => break publisher,
            Err(error @ Error::Connect { .. }) => tell(&error).await,
            Err(error) => panic!("{error}"),
        }
    };
    let queue = client.delayed_queue(QUEUE, StringCodec).expect("a queue");
    let consumer = queue
        .consumer()
        .backoff(Backoff::fixed(Duration::from_millis(50)))
        // A fault is no fault of the element.
        .delivery_limit(u16::MAX)
        .visibility(Duration::from_secs(1))
        .build()
        .expect("a consumer");
    consumer.run(16, publisher.handler()).await;
}

async fn tell(error: &(dyn std::error::Error + Sync)) {
    eprintln!("{error}");
    sleep(Duration::from_millis(100)).await;
}
