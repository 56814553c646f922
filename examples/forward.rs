//! Forwards orders to RabbitMQ as they become due, until Ctrl-C. An order stays in Redis until the broker
//! has confirmed its message, so nothing is lost if this process, Redis or the broker dies.
//!
//! ```sh
//! docker run -d -p 5672:5672 rabbitmq # or any other RabbitMQ, with an exchange `orders`
//! cargo run --features amqp --example forward
//! ```
//!
//! Uses the Redis of `REDIS_URL` and the broker of `AMQP_URL`, or those on this machine.

use std::error::Error;
use std::time::Duration;

use redisson_delayed_queue::amqp::{Properties, Publisher};
use redisson_delayed_queue::codec::TypedJsonJacksonCodec;
use redisson_delayed_queue::{Client, DelayedQueue};
use serde::{Deserialize, Serialize};

/// In Java: `public class Order { public int orderId; public String region; }`
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    order_id: u32,
    region: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let redis = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let broker = std::env::var("AMQP_URL").unwrap_or_else(|_| "amqp://127.0.0.1/%2f".to_owned());
    let client = Client::connect(redis).await?;
    let codec = TypedJsonJacksonCodec::new();
    let orders: DelayedQueue<Order> = client.delayed_queue("example-forwarded", codec)?;
    for (order_id, region) in (1..).zip(["eu", "us", "eu"]) {
        let region = region.to_owned();
        let order = Order { order_id, region };
        orders.offer(&order, Duration::from_secs(1)).await?;
    }

    let publisher = Publisher::builder("orders", TypedJsonJacksonCodec::new())
        .routing_key_by(|order: &Order| format!("due.{}", order.region))
        .properties_by(|_| Properties::new().content_type("application/json"))
        .connect(broker)
        .await?;
    println!("press ctrl-c to stop");
    let interrupted = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    let consumer = orders.consumer().build()?;
    let forwarding = consumer.run(16, publisher.handler());
    forwarding.until(interrupted).await;
    Ok(client.shutdown().await?)
}
