//! Real Sentinels, which make another server the master.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use redisson_delayed_queue::{Client, Credentials, DelayedQueue, Durability, Error, Offer};
use testbed::{Sentinels, Server, Settings};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::announcer::Announcer;
use crate::durability::{pair, until};
use crate::fixture::{LONG, SHORT, blocking, client, connect, keep_offering, queue, take_each};

#[tokio::test]
async fn the_master_is_found_by_any_sentinel_that_answers() {
    let bed = Sentinels::start();
    bed.sentinels()[0].kill();
    bed.sentinels()[1].pause();
    let client = connect(bed.url()).await;
    let queue = queue(&client, "orders");
    queue.offer(&"17".to_owned(), SHORT).await.unwrap();
    assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), "17");
    bed.sentinels()[1].resume();
}

#[tokio::test]
async fn a_master_that_no_sentinel_knows_is_named_in_the_error() {
    let bed = Sentinels::start();
    let address = bed.url().replace(Sentinels::MASTER, "nobody");
    let error = Client::connect(address).await.unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("nobody"), "{text}");
    assert!(text.contains("know no master of that name"), "{text}");
}

#[tokio::test]
async fn a_sentinel_is_not_taken_for_a_server() {
    let bed = Sentinels::start();
    let error = Client::connect(bed.sentinels()[0].url()).await.unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");
    assert!(error.to_string().contains("redis+sentinel://"), "{error}");
}

#[tokio::test]
async fn master_and_sentinels_have_logins_of_their_own() {
    let bed = Sentinels::with(&Settings::new().password("secret"), Some("watch"));
    let address = bed.url();
    let refused = Client::connect(&address).await;
    assert!(
        matches!(refused, Err(Error::Denied { .. } | Error::Connect { .. })),
        "{refused:?}"
    );
    let connected = client()
        .sentinel_credentials(Credentials::password("watch"))
        .connect(&address)
        .await
        .unwrap();
    let queue = queue(&connected, "orders");
    queue.offer(&"17".to_owned(), SHORT).await.unwrap();
    assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), "17");
}

/// The client must hear of it within a moment. One of several tries is enough, for the machine may be
/// busy.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_planned_failover_is_heard_of_before_anything_is_lost() {
    let mut bed = Sentinels::start();
    let client = connect(bed.url()).await;
    for round in 0..5 {
        let queue = queue(&client, &format!("orders-{round}"));
        let (stop, stopped) = oneshot::channel();
        let offering = tokio::spawn(keep_offering(
            queue.clone(),
            Offer::after(SHORT),
            "load",
            stopped,
        ));
        bed = blocking(move || {
            bed.failover();
            bed
        })
        .await;
        let start = Instant::now();
        queue.offer(&"after".to_owned(), SHORT).await.unwrap();
        println!("offered {:?} after the failover", start.elapsed());
        stop.send(()).unwrap();
        let mut offered = offering.await.unwrap();
        offered.push("after".to_owned());
        let mut left = queue.pending().read_all().await.unwrap();
        left.extend(queue.destination().read_all().await.unwrap());
        let left: HashSet<String> = left.into_iter().collect();
        let lost = offered.iter().filter(|it| !left.contains(*it)).count();
        println!("{lost} of {} are lost", offered.len());
        if lost == 0 {
            return;
        }
    }
    panic!("each failover loses some");
}

/// How many elements this server has, which the client may not be connected to.
fn pending_at(server: &Server) -> usize {
    server.run(&["ZCARD", "redisson_delay_queue_timeout:{orders}"])
}

/// Offers until an offer changes this server.
async fn offer_until_at(server: &Server, queue: &DelayedQueue<String>, before: impl Fn()) {
    let start = Instant::now();
    let had = pending_at(server);
    while pending_at(server) == had {
        assert!(start.elapsed() < LONG);
        before();
        queue.offer(&"17".to_owned(), LONG).await.unwrap();
    }
}

#[tokio::test]
async fn a_replica_that_is_promoted_and_that_no_sentinel_names_is_left_again() {
    let (master, replica) = pair(&Settings::new()).await;
    let sentinel = Announcer::naming(&master).await;
    let client = connect(sentinel.url()).await;
    let queue = queue(&client, "orders");
    offer_until_at(&master, &queue, || ()).await;
    replica.run::<()>(&["REPLICAOF", "NO", "ONE"]);
    // The client gives a replica up that it does not meet as a master in time.
    offer_until_at(&replica, &queue, || sentinel.choose(&replica, &master)).await;
    offer_until_at(&master, &queue, || ()).await;
}

#[tokio::test]
async fn calls_outlast_a_replica_that_is_chosen_and_not_promoted() {
    let (master, replica) = pair(&Settings::new()).await;
    let sentinel = Announcer::naming(&master).await;
    let client = connect(sentinel.url()).await;
    let queue = queue(&client, "orders");
    offer_until_at(&master, &queue, || ()).await;
    until("the client looks at the replica", || {
        sentinel.choose(&replica, &master);
        let asked = replica.info("commandstats", "cmdstat_time");
        asked.unwrap().is_some()
    })
    .await;
    let start = Instant::now();
    offer_until_at(&master, &queue, || ()).await;
    println!("offered after {:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_planned_failover_under_load_loses_nothing_that_all_replicas_have() {
    let bed = Sentinels::start();
    let client = connect(bed.url()).await;
    let queue = queue(&client, "orders");
    let (stop, stopped) = oneshot::channel();
    let offer = Offer::after(SHORT).durability(Durability::Replicas(2), Duration::from_secs(5));
    let offering = tokio::spawn(keep_offering(queue.clone(), offer, "load", stopped));
    let bed = blocking(move || {
        bed.failover();
        bed
    })
    .await;
    let start = Instant::now();
    // Goes to the new master, or fails.
    queue.offer(&"after".to_owned(), SHORT).await.unwrap();
    println!("offered {:?} after the failover", start.elapsed());
    stop.send(()).unwrap();
    let offered = offering.await.unwrap();
    // In the order of an element's way.
    let mut there = queue.pending().read_all().await.unwrap();
    there.extend(queue.destination().read_all().await.unwrap());
    println!("{} durable offers", offered.len());
    assert!(!offered.is_empty());
    for value in offered {
        assert!(there.contains(&value), "{value}");
    }
    drop(bed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_taker_goes_on_at_the_new_master_and_leaves_the_old_one_that_returns() {
    let bed = Sentinels::start();
    let client = connect(bed.url()).await;
    let queue = queue(&client, "orders");
    queue
        .offer(&"before".to_owned(), Duration::from_secs(2))
        .await
        .unwrap();
    let taking = tokio::spawn({
        let queue = queue.clone();
        async move { take_each(&queue, ["before", "after"].map(str::to_owned)).await }
    });
    let (bed, old) = blocking(move || {
        for replica in bed.replicas() {
            testbed::until("the replica has the element", || {
                match pending_at(&replica) {
                    0 => Err("it has none".to_owned()),
                    _ => Ok(()),
                }
            });
        }
        let old = bed.kill_master();
        bed.wait_until_ok();
        old.restart();
        (bed, old)
    })
    .await;
    let start = Instant::now();
    queue.offer(&"after".to_owned(), SHORT).await.unwrap();
    let again = timeout(LONG, taking).await.unwrap().unwrap();
    assert!(again.is_empty(), "{again:?}");
    println!("taken {:?} after the failover", start.elapsed());
    assert_ne!(bed.master().port(), old.port());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_sentinel_alone_leads_to_the_new_master() {
    let bed = Sentinels::start();
    // One of them leads the failover, and learns of its end last.
    let mut queues = Vec::new();
    for sentinel in bed.sentinels() {
        let address = format!(
            "redis+sentinel://{}/{}",
            sentinel.address(),
            Sentinels::MASTER
        );
        queues.push(queue(&connect(address).await, "orders"));
    }
    let bed = blocking(move || {
        bed.kill_master();
        bed.wait_until_ok();
        bed
    })
    .await;
    for queue in &queues {
        queue.offer(&"17".to_owned(), SHORT).await.unwrap();
        assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), "17");
    }
    drop(bed);
}
