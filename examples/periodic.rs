//! Offers a report every ten seconds, once among all processes that run this. Start it twice: each
//! report comes to one of them. Stopping either one ends the schedule for both.
//!
//! ```sh
//! cargo run --features periodic --example periodic
//! ```
//!
//! Uses the Redis of `REDIS_URL`, or the one on this machine.

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Result, Schedule};

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let client = Client::connect(url).await?;
    let reports: DelayedQueue<String> = client.delayed_queue("example-reports", StringCodec)?;

    // The second, minute, hour, day, month and weekday. To schedule the same again changes nothing.
    let every_ten_seconds = Schedule::cron("*/10 * * * * *")?;
    let outcome = reports
        .schedule("sales", &"sales".to_owned(), &every_ten_seconds)
        .await?;
    println!("{outcome:?}; press ctrl-c to stop");
    loop {
        tokio::select! {
            report = reports.take() => println!("write the report on {}", report?),
            _ = tokio::signal::ctrl_c() => break,
        }
    }
    // Without this, the schedule stays in Redis, and any Rust client of the queue that has the
    // feature `periodic` goes on firing it.
    reports.unschedule("sales").await?;
    client.shutdown().await
}
