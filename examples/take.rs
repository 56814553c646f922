//! Prints what becomes due, until interrupted; then gives back what it has not printed.
//!
//! ```sh
//! cargo run --example take
//! ```
//!
//! Uses the Redis of `REDIS_URL`, or the one on this machine.

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Result};

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let client = Client::connect(url).await?;
    let queue: DelayedQueue<String> = client.delayed_queue("greetings", StringCodec)?;
    let mut greetings = queue.stream();
    let mut events = client.events();
    loop {
        tokio::select! {
            // Dropping the other branch's future loses nothing.
            _ = tokio::signal::ctrl_c() => break,
            Some(greeting) = greetings.next() => match greeting {
                Ok(greeting) => println!("took: {greeting}"),
                Err(error) => tell(&error),
            },
            Some(event) = events.next() => eprintln!("{event:?}"),
        }
    }
    client.shutdown().await
}

/// Prints the error and its causes: an error shows only its own level, and what Redis said is its
/// `source()`.
fn tell(mut error: &dyn std::error::Error) {
    eprintln!("{error}");
    while let Some(cause) = error.source() {
        eprintln!("  because: {cause}");
        error = cause;
    }
}
