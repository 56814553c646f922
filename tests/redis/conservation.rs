//! What was offered is delivered or still there, whatever happens to Redis.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use redisson_delayed_queue::{Client, Error};

use crate::fixture::{Contents, SOON, orders, orders_with};
use crate::support::{RedisServer, eventually};

/// [B8] Redis is killed and comes back with what it had on disk; both clients work on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_9_and_restart_of_a_durable_redis_conserves_all_elements() {
    let mut redis =
        RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "always"]).await;
    let done = Arc::new(AtomicBool::new(false));
    let accepted = Arc::new(AtomicUsize::new(0));
    let producer = tokio::spawn({
        let builder = Client::builder().remember_offers(true);
        let queue = orders_with(builder.transfer(false), &redis.url()).await;
        let done = Arc::clone(&done);
        let accepted = Arc::clone(&accepted);
        async move {
            let (mut offered, mut unknown) = (HashSet::new(), HashSet::new());
            for i in 0.. {
                if done.load(Relaxed) {
                    break;
                }
                let value = i.to_string();
                let delay = Duration::from_millis(rand::random_range(0..300));
                match queue.offer(&value, delay).await {
                    Ok(_) => {
                        offered.insert(value);
                        accepted.fetch_add(1, Relaxed);
                    }
                    Err(Error::OutcomeUnknown { .. }) => drop(unknown.insert(value)),
                    // Nothing was written.
                    Err(error) => assert!(!error.may_have_changed_redis(), "{error:?}"),
                }
            }
            (offered, unknown)
        }
    });
    let consumer = tokio::spawn({
        let queue = orders(&redis.url()).await;
        let done = Arc::clone(&done);
        async move {
            let mut taken = Vec::new();
            let mut quiet = 0;
            // Until nothing came for a while after the end.
            while quiet < 10 {
                match queue.poll(Duration::from_millis(100)).await {
                    Ok(Some(value)) => {
                        taken.push(value);
                        quiet = 0;
                    }
                    Ok(None) if done.load(Relaxed) => quiet += 1,
                    Ok(None) | Err(_) => {}
                }
            }
            taken
        }
    });
    // Ends when so many more offers went well: the producer and the consumer are in full swing.
    let more_offers = async |count| {
        let enough = accepted.load(Relaxed) + count;
        eventually(SOON, "offers go on", async || {
            accepted.load(Relaxed) >= enough
        })
        .await;
    };
    for _ in 0..5 {
        more_offers(50).await;
        redis.kill9();
        tokio::time::sleep(Duration::from_millis(100)).await;
        redis.restart().await;
    }
    more_offers(50).await;
    done.store(true, Relaxed);
    let (offered, unknown) = producer.await.unwrap();
    let taken = consumer.await.unwrap();

    let distinct: HashSet<_> = taken.iter().cloned().collect();
    let mut first = HashMap::new();
    let twice: Vec<_> = taken
        .iter()
        .enumerate()
        .filter_map(|(at, value)| first.insert(value, at).map(|before| (value, before, at)))
        .collect();
    assert!(twice.is_empty(), "of {} came twice: {twice:?}", taken.len());
    let lost: Vec<_> = offered.difference(&distinct).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let invented: Vec<_> = distinct
        .difference(&offered)
        .filter(|it| !unknown.contains(*it))
        .collect();
    assert!(invented.is_empty(), "{invented:?}");
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}
