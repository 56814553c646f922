//! One logical queue over several names.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{
    Client, Error, IfPending, Offer, Outcome, ShardError, ShardTicket, ShardedQueue, Shards,
    Workers,
};
use tokio::time::timeout;

use crate::fixture::{
    LONG, SOON, by_value, client_with, connected, never_polling, patient, push_to, replacing, under,
};
use crate::support::{Proxy, RedisServer, eventually};

mod change;
mod resize;

/// The names `orders:0`, `orders:1` and so on.
fn numbered(count: usize) -> Shards {
    Shards::numbered("orders", count).unwrap()
}

fn open(client: &Client, shards: Shards) -> ShardedQueue<String> {
    client.sharded_queue(shards, StringCodec).unwrap()
}

/// A queue of the default settings over so many names.
async fn orders(redis: &RedisServer, count: usize) -> ShardedQueue<String> {
    open(&connected(&redis.url()).await, numbered(count))
}

/// How many elements are pending in each shard.
async fn lengths(queue: &ShardedQueue<String>) -> Vec<usize> {
    let mut lengths = Vec::new();
    while let Some(shard) = queue.shard(lengths.len()) {
        lengths.push(shard.pending().len().await.unwrap());
    }
    lengths
}

async fn clear(queue: &ShardedQueue<String>) {
    for shard in queue.queues() {
        shard.pending().clear().await.unwrap();
    }
}

async fn take_all(queue: &ShardedQueue<String>, count: usize) -> Vec<String> {
    let mut taken = Vec::new();
    while taken.len() < count {
        taken.push(queue.poll(SOON).await.unwrap().expect("an element comes"));
    }
    taken
}

fn quiet_in(taken: &[String]) -> usize {
    taken.iter().filter(|value| *value == "quiet").count()
}

#[tokio::test]
async fn offers_go_to_each_shard_in_turn_or_to_the_one_of_their_key_or_group() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis, 4).await;
    for i in 0..8 {
        queue.offer(&i.to_string(), LONG).await.unwrap();
    }
    assert_eq!(lengths(&queue).await, [2; 4]);
    clear(&queue).await;

    let grouped = queue.clone().grouped_by(|value| value[..1].to_owned());
    for customer in ["a", "b", "ж"] {
        let shard = queue.shard_for(customer).name().to_owned();
        let offer = under(customer, LONG, IfPending::Keep);
        let offered = queue.offer_with(&"value".to_owned(), offer).await;
        assert_eq!(offered.unwrap().ticket.queue(), shard);
    }
    let by_value = by_value(LONG, IfPending::Keep);
    let offered = queue.offer_with(&"value".to_owned(), by_value).await;
    let home = numbered(4).shard_of("value").to_owned();
    assert_eq!(offered.unwrap().ticket.queue(), home);
    for i in 0..10 {
        let ticket = grouped.offer(&format!("b{i}"), LONG).await.unwrap();
        assert_eq!(ticket.queue(), queue.shard_for("b").name());
    }
}

#[tokio::test]
async fn one_element_at_most_is_pending_under_a_key_in_all_shards() {
    let redis = RedisServer::start().await;
    let (one, other) = (orders(&redis, 4).await, orders(&redis, 4).await);
    for i in 0..50 {
        let offer = || under(format!("key {i}"), LONG, IfPending::Keep);
        let added = one.offer_with(&"first".to_owned(), offer()).await.unwrap();
        assert_eq!(added.outcome, Outcome::Added);
        let kept = other.offer_with(&"next".to_owned(), offer()).await.unwrap();
        assert_eq!((kept.outcome, kept.ticket), (Outcome::Kept, added.ticket));
        let replacing = offer().if_pending(IfPending::Replace);
        let replaced = other.offer_with(&"last".to_owned(), replacing).await;
        assert_eq!(replaced.unwrap().outcome, Outcome::Replaced);
    }
    let lengths = lengths(&one).await;
    assert_eq!(lengths.iter().sum::<usize>(), 50);
    assert!(lengths.into_iter().all(|len| len > 0));
    let unique = one.offer_with(&"first".to_owned(), replacing(LONG)).await;
    assert!(
        matches!(unique, Err(Error::Shard(ShardError::UniqueInQueue))),
        "{unique:?}"
    );
}

#[tokio::test]
async fn a_ticket_finds_its_shard_also_as_text_and_in_another_process() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis, 3).await;
    let other = orders(&redis, 3).await;
    let mut tickets = Vec::new();
    for i in 0..9 {
        let ticket = queue.offer(&i.to_string(), LONG).await.unwrap();
        let read: ShardTicket = ticket.to_string().parse().unwrap();
        assert_eq!(read, ticket);
        tickets.push(read);
    }
    assert!(other.cancel(&tickets[0]).await.unwrap());
    assert!(!queue.cancel(&tickets[0]).await.unwrap());
    assert!(other.promote(&tickets[1]).await.unwrap());
    let soon = Duration::from_millis(5);
    assert!(other.reschedule(&tickets[2], soon).await.unwrap());
    let now = SystemTime::now();
    assert!(other.reschedule_at(&tickets[3], now).await.unwrap());
    let taken: BTreeSet<_> = take_all(&queue, 3).await.into_iter().collect();
    assert_eq!(taken, ["1", "2", "3"].map(str::to_owned).into());
    assert_eq!(other.cancel_all(&tickets).await.unwrap(), 5);
    assert_eq!(lengths(&queue).await, [0; 3]);

    let foreign = ShardTicket::new("orders:3", tickets[0].ticket().clone());
    for refused in [
        queue.cancel(&foreign).await,
        queue.cancel_all([&foreign]).await.map(|_| true),
    ] {
        let Err(Error::Shard(ShardError::Unknown { name })) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(name, "orders:3");
    }
}

/// A taker that hears of only some shards, or late, would wait for the next look.
#[tokio::test]
async fn a_waiting_take_wakes_for_each_shard() {
    let redis = RedisServer::start().await;
    let queue = open(
        &client_with(never_polling(), &redis.url()).await,
        numbered(4),
    );
    for round in 0..12 {
        let taking = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take().await.unwrap() }
        });
        let value = round.to_string();
        let shard = queue.shard(round % 4).unwrap();
        if round % 2 == 0 {
            shard.offer(&value, Duration::from_millis(5)).await.unwrap();
        } else {
            // As Java's transfer does.
            push_to(&redis, shard.name(), &[&value]).await;
        }
        let taken = timeout(SOON, taking).await.expect("the take wakes");
        assert_eq!(taken.unwrap(), value);
    }
    assert_eq!(queue.try_take().await.unwrap(), None);
}

/// Another shard may come several times in a row while elements of the quiet one are on their way.
/// It must not be served until it is empty.
#[tokio::test]
async fn no_shard_starves_while_others_are_full() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis, 3).await;
    push_to(&redis, "orders:0", &vec!["busy"; 2_000]).await;
    push_to(&redis, "orders:1", &vec!["busy"; 2_000]).await;
    push_to(&redis, "orders:2", &["quiet"; 10]).await;
    let mut taken = Vec::new();
    while quiet_in(&taken) < 10 {
        taken.extend(take_all(&queue, 1).await);
    }
    assert!(taken.len() < 1_500, "{}", taken.len());

    push_to(&redis, "orders:2", &["quiet"; 10]).await;
    while quiet_in(&taken) < 20 {
        taken.extend(queue.take_many(30, SOON).await.unwrap());
    }
    assert!(taken.len() < 3_000, "{}", taken.len());
    let streamed: Vec<_> = queue.stream().take(20).collect().await;
    assert!(streamed.into_iter().all(|value| value.unwrap() == "busy"));
}

/// [B3] Dropped at any moment, with something claimed in each shard, and cut off now and then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn takes_dropped_at_random_lose_and_double_nothing() {
    const COUNT: usize = 2_000;
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = open(&connected(&proxy.url()).await, numbered(4));
    let producer = orders(&redis, 4).await;
    let producing = tokio::spawn(async move {
        for i in 0..COUNT {
            let delay = Duration::from_millis(rand::random_range(0..50));
            producer.offer(&i.to_string(), delay).await.unwrap();
        }
    });
    let (mut taken, mut progress, mut round) = (Vec::new(), Instant::now(), 0);
    while taken.len() < COUNT && progress.elapsed() < SOON {
        round += 1;
        if round % 200 == 0 {
            proxy.cut();
        }
        let patience = Duration::from_micros(rand::random_range(0..2_000));
        let taking = timeout(patience, async {
            if round % 2 == 0 {
                queue.take().await.map(|value| vec![value])
            } else {
                queue.take_many(20, SOON).await
            }
        });
        if let Ok(Ok(values)) = taking.await {
            progress = Instant::now();
            taken.extend(values);
        }
    }
    producing.await.unwrap();
    let rest = queue.take_many(COUNT, Duration::from_millis(300)).await;
    taken.extend(rest.unwrap());
    let distinct: HashSet<_> = taken.iter().collect();
    assert_eq!((distinct.len(), taken.len()), (COUNT, COUNT));
}

#[tokio::test]
async fn many_values_are_offered_at_once_and_answered_in_their_order() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis, 3).await;
    assert!(
        queue
            .offer_all(Vec::<(String, Duration)>::new())
            .await
            .unwrap()
            .is_empty()
    );
    let offers = (0..30).map(|i| {
        let offer = Offer::after(LONG);
        let offer = if i % 2 == 0 {
            offer.key((i % 10).to_string())
        } else {
            offer
        };
        (i.to_string(), offer)
    });
    let offered = queue.offer_all(offers).await.unwrap();
    let kept = (0..30).filter(|i| i % 2 == 0 && *i >= 10);
    for i in kept {
        assert_eq!(offered[i].outcome, Outcome::Kept, "{i}");
        assert_eq!(offered[i].ticket, offered[i % 10].ticket, "{i}");
    }
    assert_eq!(lengths(&queue).await.iter().sum::<usize>(), 20);
    for (i, offered) in offered.iter().enumerate() {
        let was_there = queue.cancel(&offered.ticket).await.unwrap();
        assert_eq!(was_there, i % 2 == 1 || i < 10, "{i}");
    }
    assert_eq!(lengths(&queue).await, [0; 3]);
}

#[tokio::test]
async fn a_shard_that_fails_keeps_no_offer_from_the_others() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis, 3).await;
    let wrong = QueueKeys::new("orders:1").unwrap();
    let mut connection = redis.connection().await;
    let () = connection.set(wrong.timeouts(), "x").await.unwrap();
    let values = (0..9).map(|i| (i.to_string(), LONG));
    let error = queue.offer_all(values.clone()).await.unwrap_err();
    assert!(error.may_have_changed_redis());
    let Error::ShardsOfferedInPart {
        offered,
        unknown,
        source,
    } = error
    else {
        panic!("{error:?}");
    };
    assert!(unknown.is_empty());
    assert!(matches!(*source, Error::WrongType { .. }), "{source:?}");
    assert_eq!(offered.len(), 6);
    for (index, offered) in &offered {
        let name = offered.ticket.queue();
        assert_ne!(name, "orders:1");
        let shard = queue.shard(usize::from(name == "orders:2") * 2).unwrap();
        let value = index.to_string();
        assert!(shard.pending().contains(&value).await.unwrap());
    }

    // Refused before anything is sent, whatever the shard.
    queue.shard(0).unwrap().pending().clear().await.unwrap();
    queue.shard(2).unwrap().pending().clear().await.unwrap();
    let unique = values.map(|(value, delay)| match &*value {
        "8" => (value, Offer::after(delay).unique_in_queue()),
        _ => (value, Offer::after(delay)),
    });
    let error = queue.offer_all(unique).await.unwrap_err();
    assert!(
        matches!(error, Error::Element { index: 8, .. }),
        "{error:?}"
    );
    assert_eq!(queue.shard(0).unwrap().pending().len().await.unwrap(), 0);
}

#[tokio::test]
async fn workers_handle_the_elements_of_all_shards_within_one_limit() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis, 3).await;
    for i in 0..30 {
        queue.offer(&i.to_string(), Duration::ZERO).await.unwrap();
    }
    let handled = Arc::new(Mutex::new(BTreeSet::new()));
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut workers = Workers::new().concurrency(2);
    for shard in queue.queues() {
        let consumer = shard.consumer().build().unwrap();
        let (handled, running, most) = (handled.clone(), running.clone(), most.clone());
        workers = workers.with(consumer.run(2, move |value, _| {
            let (handled, running, most) = (handled.clone(), running.clone(), most.clone());
            async move {
                most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, SeqCst);
                handled.lock().unwrap().insert(value);
                Ok(())
            }
        }));
    }
    let working = tokio::spawn(async move { workers.await });
    eventually(SOON, "all are handled", async || {
        handled.lock().unwrap().len() == 30
    })
    .await;
    working.abort();
    assert!(most.load(SeqCst) <= 2);
}
