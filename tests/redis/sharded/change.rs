//! Names that come and go, step by step.

use futures::future::join_all;
use redisson_delayed_queue::DelayedQueue;

use super::*;

/// Two keys that move when `old` becomes `new`, and one that stays.
fn keys(old: &Shards, new: &Shards) -> ([String; 2], String) {
    let all = (0..).map(|i| format!("key {i}"));
    let (moves, stays) = (
        |key: &String| old.shard_of(key) != new.shard_of(key),
        |key: &String| old.shard_of(key) == new.shard_of(key),
    );
    let mut moving = all.clone().filter(moves);
    let moving = [moving.next().unwrap(), moving.next().unwrap()];
    (moving, all.clone().find(stays).unwrap())
}

fn offer(key: &str) -> Offer {
    under(key, LONG, IfPending::Keep)
}

fn assert_moves<T: std::fmt::Debug>(
    refused: Result<T, Error>,
    key: &str,
    old: &Shards,
    new: &Shards,
) {
    let Err(Error::Shard(ShardError::KeyMoves { from, to })) = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!([&**from, &**to], [old.shard_of(key), new.shard_of(key)]);
}

#[tokio::test]
async fn a_key_that_moves_is_refused_until_nobody_offers_it_to_its_old_shard() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    for (old, new) in [(4, 6), (6, 4)] {
        let (old, new) = (numbered(old), numbered(new));
        let ([moves, moves_too], stays) = keys(&old, &new);
        let value = "value".to_owned();
        let first = open(&client, old.clone());
        let pending = first.offer_with(&value, offer(&moves)).await.unwrap();

        let before = open(&client, old.clone().before(&new).unwrap());
        for key in [&moves, &moves_too] {
            assert_moves(before.offer_with(&value, offer(key)).await, key, &old, &new);
        }
        let stayed = before.offer_with(&value, offer(&stays)).await.unwrap();
        assert_eq!(stayed.outcome, Outcome::Added);

        let after = open(&client, new.clone().after(&old).unwrap());
        let kept = after.offer_with(&value, offer(&moves)).await.unwrap();
        assert_eq!(
            (kept.outcome, &kept.ticket),
            (Outcome::Kept, &pending.ticket)
        );
        let replacing = offer(&moves).if_pending(IfPending::Replace);
        let refused = after.offer_with(&value, replacing.clone()).await;
        assert_moves(refused, &moves, &old, &new);
        let all = after.offer_all([(&value, offer(&moves_too))]).await;
        let Err(Error::Element { index: 0, source }) = all else {
            panic!("{all:?}");
        };
        assert_moves(Err::<(), _>(*source), &moves_too, &old, &new);
        let kept = after.offer_with(&value, offer(&stays)).await.unwrap();
        assert_eq!((kept.outcome, kept.ticket), (Outcome::Kept, stayed.ticket));
        let added = after.offer_with(&value, offer(&moves_too)).await.unwrap();
        assert_eq!(added.outcome, Outcome::Added);
        assert_eq!(added.ticket.queue(), new.shard_of(&moves_too));

        // The old element goes, and the key is free.
        assert!(after.cancel(&pending.ticket).await.unwrap());
        let added = after.offer_with(&value, replacing).await.unwrap();
        assert_eq!(added.outcome, Outcome::Added);
        assert_eq!(added.ticket.queue(), new.shard_of(&moves));
        clear(&after).await;
    }
}

/// The key of such an element is made of its payload, in Redis.
#[tokio::test]
async fn an_element_keyed_by_its_value_is_kept_in_its_old_shard() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let (old, new) = (numbered(2), numbered(3));
    let ([moves, _], _) = keys(&old, &new);
    let offer = || by_value(LONG, IfPending::Keep);
    let first = open(&client, old.clone());
    let pending = first.offer_with(&moves, offer()).await.unwrap();
    let after = open(&client, new.after(&old).unwrap());
    let kept = after.offer_with(&moves, offer()).await.unwrap();
    assert_eq!(kept.ticket, pending.ticket);
    // Elements under an equal key that the caller chose are others.
    let chosen = under(&moves, LONG, IfPending::Keep);
    let chosen = after.offer_with(&moves, chosen).await.unwrap();
    assert_eq!(chosen.outcome, Outcome::Added);
}

#[tokio::test]
async fn names_of_a_change_are_taken_from_before_they_are_offered_to() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let (four, six) = (numbered(4), numbered(6));
    let before = open(&client, four.clone().before(&six).unwrap());
    let after = open(&client, six.clone().after(&four).unwrap());
    for i in 0..12 {
        before.offer(&format!("before {i}"), LONG).await.unwrap();
    }
    assert_eq!(lengths(&after).await, [3, 3, 3, 3, 0, 0]);
    let mut tickets = Vec::new();
    for i in 0..12 {
        tickets.push(after.offer(&format!("after {i}"), LONG).await.unwrap());
    }
    assert_eq!(lengths(&after).await, [5, 5, 5, 5, 2, 2]);
    // The one with fewer names takes from all, and finds all by ticket.
    let pending: Vec<_> = before.queues().map(DelayedQueue::pending).collect();
    let lengths = pending.iter().map(async |it| it.len().await.unwrap());
    assert_eq!(join_all(lengths).await.iter().sum::<usize>(), 24);
    for ticket in &tickets {
        assert!(before.promote(ticket).await.unwrap());
    }
    let taken: HashSet<_> = take_all(&before, 12).await.into_iter().collect();
    assert!(taken.iter().all(|value| value.starts_with("after")));
    assert_eq!(taken.len(), 12);
}

#[tokio::test]
async fn a_retired_name_is_emptied_and_says_when_it_is_empty() {
    let redis = RedisServer::start().await;
    let old = orders(&redis, 3).await;
    let builder = Client::builder().safety_poll(Duration::from_millis(50));
    let client = client_with(builder, &redis.url()).await;
    let queue = open(&client, numbered(2).retired(["orders:2"]).unwrap());
    assert!(queue.is_drained().await.unwrap());
    assert!(queue.shard(2).is_none());

    // Elements that others still offer there.
    let retired = old.shard(2).unwrap();
    let ticket = retired.offer(&"pending".to_owned(), LONG).await.unwrap();
    assert!(!queue.is_drained().await.unwrap());
    assert_eq!((queue.shards().len(), queue.queues().len()), (2, 3));
    let left = queue.queues().skip(queue.shards().len());
    let left: Vec<_> = left.map(|queue| queue.pending()).collect();
    assert_eq!(left[0].read_all().await.unwrap(), ["pending"]);
    let ticket = ShardTicket::new("orders:2", ticket);
    assert!(queue.promote(&ticket).await.unwrap());
    assert_eq!(take_all(&queue, 1).await, ["pending"]);
    eventually(SOON, "it is empty", async || {
        queue.is_drained().await.unwrap()
    })
    .await;
    retired.pause().await.unwrap();
    push_to(&redis, "orders:2", &["due"]).await;
    assert!(!queue.is_drained().await.unwrap());
    retired.resume().await.unwrap();
    assert_eq!(take_all(&queue, 1).await, ["due"]);

    for i in 0..10 {
        queue.offer(&i.to_string(), LONG).await.unwrap();
        let offer = under(i.to_string(), LONG, IfPending::Keep);
        queue.offer_with(&i.to_string(), offer).await.unwrap();
    }
    assert_eq!(retired.pending().len().await.unwrap(), 0);
}

/// A process that holds a claimed element may die; somebody must give it back.
#[tokio::test]
async fn a_name_with_a_claimed_element_is_not_empty() {
    let redis = RedisServer::start().await;
    let queue = open(
        &connected(&redis.url()).await,
        numbered(1).retired(["old"]).unwrap(),
    );
    let leases = QueueKeys::new("old").unwrap().leases().to_owned();
    let mut connection = redis.connection().await;
    // The deadline of the lease is far away.
    let () = connection.zadd(&leases, "claimed", 4e12).await.unwrap();
    assert!(!queue.is_drained().await.unwrap());
    let () = connection.del(leases).await.unwrap();
    assert!(queue.is_drained().await.unwrap());
}
