//! Handlers that are tower services.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use redisson_delayed_queue::{Backoff, HandlerError, Request};
use tokio::time::sleep;
use tower::{BoxError, ServiceBuilder, service_fn};

use super::*;
use crate::fixture::push;

/// Counts a service that runs, until it ends or is dropped.
struct Running(Arc<AtomicUsize>);

impl Running {
    fn begin(running: Arc<AtomicUsize>, most: &AtomicUsize) -> Self {
        most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
        Self(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

#[tokio::test]
async fn layers_decide_before_the_service_does() {
    let redis = RedisServer::start().await;
    let quick =
        |it: ConsumerBuilder<String>| it.delivery_limit(2).backoff(Backoff::fixed(Duration::ZERO));
    let consumer = consumer_of(Client::builder(), &redis.url(), quick).await;
    push(&redis, &["done", "slow", "rejected", "fails", "done"]).await;
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let service = {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        service_fn(move |request: Request<String>| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                let _running = Running::begin(running, &most);
                let slow = Duration::from_secs(3_600);
                let time = if request.value == "slow" {
                    slow
                } else {
                    Duration::from_millis(20)
                };
                sleep(time).await;
                match request.value.as_str() {
                    "rejected" => Ok(Err(HandlerError::reject("nonsense"))),
                    "fails" => Err(BoxError::from("no network")),
                    _ => Ok(Ok(())),
                }
            }
        })
    };
    let service = ServiceBuilder::new()
        .concurrency_limit(2)
        .timeout(Duration::from_millis(300))
        .service(service);
    let done = async {
        eventually(SOON, "three are dead", async || {
            dead(&redis).await.0.len() == 3
        })
        .await;
        assert_nothing_left(&redis).await;
    };
    tokio::select! {
        () = consumer.run_service(4, service).into_future() => panic!("it never ends by itself"),
        () = done => {}
    }
    let (mut letters, _) = dead(&redis).await;
    letters.sort();
    assert_eq!(letters, ["fails", "rejected", "slow"]);
    assert_eq!(most.load(SeqCst), 2);
}
