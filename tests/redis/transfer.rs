//! Moving what is due: on time, once, and without a handle's or a message's help.

use std::time::{Duration, Instant};

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue};

use crate::fixture::{
    Contents, LONG, SOON, client_with, connected, keys, never_polling, orders, orders_with,
    take_all,
};
use crate::support::{Monitor, Proxy, RedisServer, eventually};

/// [A1] [A2] Redisson lost its timer in a race of many short delays, and stopped for good.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_producers_of_short_delays_never_stall_the_scheduler() {
    const EACH: usize = 1_000;
    let redis = RedisServer::start().await;
    let consumer = orders_with(never_polling(), &redis.url()).await;
    let producers: Vec<_> = (0..8)
        .map(|producer| {
            let url = redis.url();
            tokio::spawn(async move {
                let queue = orders_with(never_polling(), &url).await;
                for i in 0..EACH {
                    let delay = Duration::from_millis(rand::random_range(1..50));
                    queue
                        .offer(&format!("{producer}-{i}"), delay)
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    let mut taken = take_all(&consumer, 8 * EACH).await.unwrap();
    for producer in producers {
        producer.await.unwrap();
    }
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 8 * EACH);
}

/// [A3] In Redisson a reply that was computed before an offer puts the timer back behind it.
#[tokio::test]
async fn a_stale_reply_does_not_make_a_shorter_delay_wait_for_a_longer_one() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(never_polling(), &proxy.url()).await;
    let other = orders_with(Client::builder().transfer(false), &redis.url()).await;
    queue
        .offer(&"run the script once".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    take_all(&queue, 1).await.unwrap();

    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    other.offer(&"long".to_owned(), LONG).await.unwrap();
    other
        .offer(&"now".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    // The reply on its way says that the next element is due in an hour.
    gate.reached().await;
    let short = Duration::from_millis(700);
    other.offer(&"short".to_owned(), short).await.unwrap();
    tokio::time::sleep(short / 2).await;
    gate.release();
    assert_eq!(take_all(&queue, 2).await.unwrap(), ["now", "short"]);
}

/// [A7] The producer is gone; a consumer that never offered anything delivers.
#[tokio::test]
async fn a_consumer_delivers_what_a_producer_left_behind() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let producer: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    producer
        .offer(&"a".to_owned(), Duration::from_millis(300))
        .await
        .unwrap();
    client.shutdown().await.unwrap();
    let consumer = orders_with(never_polling(), &redis.url()).await;
    assert_eq!(take_all(&consumer, 1).await.unwrap(), ["a"]);
}

/// [A8] In Redisson `destroy()` after an offer stops the queue for everybody in the process.
#[tokio::test]
async fn dropping_every_handle_does_not_stop_delivery() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let producer: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    producer
        .offer(&"a".to_owned(), Duration::from_millis(300))
        .await
        .unwrap();
    drop(producer);
    // Nobody but the client is left to move it.
    eventually(SOON, "it is moved", async || {
        Contents::of(&redis).await.target == ["a"]
    })
    .await;
}

/// A service that opens a queue an hour must not look after all of them for ever.
#[tokio::test]
async fn a_queue_without_handles_and_elements_is_looked_after_no_more() {
    let redis = RedisServer::start().await;
    let builder = Client::builder().safety_poll(Duration::from_millis(50));
    let client = client_with(builder, &redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let channel = "redisson_delay_queue_channel:{orders}";
    eventually(SOON, "it is subscribed", async || {
        subscribers(&redis, channel).await == 1
    })
    .await;
    drop(queue);
    eventually(SOON, "it is unsubscribed", async || {
        subscribers(&redis, channel).await == 0
    })
    .await;
    let scripts = redis.command_count(&["evalsha"]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(redis.command_count(&["evalsha"]).await, scripts);
    // And a new handle begins anew.
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    queue
        .offer(&"a".to_owned(), Duration::from_millis(100))
        .await
        .unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// [A4] Pub/sub is a hint: with every subscription killed over and over, the poll delivers.
#[tokio::test]
async fn without_messages_the_safety_poll_delivers() {
    let redis = RedisServer::start().await;
    let consumer = orders_with(
        Client::builder().safety_poll(Duration::from_millis(200)),
        &redis.url(),
    )
    .await;
    // Written as by a client whose message nobody heard.
    let mut connection = redis.connection().await;
    for i in 0..5 {
        let member = packed(&i.to_string());
        let _: () = connection
            .zadd("redisson_delay_queue_timeout:{orders}", &member, 1)
            .await
            .unwrap();
        let _: () = connection
            .rpush("redisson_delay_queue:{orders}", &member)
            .await
            .unwrap();
        redis.kill_clients("pubsub").await;
        assert_eq!(take_all(&consumer, 1).await.unwrap(), [i.to_string()]);
    }
}

/// [D3] Redisson spins during the last 10 ms before an element is due.
#[tokio::test]
async fn waiting_for_a_due_time_costs_two_scripts_at_most() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    take_after(&queue, Duration::from_millis(1)).await;
    let rounds = 20;
    let mut monitor = Monitor::start(&redis).await;
    for _ in 0..rounds {
        take_after(&queue, Duration::from_millis(30)).await;
    }
    let sent = monitor.take().await;
    // The keys of no other script begin with these. Offers and takes send scripts, too, and how many depends on what
    // else the machine does.
    let first = format!(r#" "orders" "{}" "#, keys().timeouts());
    let transfers = sent.iter().filter(|it| it.contains(&first)).count();
    // One when the offer is heard of late, and two for the due time.
    assert!(transfers >= rounds, "{sent:#?}");
    assert!(
        transfers <= rounds * 3,
        "{transfers} transfers for {rounds} elements"
    );
}

/// More is due than one run moves.
#[tokio::test]
async fn a_backlog_is_moved_without_waiting_between_batches() {
    let redis = RedisServer::start().await;
    let idle = orders_with(Client::builder().transfer(false), &redis.url()).await;
    for i in 0..1_050 {
        idle.offer(&i.to_string(), Duration::ZERO).await.unwrap();
    }
    let mover = orders_with(never_polling(), &redis.url()).await;
    eventually(SOON, "all is moved", async || {
        Contents::of(&redis).await.target.len() == 1_050
    })
    .await;
    assert!(mover.pending().is_empty().await.unwrap());
}

/// Never early, by the clock that dates the elements.
#[tokio::test]
async fn no_element_is_moved_before_its_due_time() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    for i in 0..100 {
        queue
            .offer(&i.to_string(), Duration::from_millis(50 + i * 7))
            .await
            .unwrap();
    }
    let due: std::collections::HashMap<String, f64> = Contents::of(&redis)
        .await
        .timeouts
        .into_iter()
        .map(|(member, score)| (String::from_utf8_lossy(&member[25..]).into_owned(), score))
        .collect();
    assert!(!due.is_empty());
    for _ in 0..100 {
        let value = queue.take().await.unwrap();
        let (s, us): (f64, f64) = redis.run(&["TIME"]).await;
        if let Some(due) = due.get(&value) {
            assert!(s * 1_000.0 + us / 1_000.0 >= *due, "{value}");
        }
    }
}

/// Switched off, the client leaves moving to others, such as a Java client.
#[tokio::test]
async fn a_client_with_its_transfer_switched_off_moves_nothing() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(
        queue.poll(Duration::from_millis(1_300)).await.unwrap(),
        None
    );
    assert_eq!(Contents::of(&redis).await.timeouts.len(), 1);
    let _mover = orders(&redis.url()).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// What a run of the script did not see yet must not be forgotten with the handle that offered it.
#[tokio::test]
async fn what_was_offered_during_a_look_is_moved_after_its_handle_has_gone() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let client = client_with(never_polling(), &proxy.url()).await;
    // Redis knows the scripts then.
    let other = client.delayed_queue("others", StringCodec).unwrap();
    take_after(&other, Duration::ZERO).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine:{orders}");
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    gate.reached().await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    drop(queue);
    gate.release();
    eventually(SOON, "it is moved", async || {
        Contents::of(&redis).await.target == ["a"]
    })
    .await;
}

async fn take_after(queue: &DelayedQueue<String>, delay: Duration) {
    let start = Instant::now();
    queue.offer(&"a".to_owned(), delay).await.unwrap();
    take_all(queue, 1).await.unwrap();
    assert!(start.elapsed() >= delay);
}

async fn subscribers(redis: &RedisServer, channel: &str) -> u64 {
    let (_, count): (String, u64) = redis.run(&["PUBSUB", "NUMSUB", channel]).await;
    count
}

fn packed(payload: &str) -> Vec<u8> {
    use redisson_delayed_queue::packed::{MemberId, pack};
    pack(&MemberId::from(*b"8 bytes!"), payload.as_bytes()).to_vec()
}
