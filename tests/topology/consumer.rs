//! Consumers that acknowledge, while masters and slots move.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use redisson_delayed_queue::{Backoff, Client, Consumer, Durability, Error, Nack, Offer};
use testbed::{Cluster, Sentinels};
use tokio::sync::oneshot;

use crate::fixture::{LONG, SHORT, blocking, client, connect, keep_offering, queue};

/// A consumer of `orders` whose leases end within a test.
fn consumer(client: &Client) -> Consumer<String> {
    let settings = queue(client, "orders").consumer();
    let settings = settings
        .visibility(Duration::from_secs(2))
        .delivery_limit(1_000);
    settings.backoff(Backoff::fixed(SHORT)).build().unwrap()
}

/// Acknowledges elements, every third at the second attempt only, until each of `values` was
/// acknowledged. An acknowledgement that failed leaves it to the element to come again.
async fn acknowledge_each(consumer: &Consumer<String>, values: Vec<String>) {
    let mut missing: HashSet<String> = values.into_iter().collect();
    let start = Instant::now();
    let mut count = 0;
    while !missing.is_empty() {
        assert!(start.elapsed() < LONG, "{} are missing", missing.len());
        let Ok(Some(delivery)) = consumer.poll(Duration::from_secs(1)).await else {
            continue;
        };
        count += 1;
        let (value, receipt) = delivery.into_parts();
        if count % 3 == 0 && receipt.attempt() == 1 {
            let _ = receipt.nack(Nack::backoff()).await;
        } else if !matches!(receipt.ack().await, Err(Error::Late { .. })) {
            missing.remove(&value);
        }
    }
}

/// Offers and acknowledges while `trouble` goes on.
async fn assert_conserves(client: &Client, trouble: impl FnOnce() + Send + 'static) {
    let consumer = consumer(client);
    let (stop, stopped) = oneshot::channel();
    // Only what all replicas have survives a failover.
    let offer = Offer::after(SHORT).durability(Durability::Replicas(1), Duration::from_secs(5));
    let offering = keep_offering(queue(client, "orders"), offer, "order", stopped);
    let trouble = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        blocking(trouble).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let _ = stop.send(());
    };
    let consuming = consumer.clone();
    let busy = tokio::spawn(async move {
        // Takes its part meanwhile.
        for _ in 0..50 {
            if let Ok(delivery) = consuming.recv().await {
                drop(delivery);
            }
        }
    });
    let (offered, ()) = tokio::join!(offering, trouble);
    assert!(offered.len() > 10, "{}", offered.len());
    acknowledge_each(&consumer, offered).await;
    busy.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_survive_a_slot_that_moves() {
    let cluster = std::sync::Arc::new(blocking(Cluster::start).await);
    let client = connect(cluster.url()).await;
    let moving = std::sync::Arc::clone(&cluster);
    assert_conserves(&client, move || {
        let slot = moving.slot_of("orders");
        let owner = moving.master_of("orders").port();
        let to = moving.masters().into_iter().find(|it| it.port() != owner);
        moving.move_slot(slot, &to.unwrap());
    })
    .await;
}

/// Redis refuses scripts about the queue while some of its keys are here and some there. The lease moves with the slot.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_that_could_not_be_acknowledged_while_its_slot_moved_comes_again() {
    let cluster = blocking(Cluster::without_replicas).await;
    let impatient = client().retry_window(Duration::from_secs(1));
    let client = impatient.connect(cluster.url()).await.unwrap();
    let consumer = consumer(&client);
    let orders = queue(&client, "orders").destination();
    orders.offer(&"17".to_owned()).await.unwrap();
    let first = consumer.recv().await.unwrap();
    let here = cluster.master_of("orders").port();
    let to = cluster.masters().into_iter().find(|it| it.port() != here);
    let moving = cluster.begin_move(cluster.slot_of("orders"), &to.unwrap());

    let error = first.ack().await.unwrap_err();
    assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    assert!(!error.may_have_changed_redis());

    while moving.move_keys(100) > 0 {}
    moving.finish();
    let start = Instant::now();
    let again = loop {
        assert!(start.elapsed() < LONG);
        // It refuses until the client knows where the queue is.
        if let Ok(Some(delivery)) = consumer.poll(Duration::from_secs(1)).await {
            break delivery;
        }
    };
    assert_eq!((again.value().as_str(), again.attempt()), ("17", 2));
    again.ack().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_survive_the_death_of_a_master() {
    let cluster = std::sync::Arc::new(blocking(Cluster::start).await);
    let client = connect(cluster.url()).await;
    let dying = std::sync::Arc::clone(&cluster);
    assert_conserves(&client, move || {
        dying.kill_master_of("orders");
        dying.wait_until_ok();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_survive_a_failover_of_sentinels() {
    let sentinels = std::sync::Arc::new(blocking(Sentinels::start).await);
    let client = connect(sentinels.url()).await;
    let failing = std::sync::Arc::clone(&sentinels);
    assert_conserves(&client, move || {
        failing.failover();
    })
    .await;
}

/// The move of a dead letter is one step, so it cannot cross slots.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dead_letters_lie_in_the_slot_of_their_queue() {
    let cluster = blocking(Cluster::without_replicas).await;
    let client = connect(cluster.url()).await;
    let orders = queue(&client, "orders");
    let elsewhere = orders.consumer().dead_letter("lost").build();
    assert!(matches!(elsewhere, Err(Error::Name(_))), "{elsewhere:?}");
    for name in ["orders", "{shop}:orders", "orders:{shop}"] {
        let orders = queue(&client, name);
        let consumer = orders.consumer().build().unwrap();
        orders.offer(&"a".to_owned(), SHORT).await.unwrap();
        consumer.recv().await.unwrap().reject("no").await.unwrap();
        assert_eq!(consumer.dead_letters().len().await.unwrap(), 1, "{name}");
    }
}
