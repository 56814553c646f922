//! Works on orders, four at a time, until it is asked to stop by Ctrl-C or by SIGTERM, which Docker,
//! Kubernetes and systemd send. An order that fails is tried again, five times in all, and is then a
//! dead letter, which Java can read. A killed process loses nothing.
//!
//! ```sh
//! cargo run --example worker
//! ```
//!
//! Uses the Redis of `REDIS_URL`, or the one on this machine.

use std::time::Duration;

use redisson_delayed_queue::codec::TypedJsonJacksonCodec;
use redisson_delayed_queue::{Backoff, Client, DelayedQueue, DeliveryInfo, HandlerError, Result};
use serde::{Deserialize, Serialize};

/// In Java: `public class Order { public int orderId; public int quantity; }`
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    order_id: u32,
    quantity: u32,
}

/// Ships one order. After any error the order comes again later.
async fn ship(order: Order, info: DeliveryInfo) -> Result<(), HandlerError> {
    let Order { order_id, quantity } = order;
    println!("attempt {} at order {order_id}", info.attempt());
    if quantity == 0 {
        return Err(HandlerError::reject("an order of nothing"));
    }
    if order_id % 3 == 0 && info.attempt() < 3 {
        Err(std::io::Error::other("the warehouse does not answer"))?;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    println!("order {order_id} is shipped");
    Ok(())
}

/// Returns when the process gets Ctrl-C or, on Unix, SIGTERM.
async fn asked_to_stop() {
    #[cfg(unix)]
    let terminated = async {
        use tokio::signal::unix::{SignalKind, signal};
        let mut signals = signal(SignalKind::terminate()).expect("SIGTERM can be handled");
        signals.recv().await;
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let client = Client::connect(url).await?;
    let codec = TypedJsonJacksonCodec::new();
    let orders: DelayedQueue<Order> = client.delayed_queue("example-orders", codec)?;
    for order_id in 1..=8 {
        // The last one is a mistake.
        let quantity = 8 - order_id;
        let order = Order { order_id, quantity };
        orders.offer(&order, Duration::from_secs(1)).await?;
    }

    let second = Duration::from_secs(1);
    let backoff = Backoff::exponential(second / 2, 60 * second);
    let consumer = orders
        .consumer()
        .delivery_limit(5)
        .backoff(backoff)
        .build()?;
    println!("press ctrl-c to stop");
    consumer
        .run(4, ship)
        .timeout(60 * second)
        .until(asked_to_stop())
        .await;

    let mut letters = consumer.dead_letters().iter();
    while let Some(letter) = letters.next().await {
        let letter = letter?;
        let reason = letter.reason().unwrap_or("?");
        match letter.value() {
            Ok(order) => println!("order {} is dead: {reason}", order.order_id),
            Err(error) => println!("an order that cannot be read is dead: {error}"),
        }
    }
    // Sends what is left to acknowledge.
    client.shutdown().await
}
