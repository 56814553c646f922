//! This crate's consumers under load.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use redisson_delayed_queue::{Consumer, DelayedQueue, HandlerError, Processing, Workers};

use crate::{
    service::{
        Outcome,
        consumption::Consumption,
        load::{self, Rate, Seen},
        tally::Tally,
        unsupported,
    },
    value::number,
};

/// With a handler or, for `recv`, without. `sequential` and `keys-N` handle elements one at a time,
/// over all or for each of N keys.
pub(super) async fn consume(queue: &DelayedQueue<String>, work: Consumption) -> Outcome<Rate> {
    let processing = match work.how.as_str() {
        "run" | "recv" => Processing::parallel(),
        "sequential" => Processing::sequential(),
        how => match how.strip_prefix("keys-") {
            Some(keys) => by_key(keys.parse()?),
            None => return unsupported(),
        },
    };
    let consumer = queue.consumer().processing(processing).build()?;
    match work.how.as_str() {
        "recv" => receive(consumer, work).await,
        _ => run(consumer, work).await,
    }
}

fn by_key(keys: usize) -> Processing<String> {
    Processing::by_key(move |value: &String| {
        let number = number(value).unwrap_or_default();
        (number % keys).to_string()
    })
}

/// Counts what is acknowledged: the end waits for that.
async fn run(consumer: Consumer<String>, work: Consumption) -> Outcome<Rate> {
    let tally = Arc::new(Tally::new(work.count));
    let counted = Arc::clone(&tally);
    let handler = move |_, _| {
        counted.add();
        async { Ok::<(), HandlerError>(()) }
    };
    let enough = Arc::clone(&tally);
    let until = async move { enough.wait(work.window).await };
    let start = Instant::now();
    tokio::spawn(async move { consumer.run(work.concurrency, handler).until(until).await }).await?;
    Ok(Rate::since(start, tally.count()))
}

async fn receive(consumer: Consumer<String>, work: Consumption) -> Outcome<Rate> {
    load::repeat(work.count, work.concurrency, work.window, move || {
        let consumer = consumer.clone();
        async move { Ok(consumer.recv().await?.ack().await?) }
    })
    .await
}

/// Handles what comes to any of the queues.
pub(super) async fn work(
    queues: Vec<DelayedQueue<String>>,
    concurrency: usize,
    count: usize,
) -> Outcome<Seen> {
    let (tally, seen) = (Arc::new(Tally::new(count)), Seen::default());
    let mut workers = Workers::new().concurrency(concurrency);
    for queue in queues {
        let (tally, seen) = (Arc::clone(&tally), seen.clone());
        let handler = move |value, _| {
            let added = seen.add(value);
            tally.add();
            async { added.map_err(HandlerError::reject) }
        };
        workers = workers.with(queue.consumer().build()?.run(concurrency, handler));
    }
    let until = async move { tally.wait(LONGEST).await };
    tokio::spawn(async move { workers.until(until).await }).await?;
    Ok(seen)
}

/// Until the driver gives up.
const LONGEST: Duration = Duration::from_secs(180);
