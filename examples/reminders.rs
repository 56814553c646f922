//! Schedules reminders, one for each order, then looks at them, moves one and cancels one.
//!
//! ```sh
//! cargo run --example reminders
//! ```
//!
//! Uses the Redis of `REDIS_URL`, or the one on this machine.

use std::time::{Duration, SystemTime};

use futures::TryStreamExt;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, IfPending, Offer, Result, Ticket};

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let client = Client::connect(url).await?;
    let reminders: DelayedQueue<String> = client.delayed_queue("example-reminders", StringCodec)?;

    // The key allows one pending reminder an order: the last one wins.
    let in_an_hour = Offer::after(HOUR).key("17").if_pending(IfPending::Replace);
    let first = "order 17 has 2 items".to_owned();
    reminders.offer_with(&first, in_an_hour.clone()).await?;
    let second = "order 17 has 3 items".to_owned();
    let offered = reminders.offer_with(&second, in_an_hour).await?;
    println!("{:?}: {second}", offered.outcome);

    // Without a key each offer is an element of its own. This one is of no use after two hours.
    let now = SystemTime::now();
    let sale = Offer::at(now + HOUR).expires_at(now + 2 * HOUR);
    let sale = reminders
        .offer_with(&"the sale begins".to_owned(), sale)
        .await?;

    // A ticket is text, so another process can use it.
    let ticket: Ticket = sale.ticket.to_string().parse().expect("it is a ticket");
    reminders.reschedule(&ticket, HOUR / 2).await?;

    let mut pending = reminders.pending().iter();
    while let Some(entry) = pending.try_next().await? {
        let left = entry
            .due
            .duration_since(SystemTime::now())
            .unwrap_or_default();
        println!("in {} min: {}", left.as_secs().div_ceil(60), entry.value);
    }

    for ticket in [offered.ticket, ticket] {
        println!("cancelled: {}", reminders.cancel(&ticket).await?);
    }
    client.shutdown().await
}
