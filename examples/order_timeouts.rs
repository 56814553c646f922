//! Cancels orders that nobody has paid in time. A Java service places them with `RDelayedQueue`, and
//! this one takes them as they become due. The service that knows the payments fails now and then, so
//! an order is tried up to five times. A killed process loses nothing.
//!
//! ```sh
//! cargo run --example order_timeouts &
//! mvn -q -f examples/java/pom.xml process-classes
//! java -cp 'examples/java/target/classes:examples/java/target/lib/*' com.example.PlaceOrders example-timeouts 10
//! ```
//!
//! Both use the Redis of `REDIS_URL`, or the one on this machine.

use std::time::Duration;

use redisson_delayed_queue::codec::TypedJsonJacksonCodec;
use redisson_delayed_queue::{Backoff, Client, DelayedQueue, DeliveryInfo, HandlerError, Result};
use serde::{Deserialize, Serialize};

/// In Java: `examples/java/src/main/java/com/example/Order.java`
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    order_id: u32,
    quantity: u32,
}

/// Cancels one order unless it is paid. After any error the order comes again later, so cancelling an
/// order twice must do no harm.
async fn cancel_unpaid(order: Order, info: DeliveryInfo) -> Result<(), HandlerError> {
    if is_paid(order.order_id, info.attempt())? {
        println!("order {} is paid", order.order_id);
    } else {
        println!("order {} is cancelled", order.order_id);
    }
    Ok(())
}

/// Stands for a call of the service that knows the payments. It has an answer about every fourth
/// order only when it is asked again.
fn is_paid(order_id: u32, attempt: u16) -> Result<bool, std::io::Error> {
    if order_id.is_multiple_of(4) && attempt == 1 {
        return Err(std::io::Error::other(format!(
            "no answer about order {order_id}"
        )));
    }
    Ok(order_id.is_multiple_of(3))
}

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let client = Client::connect(url).await?;
    let codec = TypedJsonJacksonCodec::new();
    let orders: DelayedQueue<Order> = client.delayed_queue("example-timeouts", codec)?;

    let second = Duration::from_secs(1);
    let consumer = orders
        .consumer()
        .delivery_limit(5)
        .backoff(Backoff::exponential(second / 2, 60 * second))
        .build()?;
    println!("press ctrl-c to stop");
    let interrupted = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    consumer.run(4, cancel_unpaid).until(interrupted).await;
    client.shutdown().await
}
