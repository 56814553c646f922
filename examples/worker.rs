//! Works on orders, four at a time, until interrupted. An order that fails is offered again a little
//! later, three times at most.
//!
//! ```sh
//! cargo run --example worker
//! ```
//!
//! Uses the Redis of `REDIS_URL`, or the one on this machine.

use std::time::Duration;

use redisson_delayed_queue::codec::TypedJsonJacksonCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Result};
use serde::{Deserialize, Serialize};

/// In Java: `public class Order { public String orderId; public int failures; }`
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    order_id: String,
    failures: u32,
}

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let client = Client::connect(url).await?;
    let codec = TypedJsonJacksonCodec::new();
    let queue: DelayedQueue<Order> = client.delayed_queue("example-orders", codec)?;
    for number in 1..=8 {
        let order = Order {
            order_id: number.to_string(),
            failures: 0,
        };
        queue.offer(&order, Duration::from_secs(1)).await?;
    }

    let (stop, stopped) = tokio::sync::watch::channel(false);
    let workers = (0..4).map(|_| tokio::spawn(work(queue.clone(), stopped.clone())));
    let workers: Vec<_> = workers.collect();
    println!("press ctrl-c to stop");
    let _ = tokio::signal::ctrl_c().await;
    // Each worker finishes the order that it has in hand.
    let _ = stop.send(true);
    for worker in workers {
        let _ = worker.await;
    }
    // Orders that this process had claimed ahead go back to the queue.
    client.shutdown().await
}

async fn work(queue: DelayedQueue<Order>, mut stopped: tokio::sync::watch::Receiver<bool>) {
    loop {
        let order = tokio::select! {
            // Dropping a waiting `take()` loses nothing.
            _ = stopped.wait_for(|stopped| *stopped) => return,
            order = queue.take() => order,
        };
        match order {
            Ok(order) => {
                if let Err(error) = attend(&queue, order).await {
                    eprintln!("cannot offer an order again: {error}");
                }
            }
            Err(redisson_delayed_queue::Error::Closed) => return,
            // A lost connection comes back by itself. An order that cannot be decoded is inside
            // the error.
            Err(error) => eprintln!("cannot take an order: {error}"),
        }
    }
}

/// Ships an order, or offers it again.
async fn attend(queue: &DelayedQueue<Order>, mut order: Order) -> Result<()> {
    match ship(&order) {
        Ok(()) => println!("shipped {}", order.order_id),
        Err(error) if order.failures == 3 => println!("gave up {}: {error}", order.order_id),
        Err(error) => {
            println!("will retry {}: {error}", order.order_id);
            order.failures += 1;
            queue.offer(&order, Duration::from_secs(2)).await?;
        }
    }
    Ok(())
}

/// The work. Orders with an even number fail at first.
fn ship(order: &Order) -> std::result::Result<(), String> {
    let is_even = order.order_id.ends_with(['0', '2', '4', '6', '8']);
    if is_even && order.failures == 0 {
        return Err("the carrier does not answer".to_owned());
    }
    Ok(())
}
