//! Moves a service from `take()` to a `Consumer` while Java goes on placing orders: the new program is
//! deployed beside the old one, and the old one is stopped. No order is lost, and none comes twice.
//!
//! ```sh
//! cargo run --example migration &
//! mvn -q -f examples/java/pom.xml process-classes
//! java -cp 'examples/java/target/classes:examples/java/target/lib/*' com.example.PlaceOrders example-migration 30
//! ```
//!
//! Both use the Redis of `REDIS_URL`, or the one on this machine.

use std::collections::HashSet;

use redisson_delayed_queue::codec::TypedJsonJacksonCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Error, HandlerError, Result};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

/// In Java: `examples/java/src/main/java/com/example/Order.java`
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    order_id: u32,
    quantity: u32,
}

/// How many orders each of the three phases has: the old program alone, both, the new one alone.
const PHASE: usize = 10;

/// The old program: what it has taken is gone from Redis.
async fn run_old(client: Client, handled: UnboundedSender<u32>) -> Result<()> {
    let orders = orders_of(&client)?;
    loop {
        match orders.take().await {
            Ok(order) => ship("old", &order, &handled),
            Err(Error::Closed) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// The new program: an order stays in Redis until it is acknowledged.
async fn run_new(
    client: Client,
    handled: UnboundedSender<u32>,
    stop: oneshot::Receiver<()>,
) -> Result<()> {
    let consumer = orders_of(&client)?.consumer().build()?;
    let handler = move |order: Order, _| {
        ship("new", &order, &handled);
        async { Ok::<(), HandlerError>(()) }
    };
    let stopped = async {
        let _ = stop.await;
    };
    consumer.run(4, handler).until(stopped).await;
    // After that, because it sends the last acknowledgements.
    client.shutdown().await
}

fn orders_of(client: &Client) -> Result<DelayedQueue<Order>> {
    client.delayed_queue("example-migration", TypedJsonJacksonCodec::new())
}

fn ship(program: &str, order: &Order, handled: &UnboundedSender<u32>) {
    println!("{program}: order {} is shipped", order.order_id);
    // Nobody counts any more when the example ends.
    let _ = handled.send(order.order_id);
}

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let (handled, mut orders) = mpsc::unbounded_channel();
    let mut seen = HashSet::new();

    // Each client stands for a process.
    let old = Client::connect(url.as_str()).await?;
    let old_program = tokio::spawn(run_old(old.clone(), handled.clone()));
    count(&mut orders, &mut seen).await;

    println!("deploy the new program");
    let new = Client::connect(url.as_str()).await?;
    let (stop, stopped) = oneshot::channel();
    let new_program = tokio::spawn(run_new(new, handled, stopped));
    count(&mut orders, &mut seen).await;

    println!("stop the old program");
    // It gives back what it claimed and did not hand over.
    old.shutdown().await?;
    old_program.await.expect("it does not panic")?;
    count(&mut orders, &mut seen).await;

    drop(stop);
    new_program.await.expect("it does not panic")?;
    println!("{} orders came once each", seen.len());
    Ok(())
}

/// Waits until one more phase of orders is shipped.
async fn count(orders: &mut UnboundedReceiver<u32>, seen: &mut HashSet<u32>) {
    for _ in 0..PHASE {
        let order = orders.recv().await.expect("a program runs");
        assert!(seen.insert(order), "order {order} came twice");
    }
}
