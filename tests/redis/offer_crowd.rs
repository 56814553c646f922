//! Offers that are made at the same time share scripts, and each has the result that it would have
//! had alone.

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::time::{Duration, SystemTime};

use futures::future::join_all;
use futures::{FutureExt, poll};
use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Error, Offer, Result, Ticket};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::fixture::{
    Contents, LONG, SOON, expiring, keys, never_polling, orders, orders_with, take_all,
};
use crate::support::{Proxy, RedisServer};

mod fault;

/// Offers `value 0.`, `value 1.` and so on at once, all of this delay, and waits for all.
async fn offer_at_once(
    queue: &DelayedQueue<String>,
    count: usize,
    delay: Duration,
) -> Vec<Result<Ticket>> {
    let offer = async |i: usize| queue.offer(&format!("value {i}."), delay).await;
    timeout(SOON, join_all((0..count).map(offer)))
        .await
        .expect("no offer hangs")
}

/// How often each member stands in the ordering list; those in the timeout set are the same.
async fn pending(redis: &RedisServer) -> HashMap<Vec<u8>, usize> {
    let contents = Contents::of(redis).await;
    let mut listed = HashMap::new();
    for member in contents.ordering {
        *listed.entry(member).or_default() += 1;
    }
    let scheduled: HashSet<_> = contents.timeouts.into_iter().map(|it| it.0).collect();
    assert_eq!(listed.keys().cloned().collect::<HashSet<_>>(), scheduled);
    listed
}

/// Asserts that what was stored, and nothing that was certainly not, is pending once; returns how
/// many offers have an unknown outcome.
async fn assert_told_the_truth(redis: &RedisServer, offers: &[Result<Ticket>]) -> usize {
    let pending = pending(redis).await;
    assert!(pending.values().all(|times| *times == 1), "{pending:?}");
    let mut possible = 0;
    let mut unknown = 0;
    for offer in offers {
        match offer {
            Ok(ticket) => {
                assert!(pending.contains_key(&ticket.as_bytes()[..]), "{ticket:?}");
                possible += 1;
            }
            Err(Error::OutcomeUnknown { ticket, .. }) => {
                possible += usize::from(pending.contains_key(&ticket.as_bytes()[..]));
                unknown += 1;
            }
            Err(error) => assert!(!error.may_have_changed_redis(), "{error:?}"),
        }
    }
    assert_eq!(pending.len(), possible, "what failed is not pending");
    unknown
}

/// One script each tops out at a fraction of what Redis can store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_offers_share_scripts_and_each_gets_its_own_ticket() {
    const TASKS: usize = 256;
    const OFFERS: usize = 8;
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let scripts = redis.command_count(&["evalsha"]).await;
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let queue = queue.clone();
        tasks.spawn(async move {
            let mut tickets = Vec::new();
            for i in 0..OFFERS {
                let value = format!("{task}-{i}");
                let ticket = queue.offer(&value, LONG).await.unwrap();
                assert!(ticket.as_bytes().ends_with(value.as_bytes()));
                tickets.push(ticket.as_bytes().to_vec());
            }
            tickets
        });
    }
    let tickets = timeout(SOON, tasks.join_all()).await.unwrap();
    let scripts = redis.command_count(&["evalsha"]).await - scripts;
    assert!(scripts < (TASKS * OFFERS / 8) as u64, "{scripts}");

    let contents = Contents::of(&redis).await;
    assert_eq!(contents.timeouts.len(), TASKS * OFFERS);
    let place: HashMap<Vec<u8>, usize> = contents.ordering.into_iter().zip(0..).collect();
    assert_eq!(place.len(), TASKS * OFFERS);
    for of_one in tickets {
        let places: Vec<usize> = of_one.iter().map(|it| place[it]).collect();
        assert!(places.is_sorted(), "{places:?}");
    }
}

/// Due in the same millisecond, they come out as they were lined up.
#[tokio::test]
async fn what_shares_a_script_comes_out_in_offer_order() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    // Redis knows the script then, so that no offer is sent twice.
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    for result in offer_at_once(&queue, 600, Duration::from_millis(300)).await {
        result.unwrap();
    }
    let taken = take_all(&queue, 600).await.unwrap();
    let offered: Vec<String> = (0..600).map(|i| format!("value {i}.")).collect();
    assert_eq!(taken, offered);
}

/// Who offers alone waits for nobody, and sends at once.
#[tokio::test]
async fn offers_one_after_the_other_have_a_script_each() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    let scripts = redis.command_count(&["evalsha"]).await;
    for i in 0..50 {
        queue.offer(&i.to_string(), LONG).await.unwrap();
    }
    assert_eq!(redis.command_count(&["evalsha"]).await - scripts, 50);
}

/// What Redis alone can tell to be impossible fails by itself, wherever it stands in a group.
#[tokio::test]
async fn one_that_cannot_be_stored_fails_alone() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let too_long = Duration::from_millis(1 << 53);
    let begun = SystemTime::now() - Duration::from_secs(1);
    let offer = async |i: usize| {
        let value = i.to_string();
        let offer = match i {
            40 => Offer::after(too_long),
            70 => expiring(LONG, begun),
            i if i % 3 == 0 => Offer::at(SystemTime::now() + LONG),
            i if i % 3 == 1 => expiring(LONG, SystemTime::now() + 2 * LONG),
            _ => return queue.offer(&value, LONG).await,
        };
        queue.offer_with(&value, offer).await.map(|it| it.ticket)
    };
    let offers = timeout(SOON, join_all((0..100).map(offer))).await.unwrap();
    for (i, offered) in offers.iter().enumerate() {
        match i {
            40 => assert!(
                matches!(offered, Err(Error::DelayTooLong { delay }) if *delay == too_long),
                "{offered:?}"
            ),
            70 => assert!(
                matches!(offered, Err(Error::ExpiresBeforeDue)),
                "{offered:?}"
            ),
            _ => assert!(offered.is_ok(), "{i}: {offered:?}"),
        }
    }
    assert_told_the_truth(&redis, &offers).await;
}

/// Nobody's element is at fault, so nobody has to ask again.
#[tokio::test]
async fn a_key_of_another_type_is_told_to_the_whole_group() {
    for key in [keys().timeouts(), keys().ordering()] {
        let redis = RedisServer::start().await;
        let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
        let mut connection = redis.connection().await;
        let () = connection.set(key, "text").await.unwrap();
        let scripts = redis.command_count(&["evalsha"]).await;
        let offers = offer_at_once(&queue, 200, LONG).await;
        for offered in offers {
            let error = offered.unwrap_err();
            assert!(matches!(error, Error::WrongType { .. }), "{error:?}");
        }
        let scripts = redis.command_count(&["evalsha"]).await - scripts;
        assert!(scripts < 20, "{scripts}");
        let left: Vec<String> = connection.keys("*").await.unwrap();
        assert_eq!(left, [key]);
    }
}

/// The client's own service sleeps until the earliest due time it knows, and Java until the last
/// that was published.
#[tokio::test]
async fn the_head_of_a_group_wakes_the_service_and_is_published_once() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let before = redis.command_count(&["evalsha", "publish"]).await;
    let offer = async |i: usize| {
        let delay = if i == 50 {
            Duration::from_millis(200)
        } else {
            LONG * (100 - i as u32)
        };
        queue.offer(&i.to_string(), delay).await.unwrap();
    };
    timeout(SOON, join_all((0..100).map(offer))).await.unwrap();
    // Each is a new head when it is written, but only the last of each script is one for others.
    let after = redis.command_count(&["evalsha", "publish"]).await;
    assert!(after - before < 20, "{}", after - before);
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["50"]);
}

/// Callers may hold a future without polling it, as the arms of a `select!` do.
#[tokio::test]
async fn an_offer_waits_for_no_other_that_is_not_polled() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    let values: Vec<String> = (0..10).map(|i| i.to_string()).collect();
    let mut idle: Vec<_> = values
        .iter()
        .map(|value| Box::pin(queue.offer(value, LONG)))
        .collect();
    for offer in &mut idle {
        assert!(poll!(offer).is_pending());
    }
    for i in 0..10 {
        let value = format!("other {i}");
        let offered = timeout(SOON, queue.offer(&value, LONG)).await;
        offered.expect("it is not held up").unwrap();
    }
    for offered in join_all(idle).await {
        offered.unwrap();
    }
    assert_eq!(pending(&redis).await.len(), 21);
}

/// What nobody wants any more need not be stored.
#[tokio::test]
async fn an_offer_that_is_dropped_in_line_is_not_sent() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    let values: Vec<String> = (0..10).map(|i| i.to_string()).collect();
    let mut stays = pin!(join_all(values.iter().map(|it| queue.offer(it, LONG))));
    assert!(poll!(&mut stays).is_pending());
    for i in 0..10 {
        // On this runtime nothing else runs meanwhile.
        let dropped = queue.offer(&format!("dropped {i}"), LONG).now_or_never();
        assert!(dropped.is_none());
    }
    for offered in stays.await {
        offered.unwrap();
    }
    queue.offer(&"last".to_owned(), LONG).await.unwrap();
    let members = pending(&redis).await;
    assert_eq!(members.len(), 12);
    let is_dropped = |member: &Vec<u8>| member.windows(7).any(|it| it == b"dropped");
    assert!(!members.keys().any(is_dropped));
}

/// In line or in flight, the sender's or their own: none takes another along.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn offers_dropped_at_random_hold_up_and_double_no_other() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut tasks = JoinSet::new();
    for task in 0..64 {
        let queue = queue.clone();
        tasks.spawn(async move {
            let mut stored = Vec::new();
            let mut dropped = 0;
            for i in 0..60 {
                let value = format!("{task}-{i}");
                if i % 3 == 1 {
                    match queue.offer(&value, LONG).now_or_never() {
                        Some(offered) => stored.push(offered.unwrap()),
                        None => dropped += 1,
                    }
                    continue;
                }
                let patience = match i % 3 {
                    0 => SOON,
                    _ => Duration::from_micros(rand::random_range(0..3_000)),
                };
                match timeout(patience, queue.offer(&value, LONG)).await {
                    Ok(offered) => stored.push(offered.unwrap()),
                    Err(_) => dropped += 1,
                }
            }
            (stored, dropped)
        });
    }
    let ended = timeout(2 * SOON, tasks.join_all())
        .await
        .expect("none hangs");
    let dropped: usize = ended.iter().map(|it| it.1).sum();
    assert!(dropped > 100, "{dropped}");
    let pending = pending(&redis).await;
    assert!(pending.values().all(|times| *times == 1));
    let mut stored = 0;
    for ticket in ended.iter().flat_map(|it| &it.0) {
        assert!(pending.contains_key(&ticket.as_bytes()[..]));
        stored += 1;
    }
    assert!(stored >= 64 * 20);
    assert!(pending.len() <= stored + dropped);
}
