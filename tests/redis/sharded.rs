//! One logical queue over several names.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant, SystemTime};

use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{
    Client, Error, IfPending, Offer, Outcome, ShardError, ShardTicket, ShardedQueue, Shards,
};
use tokio::time::timeout;

use crate::fixture::{
    LONG, SOON, by_value, client_with, connected, never_polling, offer_expired, patient, push_to,
    replacing, under,
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
    queue.pending().clear().await.unwrap();

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
    assert_eq!(one.pending().len().await.unwrap(), 50);
    assert!(lengths(&one).await.into_iter().all(|len| len > 0));
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
    assert!(queue.pending().is_empty().await.unwrap());

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
    assert_eq!(queue.pending().len().await.unwrap(), 20);
    for (i, offered) in offered.iter().enumerate() {
        let was_there = queue.cancel(&offered.ticket).await.unwrap();
        assert_eq!(was_there, i % 2 == 1 || i < 10, "{i}");
    }
    assert!(queue.pending().is_empty().await.unwrap());
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
async fn a_pause_holds_all_shards_back_and_names_those_that_it_reached() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis, 3).await;
    queue.pause().await.unwrap();
    assert!(queue.is_paused().await.unwrap());
    for name in ["orders:0", "orders:1", "orders:2"] {
        push_to(&redis, name, &["a"]).await;
    }
    assert_eq!(queue.try_take().await.unwrap(), None);
    queue.shard(1).unwrap().resume().await.unwrap();
    assert!(!queue.is_paused().await.unwrap());
    assert_eq!(take_all(&queue, 1).await, ["a"]);
    assert_eq!(queue.try_take().await.unwrap(), None);
    queue.resume().await.unwrap();
    assert_eq!(take_all(&queue, 2).await, ["a", "a"]);

    let state = QueueKeys::new("orders:2").unwrap().state().to_owned();
    let mut connection = redis.connection().await;
    let () = connection.set(state, "x").await.unwrap();
    let error = queue.pause().await.unwrap_err();
    let Error::SomeShards { done, source, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(done, &["orders:0", "orders:1"]);
    assert!(matches!(**source, Error::WrongType { .. }), "{source:?}");
    assert!(error.may_have_changed_redis());
    let alone = open(
        &connected(&redis.url()).await,
        Shards::new(["orders:2"]).unwrap(),
    );
    let error = alone.pause().await.unwrap_err();
    assert!(matches!(error, Error::WrongType { .. }), "{error:?}");
}

#[tokio::test]
async fn looks_at_pending_elements_cover_all_shards() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis, 3).await;
    let pending = queue.pending();
    assert_eq!(pending.next_due().await.unwrap(), None);
    let start = SystemTime::now();
    for (i, minutes) in [50, 10, 30, 40].into_iter().enumerate() {
        let delay = Duration::from_secs(60 * minutes);
        queue.offer(&i.to_string(), delay).await.unwrap();
    }
    let next = pending.next_due().await.unwrap().unwrap();
    let wait = next.duration_since(start).unwrap();
    assert!((540..660).contains(&wait.as_secs()), "{wait:?}");
    for i in 0..4 {
        assert!(pending.contains(&i.to_string()).await.unwrap());
    }
    assert!(!pending.contains(&"4".to_owned()).await.unwrap());
    assert!(pending.remove(&"2".to_owned()).await.unwrap());
    assert!(!pending.remove(&"2".to_owned()).await.unwrap());
    assert_eq!(pending.len().await.unwrap(), 3);
    pending.clear().await.unwrap();
    assert!(pending.is_empty().await.unwrap());

    queue.pause().await.unwrap();
    for i in 0..3 {
        let value = i.to_string();
        let offered = offer_expired(async |offer| queue.offer_with(&value, offer).await).await;
        offered.unwrap();
    }
    queue.resume().await.unwrap();
    eventually(SOON, "all have expired", async || {
        queue.expired().await.unwrap() == 3
    })
    .await;
}
