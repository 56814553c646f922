//! Offers three values with a delay. Run a consumer beside it, in Rust or Java:
//!
//! ```sh
//! cargo run --example take &
//! cargo run --example offer
//! ```
//!
//! Both use the Redis of `REDIS_URL`, or the one on this machine.

use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Result};

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let client = Client::connect(url).await?;
    let queue: DelayedQueue<String> = client.delayed_queue("greetings", StringCodec)?;
    for seconds in 1..=3 {
        let greeting = format!("hello after {seconds} s");
        queue.offer(&greeting, Duration::from_secs(seconds)).await?;
        println!("offered: {greeting}");
    }
    // The producer may go: whoever consumes also moves what is due.
    client.shutdown().await
}
