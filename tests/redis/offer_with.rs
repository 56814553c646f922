//! Offers whose settings combine: when, under what, in whose place, and until when.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::AsyncCommands;
use redisson_delayed_queue::{
    Client, DelayedQueue, IfPending, Listing, Offer, Offered, Outcome, Ticket,
};

use crate::fixture::{
    Contents, LONG, keys, never_polling, orders, orders_with, schedule, server_ms, take_all,
};
use crate::support::{Proxy, RedisServer};
use IfPending::{Keep, Replace};

mod expiry;
mod many;
mod pending;
mod retry;

/// What an offer says besides its value and its key.
#[derive(Clone, Copy, Debug)]
struct Combination {
    is_dated: bool,
    unique: Unique,
    if_pending: IfPending,
    expires_at: Option<SystemTime>,
    listing: Listing,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Unique {
    No,
    UnderKey,
    ByValue,
    InQueue,
}

impl Combination {
    /// Every combination, with this expiry where there is one.
    fn all(expires_at: SystemTime) -> Vec<Self> {
        let mut all = Vec::new();
        for unique in [
            Unique::No,
            Unique::UnderKey,
            Unique::ByValue,
            Unique::InQueue,
        ] {
            for number in 0..16 {
                let bit = |place: u32| number >> place & 1 == 1;
                all.push(Self {
                    is_dated: bit(0),
                    unique,
                    if_pending: if bit(1) { Replace } else { Keep },
                    expires_at: bit(2).then_some(expires_at),
                    listing: if bit(3) {
                        Listing::Unlisted
                    } else {
                        Listing::Listed
                    },
                });
            }
        }
        all
    }

    /// The offer, due after `delay`.
    fn offer(self, delay: Duration) -> Offer {
        let offer = if self.is_dated {
            Offer::at(SystemTime::now() + delay)
        } else {
            Offer::after(delay)
        };
        let offer = match self.unique {
            Unique::No => offer,
            Unique::UnderKey => offer.key("key"),
            Unique::ByValue => offer.keyed_by_value(),
            Unique::InQueue => offer.unique_in_queue(),
        };
        let offer = offer.if_pending(self.if_pending);
        match self.expires_at {
            Some(expires_at) => offer.expires_at(expires_at),
            None => offer,
        }
    }

    /// What a second such offer of the same value does.
    fn second(self) -> Outcome {
        match (self.unique, self.if_pending) {
            (Unique::No, _) => Outcome::Added,
            (_, Keep) => Outcome::Kept,
            (Unique::InQueue, _) => Outcome::Replaced,
            _ => Outcome::Rescheduled,
        }
    }
}

/// Each setting does what it does alone, whatever the others say.
#[tokio::test]
async fn every_combination_leaves_what_its_settings_say_and_is_delivered_once() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let consumer = orders_with(never_polling(), &redis.url()).await;
    let value = "a".to_owned();
    for combination in Combination::all(SystemTime::now() + LONG * 9) {
        let queue = queue.clone().with_listing(combination.listing);
        let first = queue.offer_with(&value, combination.offer(LONG)).await;
        let first = first.unwrap();
        assert_eq!(first.outcome, Outcome::Added, "{combination:?}");
        assert_stored(&redis, combination, &[&first.ticket]).await;

        let second = queue.offer_with(&value, combination.offer(LONG * 2)).await;
        let second = second.unwrap();
        assert_eq!(second.outcome, combination.second(), "{combination:?}");
        let is_new = matches!(second.outcome, Outcome::Added | Outcome::Replaced);
        assert_eq!(first.ticket != second.ticket, is_new, "{combination:?}");
        let pending: &[&Ticket] = match second.outcome {
            Outcome::Added => &[&first.ticket, &second.ticket],
            _ => &[&second.ticket],
        };
        let contents = assert_stored(&redis, combination, pending).await;
        let hours = if second.outcome == Outcome::Kept {
            1
        } else {
            2
        };
        let due = contents.timeouts.last().unwrap().1 - server_ms(&redis).await as f64;
        let late = due - (LONG * hours).as_millis() as f64;
        assert!(late.abs() < 30_000.0, "{combination:?}: {late}");

        // The ticket is that of the element.
        assert!(queue.promote(&second.ticket).await.unwrap());
        assert_eq!(take_all(&consumer, 1).await.unwrap(), ["a"]);
        if combination.unique == Unique::No {
            assert!(queue.cancel(&first.ticket).await.unwrap());
        }
        assert!(!queue.cancel(&second.ticket).await.unwrap());
        assert_eq!(consumer.try_take().await.unwrap(), None);
        let contents = Contents::of(&redis).await;
        assert!(contents.timeouts.is_empty() && contents.ordering.is_empty());
    }
}

/// What is short is written short.
#[tokio::test]
async fn a_duration_and_a_moment_are_offers() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    let after = queue.offer_with(&a, LONG).await.unwrap();
    let moment = UNIX_EPOCH + Duration::from_millis(4_000_000_000_123);
    let at = queue.offer_with(&a, moment).await.unwrap();
    assert_eq!(
        (after.outcome, at.outcome),
        (Outcome::Added, Outcome::Added)
    );
    let contents = Contents::of(&redis).await;
    let expected = [after.ticket, at.ticket].map(|it| it.as_bytes().to_vec());
    assert_eq!(contents.ordering, expected);
    assert_eq!(contents.timeouts[1].1, 4_000_000_000_123.0);
}

/// A setting that was chosen twice counts as it was chosen last.
#[tokio::test]
async fn of_several_scopes_the_last_counts() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    let offer = Offer::after(LONG).unique_in_queue().keyed_by_value();
    let first = queue.offer_with(&a, offer.clone().key("k")).await.unwrap();
    let again = queue.offer_with(&a, Offer::after(LONG).key("k")).await;
    assert_eq!(again.unwrap(), kept(&first));
    let by_value = queue.offer_with(&a, offer).await.unwrap();
    assert_eq!(by_value.outcome, Outcome::Added);
}

/// Asserts that these are pending and nothing else, in the keys and with the ids that they are to
/// have.
async fn assert_stored(
    redis: &RedisServer,
    combination: Combination,
    tickets: &[&Ticket],
) -> Contents {
    let contents = Contents::of(redis).await;
    let mut members: Vec<Vec<u8>> = tickets.iter().map(|it| it.as_bytes().to_vec()).collect();
    let listed = match combination.listing {
        Listing::Listed => members.clone(),
        _ => Vec::new(),
    };
    assert_eq!(contents.ordering, listed, "{combination:?}");
    let mut scheduled: Vec<_> = contents.timeouts.iter().map(|it| it.0.clone()).collect();
    scheduled.sort();
    members.sort();
    assert_eq!(scheduled, members, "{combination:?}");
    for ticket in tickets {
        let id = ticket.id();
        let has_end = [25, 26].contains(&id.len()) && id[16] == b'x';
        assert_eq!(has_end, combination.expires_at.is_some(), "{combination:?}");
        if let Some(expires_at) = combination.expires_at {
            let expires_ms = expires_at.duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
            assert_eq!(id[17..25], expires_ms.to_be_bytes(), "{combination:?}");
        }
    }
    contents
}

/// The answer of an offer that left this element pending.
fn kept(pending: &Offered) -> Offered {
    let mut kept = pending.clone();
    kept.outcome = Outcome::Kept;
    kept
}

/// Opens the queue `orders` without a service that moves what is due.
async fn offering(redis: &RedisServer) -> DelayedQueue<String> {
    orders_with(Client::builder().transfer(false), &redis.url()).await
}

/// The same handle, in both ways.
fn both(queue: &DelayedQueue<String>) -> [DelayedQueue<String>; 2] {
    [Listing::Listed, Listing::Unlisted].map(|it| queue.clone().with_listing(it))
}
