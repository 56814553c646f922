//! A queue that Rust leaves to Java, in every state that Rust knows.

use std::{
    mem::forget,
    time::{Duration, SystemTime},
};

use redisson_delayed_queue::{
    Client, DelayedQueue, Listing, Offer, Processing, RateLimit, Result, Schedule,
    codec::StringCodec,
};
use testbed::until;
use tokio::runtime::Runtime;

use crate::{
    queue::{Queue, each_once},
    rdq,
};

/// Java alone delivers afterwards what Rust had: each element once, in the order of its group.
#[test]
fn a_queue_in_every_state_goes_back_to_java_alone_and_nothing_is_lost() {
    let mut queue = Queue::start();
    let mut java = queue.java("4.7.0");
    java.open_offering("j", "orders", "string");
    java.offer("j", LATER, "java");
    drop(java);

    let runtime = Runtime::new().expect("the system has threads");
    let filled = runtime.block_on(fill(&queue));
    let (client, _orders) = filled.expect("redis has room");
    add_claim_and_quarantine(&mut queue);
    let hand_back = ["hand-back", "orders", "--yes"];
    let at_work = rdq(&queue, &hand_back);
    assert_eq!(at_work.code, 1, "{at_work:?}");
    runtime.block_on(client.shutdown()).expect("redis is there");
    let done = rdq(&queue, &hand_back);
    assert_eq!(done.code, 0, "{done:?}");
    // In a handler, retrying, waiting for its group, and claimed by take().
    assert_eq!(done.rows[0]["brought"], 4, "{done:?}");
    assert_eq!(done.rows[0]["restored"], 1, "{done:?}");
    assert_eq!(done.rows[0]["schedules"], serde_json::json!(["tick"]));
    assert_eq!(done.rows[0]["unlisted"], 1, "{done:?}");

    let mut java = queue.java("4.7.0");
    java.open("q", "orders", "string");
    java.open_target("dead", "{orders}-dead", "string");
    for pending in ["keyed", "unique", "expiring", "java", "restored"] {
        assert!(java.contains("q", pending), "{pending}");
    }
    queue.make_due();
    let taken = java.drain("q", IDLE);
    let values: Vec<_> = taken.iter().map(|it| it.value.clone()).collect();
    let place = |value: &str| values.iter().position(|it| it == value.as_bytes());
    assert!(place("a:1") < place("a:2"), "{values:?}");
    let all = [
        "a:1", "a:2", "b:1", "claimed", "expiring", "java", "keyed", "restored", "unique",
        "unlisted",
    ];
    each_once(taken, all.map(str::to_owned));
    each_once(java.drain("dead", IDLE), ["bad".to_owned()]);
    for key in [
        "leases",
        "deliveries",
        "delivery_leases",
        "retries",
        "grouped",
        "state",
    ] {
        let exists: bool = queue.run("EXISTS", format!("rdq1_{key}:{{orders}}"));
        assert!(!exists, "{key}");
    }
}

/// Leaves elements in every state, and returns the client that has them.
async fn fill(queue: &Queue) -> Result<(Client, DelayedQueue<String>)> {
    let client = Client::connect(queue.server.url()).await?;
    let orders: DelayedQueue<String> = client.delayed_queue("orders", StringCodec)?;
    let due = ["bad", "a:1", "a:2", "b:1"].map(str::to_owned);
    orders.destination().add_all(&due).await?;
    let key = |order: &String| order.split(':').next().unwrap_or_default().to_owned();
    let consumer = orders.consumer().visibility(LATER).prefetch(4);
    let consumer = consumer.processing(Processing::by_key(key)).build()?;
    for _ in 0..3 {
        let delivery = consumer.recv().await?;
        match delivery.value().as_str() {
            "bad" => delivery.reject("nobody can handle it").await?,
            "b:1" => delivery.nack(LATER).await?,
            // It is never dropped, so it is never given back.
            _ => forget(delivery),
        }
    }
    let due = Offer::after(LATER);
    orders
        .offer_with(&"keyed".to_owned(), due.clone().key("k"))
        .await?;
    let unique = due.clone().unique_in_queue();
    orders.offer_with(&"unique".to_owned(), unique).await?;
    let expires = due.expires_at(SystemTime::now() + 2 * LATER);
    orders.offer_with(&"expiring".to_owned(), expires).await?;
    let rarely = Schedule::every(LATER)?.starting_at(SystemTime::now() + LATER);
    orders.schedule("tick", &"tick".to_owned(), &rarely).await?;
    let unlisted = orders.clone().with_listing(Listing::Unlisted);
    unlisted.offer(&"unlisted".to_owned(), LATER).await?;
    let slow = RateLimit::new(1, LATER);
    orders.set_rate_limit(Some(slow)).await?;
    orders.pause().await?;
    Ok((client, orders))
}

/// Adds what a killed `take()` and another program leave.
fn add_claim_and_quarantine(queue: &mut Queue) {
    until("a:2 waits for a:1", || {
        match queue.run::<u64>("ZCARD", queue.keys.clone().grouped()) {
            1 => Ok(()),
            other => Err(other.to_string()),
        }
    });
    let script = "
        local origin = string.rep('\\7', 16) .. '\\0\\0' .. struct.pack('>L', 1)
        local due = redis.call('TIME')[1] * 1000 + 7200000
        redis.call('HSET', KEYS[3], origin, 'claimed')
        redis.call('ZADD', KEYS[1], due, origin)
        redis.call('ZADD', KEYS[2], due, struct.pack('Bc0Lc0', 8, 'readable', 8, 'restored'))";
    let keys = queue.keys.clone();
    let names = (keys.leases(), keys.quarantine(), keys.deliveries());
    queue.run::<()>("EVAL", (script, 3, names));
}

/// Nothing becomes due by itself meanwhile.
const LATER: Duration = Duration::from_secs(7_200);

/// Longer than elements stay away, also on a busy machine.
const IDLE: Duration = Duration::from_secs(5);
