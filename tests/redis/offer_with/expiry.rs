//! Offers with an end that look at what is pending.

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Error, Event};

use super::*;
use crate::fixture::next_event;

/// Nobody was there to move them in time: none is delivered, and each is counted and reported.
#[tokio::test]
async fn an_element_that_expired_is_dropped_whatever_else_its_offer_said() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let (expires_at, tickets) = offer_short_lived(&redis, &queue).await;
    let good = "good".to_owned();
    queue.offer(&good, Duration::ZERO).await.unwrap();
    until(&redis, expires_at).await;

    let client = never_polling().connect(redis.url()).await.unwrap();
    let mut events = client.events();
    let consumer: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(take_all(&consumer, 1).await.unwrap(), ["good"]);
    let mut expired = Vec::new();
    for _ in &tickets {
        let Event::Expired { ticket, .. } = next_event(&mut events).await else {
            panic!("nothing else is reported");
        };
        expired.push(ticket.as_bytes().to_vec());
    }
    expired.sort();
    let mut offered: Vec<_> = tickets.iter().map(|it| it.as_bytes().to_vec()).collect();
    offered.sort();
    assert_eq!(expired, offered);
    assert_eq!(consumer.expired().await.unwrap(), tickets.len() as u64);
    assert_eq!(consumer.try_take().await.unwrap(), None);
    let contents = Contents::of(&redis).await;
    assert!(contents.timeouts.is_empty() && contents.ordering.is_empty());
}

/// It would be dropped instead of delivered, so it is pending no longer.
#[tokio::test]
async fn an_element_that_has_expired_gives_way() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let (expires_at, tickets) = offer_short_lived(&redis, &queue).await;
    until(&redis, expires_at).await;
    let short_lived = short_lived(expires_at);
    for ((i, combination), ticket) in short_lived.iter().enumerate().zip(&tickets) {
        let queue = queue.clone().with_listing(combination.listing);
        let combination = Combination {
            expires_at: None,
            ..*combination
        };
        let offer = scoped(combination, i, Duration::ZERO);
        let offered = queue.offer_with(&i.to_string(), offer).await.unwrap();
        assert_eq!(offered.outcome, Outcome::Added, "{combination:?}");
        let is_gone = !queue.cancel(ticket).await.unwrap();
        let is_plain = combination.unique == Unique::No;
        assert_eq!(is_gone, !is_plain, "{combination:?}");
    }
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.timeouts.len(), tickets.len());
    let listed = short_lived
        .iter()
        .filter(|it| it.listing == Listing::Listed);
    assert_eq!(contents.ordering.len(), listed.count());
    let consumer = orders_with(never_polling(), &redis.url()).await;
    let mut taken = take_all(&consumer, tickets.len()).await.unwrap();
    taken.sort_by_key(|it| it.parse::<usize>().unwrap());
    let values: Vec<String> = (0..tickets.len()).map(|i| i.to_string()).collect();
    assert_eq!(taken, values);
}

/// Behind an expired one there may be another, which is kept or replaced as if it were alone.
#[tokio::test]
async fn behind_an_equal_element_that_has_expired_another_is_found() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    for queue in both(&queue) {
        for if_pending in [Keep, Replace] {
            queue.pending().clear().await.unwrap();
            let expires_at = soon(&redis).await;
            let expiring = Offer::after(Duration::ZERO).expires_at(expires_at);
            let unique = expiring.unique_in_queue();
            queue.offer_with(&a, unique).await.unwrap();
            let plain = queue.offer(&a, LONG).await.unwrap();
            until(&redis, expires_at).await;
            let offer = Offer::after(LONG).unique_in_queue().if_pending(if_pending);
            let offered = queue.offer_with(&a, offer).await.unwrap();
            match if_pending {
                Keep => {
                    assert_eq!((offered.outcome, offered.ticket), (Outcome::Kept, plain));
                }
                _ => assert_eq!(offered.outcome, Outcome::Replaced),
            }
            assert_eq!(Contents::of(&redis).await.timeouts.len(), 1);
        }
    }
}

/// The end is part of the element: one with another end cannot be the same with another due time.
#[tokio::test]
async fn an_element_with_another_end_is_replaced() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    let end = SystemTime::now() + LONG * 9;
    let later = end + Duration::from_millis(1);
    for queue in both(&queue) {
        for (unique, expected) in [
            (Unique::UnderKey, Outcome::Rescheduled),
            (Unique::ByValue, Outcome::Rescheduled),
            (Unique::InQueue, Outcome::Replaced),
        ] {
            queue.pending().clear().await.unwrap();
            let mut last: Option<Offered> = None;
            for (end, expected) in [
                (None, Outcome::Added),
                (None, expected),
                (Some(end), Outcome::Replaced),
                (Some(end), expected),
                (Some(later), Outcome::Replaced),
                (Some(later), expected),
                (None, Outcome::Replaced),
            ] {
                let combination = Combination {
                    is_dated: true,
                    unique,
                    if_pending: Replace,
                    expires_at: end,
                    listing: queue.listing(),
                };
                let offered = queue.offer_with(&a, combination.offer(LONG)).await;
                let offered = offered.unwrap();
                assert_eq!(offered.outcome, expected, "{unique:?} {end:?}");
                assert_stored(&redis, combination, &[&offered.ticket]).await;
                let last = last.replace(offered.clone());
                let stays = expected == Outcome::Rescheduled;
                assert_eq!(last.is_some_and(|it| it.ticket == offered.ticket), stays);
            }
        }
    }
}

/// [C1] Nothing is written, and what is pending stays.
#[tokio::test]
async fn an_offer_that_would_expire_before_it_is_due_changes_nothing() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    let end = SystemTime::now() + LONG / 2;
    for combination in Combination::all(end) {
        let queue = queue.clone().with_listing(combination.listing);
        if combination.expires_at.is_none() {
            continue;
        }
        queue.pending().clear().await.unwrap();
        for _ in 0..2 {
            let before = Contents::of(&redis).await;
            let error = queue.offer_with(&a, combination.offer(LONG)).await;
            let error = error.unwrap_err();
            assert!(matches!(error, Error::ExpiresBeforeDue), "{error:?}");
            assert!(!error.may_have_changed_redis());
            assert_eq!(Contents::of(&redis).await, before, "{combination:?}");
            let pending = combination.offer(Duration::ZERO);
            queue.offer_with(&a, pending).await.unwrap();
        }
    }
}

/// All combinations that have this end.
fn short_lived(expires_at: SystemTime) -> Vec<Combination> {
    let all = Combination::all(expires_at).into_iter();
    all.filter(|it| it.expires_at.is_some()).collect()
}

/// Offers a value of its own with each combination that expires, under a key of its own.
async fn offer_short_lived(
    redis: &RedisServer,
    queue: &DelayedQueue<String>,
) -> (SystemTime, Vec<Ticket>) {
    let expires_at = soon(redis).await + Duration::from_secs(1);
    let mut tickets = Vec::new();
    for (i, combination) in short_lived(expires_at).into_iter().enumerate() {
        let queue = queue.clone().with_listing(combination.listing);
        let offer = scoped(combination, i, Duration::ZERO);
        let offered = queue.offer_with(&i.to_string(), offer).await.unwrap();
        assert_eq!(offered.outcome, Outcome::Added);
        tickets.push(offered.ticket);
    }
    (expires_at, tickets)
}

/// The offer of a combination under a key of its own.
fn scoped(combination: Combination, number: usize, delay: Duration) -> Offer {
    let offer = combination.offer(delay);
    match combination.unique {
        Unique::UnderKey => offer.key(number.to_string()),
        _ => offer,
    }
}

/// A moment in which an offer that is made now can end: a busy machine has time to make it.
async fn soon(redis: &RedisServer) -> SystemTime {
    let now = UNIX_EPOCH + Duration::from_millis(server_ms(redis).await as u64);
    now + Duration::from_secs(1)
}

/// Lets time pass until what ends then has expired, by Redis's clock.
async fn until(redis: &RedisServer, moment: SystemTime) {
    let end_ms = moment.duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    loop {
        let left = end_ms + 1 - server_ms(redis).await;
        if left < 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(left as u64 + 1)).await;
    }
}
