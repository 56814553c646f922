//! A service that exports its metrics to Prometheus: it offers an order every 100 ms, works on what is
//! due, and fails at some. `docs/monitoring.md` explains the metrics, and has a dashboard and alerts.
//!
//! ```sh
//! cargo run --features metrics --example metrics
//! curl http://127.0.0.1:9000/metrics
//! ```
//!
//! Uses the Redis of `REDIS_URL`, or the one on this machine. `METRICS` is the address to listen on.

use std::net::SocketAddr;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use redisson_delayed_queue::codec::LongCodec;
use redisson_delayed_queue::metrics::{PREFIX, SECONDS};
use redisson_delayed_queue::{Client, DelayedQueue, DeliveryInfo, HandlerError};

/// Ships one order. Every tenth fails once, every hundredth for good.
async fn ship(order: i64, info: DeliveryInfo) -> Result<(), HandlerError> {
    tokio::time::sleep(Duration::from_millis(20)).await;
    if order % 100 == 99 {
        return Err(HandlerError::reject("the address does not exist"));
    }
    if order % 10 == 9 && info.attempt() == 1 {
        return Err(HandlerError::retry("the warehouse does not answer"));
    }
    Ok(())
}

/// Offers an order every 100 ms, due a second later.
async fn offer(orders: &DelayedQueue<i64>) -> redisson_delayed_queue::Result<()> {
    for order in 0.. {
        orders.offer(&order, Duration::from_secs(1)).await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::var("METRICS").unwrap_or_else(|_| "127.0.0.1:9000".to_owned());
    let address: SocketAddr = address.parse()?;
    // Before the client connects: it records with the recorder that it finds.
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Prefix(PREFIX.to_owned()), &SECONDS)?
        .with_http_listener(address)
        .install()?;

    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let client = Client::connect(url).await?;
    let orders: DelayedQueue<i64> = client.delayed_queue("example-metered", LongCodec)?;
    let consumer = orders.consumer().build()?;
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    let shipping = consumer.run(8, ship).until(stop).into_future();

    println!("metrics at http://{address}/metrics; press ctrl-c to stop");
    tokio::select! {
        () = shipping => {}
        offered = offer(&orders) => offered?,
    }
    client.shutdown().await?;
    Ok(())
}
