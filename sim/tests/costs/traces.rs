//! Contexts of traces go beside the elements, and hold no call up.

use std::time::Duration;

use redisson_delayed_queue::{Client, ClientBuilder, Receipt, TraceCarrier};
use tokio::{task::LocalSet, time::Instant};
use tracing::Span;

use crate::{
    orders,
    redis::{ROUND_TRIP, Redis},
};

struct Constant;

impl TraceCarrier for Constant {
    fn inject(&self, _: &Span) -> Option<String> {
        Some("context".to_owned())
    }

    fn extract(&self, _: &Span, _: &str) {}
}

fn carrying() -> ClientBuilder {
    Client::builder().trace_carrier(Constant)
}

/// The answers to all contexts at once would take longer than Redis may take to answer.
#[tokio::test(start_paused = true)]
async fn many_offers_arrive_although_their_contexts_take_time() {
    let offer = async {
        let redis = Redis::slow(20);
        let timeout = Duration::from_secs(1);
        let queue = orders(&redis, carrying().response_timeout(timeout)).await;
        let values = (0..10_000).map(|it| (it.to_string(), Duration::from_secs(3_600)));
        let began = Instant::now();
        queue.offer_all(values).await.unwrap();
        (began.elapsed(), timeout)
    };
    let (time, timeout) = LocalSet::new().run_until(offer).await;
    assert!(time > timeout, "nothing took long: {time:?}");
}

#[tokio::test(start_paused = true)]
async fn deliveries_that_are_acknowledged_together_end_their_traces_together() {
    const COUNT: usize = 200;
    let acknowledge = async {
        let redis = Redis::start();
        redis.push("orders", COUNT);
        let queue = orders(&redis, carrying()).await;
        let consumer = queue.consumer().max_in_flight(COUNT).build().unwrap();
        let mut deliveries = Vec::new();
        while deliveries.len() < COUNT {
            deliveries.push(consumer.recv().await.unwrap());
        }
        let began = Instant::now();
        for outcome in Receipt::ack_all(&deliveries).await {
            outcome.unwrap();
        }
        began.elapsed()
    };
    let time = LocalSet::new().run_until(acknowledge).await;
    assert!(time < ROUND_TRIP * 20, "{time:?}");
}
