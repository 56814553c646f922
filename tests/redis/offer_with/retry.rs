//! Replies that are lost: the offer is repeated, and answers as its first attempt did.

use futures::future::join_all;
use redisson_delayed_queue::packed::{MemberId, pack};

use super::*;
use crate::fixture::patient;

/// Of a value that is not pending, and then of one that is, whatever its offer says.
#[tokio::test]
async fn an_offer_whose_replies_are_lost_takes_effect_once() {
    let unique = Combination::all(SystemTime::now() + LONG * 9)
        .into_iter()
        .filter(|it| it.unique != Unique::No);
    let unique: Vec<_> = unique.collect();
    // A client waits between two attempts to connect, so many offer.
    join_all(unique.chunks(8).map(offers_whose_replies_are_lost)).await;
}

async fn offers_whose_replies_are_lost(combinations: &[Combination]) {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    warm(&queue).await;
    let value = "precious".to_owned();
    for &combination in combinations {
        let queue = queue.clone().with_listing(combination.listing);
        queue.pending().clear().await.unwrap();
        let mut last = None;
        for expected in [Outcome::Added, combination.second()] {
            let lost = proxy.lost_replies();
            // One is enough to have the offer repeated; the second shows what a repeated one left.
            proxy.cut_after_request(b"precious", 2);
            let offer = combination.offer(LONG);
            let offered = queue.offer_with(&value, offer).await.unwrap();
            assert_eq!(proxy.lost_replies() - lost, 2);
            assert_eq!(offered.outcome, expected, "{combination:?}");
            assert_stored(&redis, combination, &[&offered.ticket]).await;
            let is_new = matches!(expected, Outcome::Added | Outcome::Replaced);
            assert_eq!(last.as_ref() != Some(&offered.ticket), is_new);
            last = Some(offered.ticket);
        }
    }
}

/// Between two attempts the element is delivered: it must not be offered again.
#[tokio::test]
async fn an_element_that_was_delivered_between_two_attempts_is_delivered_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let producer = orders_with(patient(), &proxy.url()).await;
    let consumer = orders(&redis.url()).await;
    warm(&producer).await;
    let value = "precious".to_owned();
    let end = SystemTime::now() + LONG;
    for combination in Combination::all(end) {
        // Half of them: a date and an expiry do not affect each other, so both are set or neither.
        let is_left_out = combination.is_dated != combination.expires_at.is_some();
        if combination.unique == Unique::No || is_left_out {
            continue;
        }
        let producer = producer.clone().with_listing(combination.listing);
        let mut expected = Outcome::Added;
        if combination.if_pending == Replace {
            let pending = combination.offer(LONG / 2);
            producer.offer_with(&value, pending).await.unwrap();
            expected = combination.second();
        } else if combination.unique == Unique::InQueue && combination.listing == Listing::Unlisted
        {
            // Its first script stores nothing, for it does not search.
            continue;
        }
        let first = proxy.hold_reply_to(b"precious");
        let delivery = async {
            first.reached().await;
            let taken = take_all(&consumer, 1).await.unwrap();
            proxy.cut();
            taken
        };
        let offer = combination.offer(Duration::ZERO);
        let offer = producer.offer_with(&value, offer);
        let (offered, taken) = tokio::join!(offer, delivery);
        assert_eq!(offered.unwrap().outcome, expected, "{combination:?}");
        assert_eq!(taken, ["precious"]);
        let contents = Contents::of(&redis).await;
        assert!(contents.timeouts.is_empty() && contents.ordering.is_empty());
    }
    let rest = consumer.poll(Duration::from_millis(300)).await.unwrap();
    assert_eq!(rest, None);
}

/// The network holds an attempt back until after the call: it must not act on what came later.
#[tokio::test]
async fn an_attempt_that_arrives_after_its_call_has_kept_another_writes_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    warm(&queue).await;
    let (names, mut connection) = (keys(), redis.connection().await);
    let member = pack(&MemberId::from(*b"0123456789abcdef"), b"a");
    for (name, field) in [
        ("offer_keyed", "ka"),
        ("offer_keyed", "r"),
        ("offer_unique_listed", ""),
    ] {
        let a = "a".to_owned();
        let pending = queue.offer_with(&a, Offer::after(LONG).key("a")).await;
        let pending = pending.unwrap().ticket;
        let script = redis::Script::new(&proxy.script(name));
        let attempt = |found: &[u8]| {
            let mut attempt = script.prepare_invoke();
            for key in [names.timeouts(), names.ordering(), names.settled()] {
                attempt.key(key);
            }
            if name != "offer_unique_listed" {
                attempt.key(names.keyed()).key(names.keyed_due());
            }
            // A second attempt, which keeps, may run until this moment and is remembered as long.
            let (until_us, while_ms) = ("9000000000000000", "61000");
            attempt.arg(&member[..]).arg("3600000").arg("");
            attempt.arg(names.channel()).arg(until_us).arg(while_ms);
            attempt.arg("1").arg("0");
            match name {
                "offer_keyed" => attempt.arg(field).arg(found).arg("1"),
                _ => attempt.arg(found).arg("").arg("0"),
            };
            attempt
        };
        let kept = attempt(&pending.as_bytes()[..]);
        let kept: (String, i64, i64, Vec<u8>) = kept.invoke_async(&mut connection).await.unwrap();
        assert_eq!((&*kept.0, &kept.3), ("k", &pending.as_bytes().to_vec()));
        assert!(queue.cancel(&pending).await.unwrap());
        let late: (String, i64, i64, Vec<u8>) =
            attempt(b"").invoke_async(&mut connection).await.unwrap();
        assert_eq!(late.0, "k", "{name} {field}");
        assert!(Contents::of(&redis).await.is_empty(), "{name} {field}");
        let () = connection.del(names.settled()).await.unwrap();
    }
}

/// So that the scripts are known, and a lost reply is that of one that ran.
async fn warm(queue: &DelayedQueue<String>) {
    let value = "warm".to_owned();
    for queue in both(queue) {
        let under_key = Offer::after(LONG).key("warm");
        queue.offer_with(&value, under_key).await.unwrap();
        for if_pending in [Replace, Keep] {
            let unique = Offer::after(LONG).unique_in_queue().if_pending(if_pending);
            queue.offer_with(&value, unique).await.unwrap();
        }
    }
    queue.pending().clear().await.unwrap();
}
