//! Queues in which some elements are listed and some are not, as while one is changed over.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::task::JoinSet;
use tokio::time::sleep;

use super::*;

/// [B8] Whatever is called, cut and killed: each element comes once or was taken out once, none stays behind in
/// the ordering list, and what is unlisted never stands there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handles_of_both_kinds_conserve_all_elements_through_all_faults() {
    let redis = RedisServer::durable().await;
    let patience = Duration::from_millis(200);
    let builder = || {
        Client::builder()
            .connect_timeout(patience)
            .response_timeout(patience)
            .remember_offers(true)
    };
    let (done, offered) = (Arc::new(AtomicBool::default()), Arc::default());
    let is_over = Arc::new(AtomicBool::default());
    let taken = Arc::new(Mutex::new(Vec::<String>::new()));
    let mut producers = JoinSet::new();
    let mut consumers = JoinSet::new();
    for number in 0..4 {
        let listing = [Listing::Listed, Listing::Unlisted][number % 2];
        let queue = orders_with(builder().transfer(false), &redis.url()).await;
        let queue = queue.with_listing(listing);
        producers.spawn(produce(
            queue,
            number,
            Arc::clone(&done),
            Arc::clone(&offered),
        ));
    }
    for number in 0..2 {
        let listing = [Listing::Listed, Listing::Unlisted][number % 2];
        let queue = orders_with(builder(), &redis.url()).await;
        let queue = queue.with_listing(listing);
        consumers.spawn(consume(queue, Arc::clone(&is_over), Arc::clone(&taken)));
    }
    for fault in 0..24 {
        sleep(Duration::from_millis(rand::random_range(20..120))).await;
        match fault % 8 {
            7 => {
                redis.kill();
                redis.restart().await;
            }
            1 | 4 => drop(redis.kill_clients("normal").await),
            5 => {
                redis.pause();
                sleep(patience.mul_f64(rand::random_range(0.2..2.0))).await;
                redis.resume();
            }
            _ => {}
        }
        assert_lists_nothing_else(&redis).await;
    }
    eventually(SOON, "offers go on", async || offered.load(Relaxed) > 200).await;
    done.store(true, Relaxed);

    // How often each value must come at least, and may come at the most.
    let mut due = HashMap::new();
    while let Some(of_one) = producers.join_next().await {
        due.extend(of_one.unwrap());
    }
    // An element that a failed call had claimed goes back once Redis answers, and then it is delivered.
    let times = |value: &String| {
        let taken = taken.lock().unwrap();
        taken.iter().filter(|it| *it == value).count() as i64
    };
    let is_missing = |(value, (least, _)): (&String, &(i64, i64))| times(value) < *least;
    let start = Instant::now();
    while due.iter().any(is_missing) && start.elapsed() < SOON {
        sleep(Duration::from_millis(20)).await;
    }
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
    is_over.store(true, Relaxed);
    consumers.join_all().await;
    for value in taken.lock().unwrap().iter() {
        let (least, most) = due.get_mut(value).unwrap();
        (*least, *most) = (*least - 1, *most - 1);
    }
    let wrong: Vec<_> = due
        .iter()
        .filter(|(_, (least, most))| *least > 0 || *most < 0)
        .collect();
    assert!(wrong.is_empty(), "of {} these: {wrong:?}", due.len());
}

type Ledger = HashMap<String, (i64, i64)>;

/// Offers, and takes some back in one of many ways.
async fn produce(
    queue: DelayedQueue<String>,
    number: usize,
    done: Arc<AtomicBool>,
    offered: Arc<AtomicUsize>,
) -> Ledger {
    let mut ledger = Ledger::new();
    let mut count = 0;
    while !done.load(Relaxed) {
        count += 1;
        let value = format!("{number}-{count}");
        let delay = Duration::from_millis(rand::random_range(0..400));
        let placed = match count % 4 {
            0 => queue
                .offer_with(&value, by_value(delay, IfPending::Keep))
                .await
                .map(|it| it.ticket),
            1 => queue
                .offer_with(&value, replacing(delay))
                .await
                .map(|it| it.ticket),
            _ => queue.offer(&value, delay).await,
        };
        let (mut least, mut most) = (1, 1);
        let ticket = match placed {
            Ok(ticket) => ticket,
            Err(Error::OutcomeUnknown { ticket, .. }) => {
                least = 0;
                ticket
            }
            Err(error) => {
                assert!(!error.may_have_changed_redis(), "{error:?}");
                continue;
            }
        };
        let changed = match rand::random_range(0..6) {
            0 => queue.cancel(&ticket).await,
            1 => queue.pending().remove(&value).await,
            2 => queue.cancel_all([&ticket]).await.map(|count| count == 1),
            3 => queue.promote(&ticket).await.map(|_| false),
            4 => queue
                .offer_with(&value, replacing(delay))
                .await
                // Not the first any more if that had been moved.
                .map(|placed| {
                    most += i64::from(placed.outcome == Outcome::Added);
                    least += i64::from(placed.outcome == Outcome::Added);
                    false
                }),
            _ => Ok(false),
        };
        match changed {
            Ok(true) => (least, most) = (least.min(1) - 1, most - 1),
            Ok(false) => {}
            Err(Error::OutcomeUnknown { .. }) => most += 1,
            Err(error) if error.may_have_changed_redis() => least -= 1,
            Err(_) => {}
        }
        ledger.insert(value, (least, most));
        offered.fetch_add(1, Relaxed);
    }
    ledger
}

/// Takes what is due and what is not.
async fn consume(
    queue: DelayedQueue<String>,
    is_over: Arc<AtomicBool>,
    taken: Arc<Mutex<Vec<String>>>,
) {
    while !is_over.load(Relaxed) {
        let values = match rand::random_range(0..4) {
            0 => queue.pending().poll_many(3).await,
            _ => queue.take_many(20, Duration::from_millis(50)).await,
        };
        taken.lock().unwrap().extend(values.unwrap_or_default());
    }
}

/// Asserts that the ordering list holds what is in the timeout set, and nothing that is unlisted.
async fn assert_lists_nothing_else(redis: &RedisServer) {
    let contents = Contents::of(redis).await;
    for member in &contents.ordering {
        assert_eq!(member[0], 16, "{member:x?}");
        assert!(contents.timeouts.iter().any(|it| it.0 == *member));
    }
    let listed = contents.timeouts.iter().filter(|it| it.0[0] == 16);
    assert_eq!(listed.count(), contents.ordering.len());
}

/// What such a call has placed is found without a search, until it has left in whatever way.
#[tokio::test]
async fn a_replacement_knows_what_the_last_has_placed_until_that_is_gone() {
    let redis = RedisServer::start().await;
    // Only its own calls send scripts.
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let queue = queue.with_listing(Listing::Unlisted);
    let a = "a".to_owned();
    let fillers = (0..3_000).map(|i| (format!("filler {i}"), LONG));
    queue.offer_all(fillers).await.unwrap();
    queue.offer_with(&a, replacing(LONG * 2)).await.unwrap();
    for _ in 0..3 {
        let before = redis.command_count(&["evalsha"]).await;
        let placed = queue.offer_with(&a, replacing(LONG * 2)).await.unwrap();
        assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
        assert_eq!(redis.command_count(&["evalsha"]).await, before + 1);
    }
    assert!(queue.pending().remove(&a).await.unwrap());
    let _mover = orders_with(Client::builder(), &redis.url()).await;
    let placed = queue
        .offer_with(&a, replacing(Duration::ZERO))
        .await
        .unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    let placed = queue.offer_with(&a, replacing(LONG)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    queue.pending().clear().await.unwrap();
    queue.offer(&a, LONG).await.unwrap();
    let placed = queue.offer_with(&a, replacing(LONG)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
    assert_eq!(queue.pending().len().await.unwrap(), 1);
}

/// While a queue is changed over, all of its members leave both keys, also when they are taken out by the other
/// kind of handle.
#[tokio::test]
async fn what_one_kind_of_handle_offered_the_other_takes_out_of_both_keys() {
    let redis = RedisServer::start().await;
    let unlisted = unlisted(Client::builder(), &redis).await;
    let listed = unlisted.clone().with_listing(Listing::Listed);
    let mut tickets = Vec::new();
    for i in 0..40 {
        let queue = if i % 2 == 0 { &listed } else { &unlisted };
        let delay = LONG + Duration::from_secs(i * 7 % 40);
        tickets.push(queue.offer(&(i % 20).to_string(), delay).await.unwrap());
    }
    let mut left = 40;
    for (i, ticket) in tickets.iter().enumerate() {
        let other = if i % 2 == 0 { &unlisted } else { &listed };
        match i % 5 {
            0 => left -= usize::from(other.cancel(ticket).await.unwrap()),
            1 => left -= other.cancel_all([ticket]).await.unwrap(),
            2 => {
                left -= usize::from(
                    unlisted
                        .pending()
                        .remove(&(i % 20).to_string())
                        .await
                        .unwrap(),
                )
            }
            3 => assert!(other.reschedule(ticket, LONG).await.is_ok()),
            _ => left -= unlisted.pending().poll_many(2).await.unwrap().len(),
        }
        assert_lists_nothing_else(&redis).await;
        assert_eq!(unlisted.pending().len().await.unwrap(), left);
    }
    left -= unlisted
        .pending()
        .retain_all(&["none".to_owned()])
        .await
        .unwrap();
    assert_eq!(left, 0);
    assert!(Contents::of(&redis).await.is_empty());
}
