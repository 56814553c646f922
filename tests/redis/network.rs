//! A consumer that waits while its server or its network fails.

use std::time::Duration;

use futures::future::BoxFuture;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Error, Event, Result, Ticket};
use testbed::Settings;
use tokio::task::JoinHandle;

use crate::fixture::{
    LONG, SOON, client_with, connected, lacks, never_polling, orders, orders_with, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

/// [A5] In Redisson a blocked `take()` never finds out that its socket leads nowhere.
#[tokio::test]
async fn a_taker_on_a_half_open_socket_gets_what_comes_later() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let taker = waiting_taker(quick(), &proxy).await;
    proxy.strand();
    let producer = orders(&redis.url()).await;
    producer
        .offer(&"a".to_owned(), Duration::from_millis(10))
        .await
        .unwrap();
    assert_eq!(taker.await.unwrap().unwrap(), "a");
}

/// [C5] The first attempt was applied and its reply lost; that none of the others came through does not undo it.
#[tokio::test]
async fn a_call_that_may_have_been_applied_says_so_whatever_ends_it() {
    type Call = fn(DelayedQueue<String>, Ticket) -> BoxFuture<'static, Result<()>>;
    let calls: [(&[u8], Call); 6] = [
        (b"precious", |queue, ticket| {
            Box::pin(async move { queue.cancel(&ticket).await.map(drop) })
        }),
        (b"precious", |queue, ticket| {
            Box::pin(async move { queue.promote(&ticket).await.map(drop) })
        }),
        (b"redisson_delay_queue_timeout", |queue, _| {
            Box::pin(async move { queue.pending().clear().await })
        }),
        (b"UNLINK", |queue, _| {
            Box::pin(async move { queue.object().delete().await.map(drop) })
        }),
        (b"never", |queue, _| {
            Box::pin(async move { queue.object().clear_expire().await.map(drop) })
        }),
        (b"HSETNX", |queue, _| {
            Box::pin(async move { queue.pause().await })
        }),
    ];
    for (pattern, call) in calls {
        for shuts_down in [false, true] {
            let redis = RedisServer::start().await;
            let proxy = Proxy::start(redis.port()).await;
            let builder = Client::builder()
                .transfer(false)
                .retry_window(Duration::from_secs(1));
            let client = client_with(builder, &proxy.url()).await;
            let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
            let ticket = queue.offer(&"precious".to_owned(), LONG).await.unwrap();
            // From now on Redis knows the scripts.
            queue.object().clear_expire().await.unwrap();
            queue.promote(&ticket).await.unwrap();
            queue.cancel(&ticket).await.unwrap();
            let ticket = queue.offer(&"precious".to_owned(), LONG).await.unwrap();

            let gate = proxy.hold_reply_to(pattern);
            let called = tokio::spawn(call(queue, ticket));
            gate.reached().await;
            redis.kill();
            proxy.cut();
            if shuts_down {
                client.shutdown().await.unwrap();
            }
            let error = called.await.unwrap().unwrap_err();
            assert!(matches!(error, Error::Lost { .. }), "{error:?}");
            assert!(error.may_have_changed_redis());
        }
    }
}

/// [A5] The network is gone for a while and comes back.
#[tokio::test]
async fn a_taker_outlives_a_black_hole() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let producer = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let taker = waiting_taker(quick(), &proxy).await;
    proxy.black_hole(true);
    producer
        .offer(&"a".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!taker.is_finished());
    proxy.black_hole(false);
    assert_eq!(taker.await.unwrap().unwrap(), "a");
}

/// What a poll shorter than the timeout of a reply can know, and what it cannot.
#[tokio::test]
async fn a_short_poll_ends_in_nothing_until_the_freeze_shows_and_then_says_so() {
    let redis = RedisServer::start().await;
    let patient = Client::builder().response_timeout(Duration::from_secs(60));
    let patient = orders_with(patient, &redis.url()).await;
    let hasty = orders_with(quick(), &redis.url()).await;
    assert_eq!(patient.try_take().await.unwrap(), None);
    assert_eq!(hasty.try_take().await.unwrap(), None);
    redis.pause();
    let short = Duration::from_millis(50);
    let polled = tokio::time::timeout(SOON, patient.poll(short)).await;
    assert!(matches!(polled, Ok(Ok(None))), "{polled:?}");
    eventually(SOON, "a poll notices", async || {
        let polled = hasty.poll(short).await;
        matches!(polled, Err(Error::Lost { .. } | Error::Connect { .. }))
    })
    .await;
    redis.resume();
}

/// A virtual machine that is moved stops for seconds, with all sockets up.
#[tokio::test]
async fn a_frozen_server_delays_a_taker_and_does_not_hang_a_poll() {
    let redis = RedisServer::start().await;
    let queue = orders_with(quick(), &redis.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    redis.pause();
    // It says that it could not look, which is not the same as that there was nothing.
    let polled = tokio::time::timeout(SOON, queue.poll(Duration::from_secs(2))).await;
    assert!(
        matches!(polled, Ok(Err(Error::Lost { .. } | Error::Connect { .. }))),
        "{polled:?}"
    );
    let tried = tokio::time::timeout(SOON, queue.try_take()).await;
    assert!(matches!(tried, Ok(Err(_))), "{tried:?}");
    redis.resume();
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// [A6] Each restart forgets scripts, subscriptions, hints and, here, the data.
#[tokio::test]
async fn a_waiting_taker_survives_restarts_of_redis() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    for round in 0..10 {
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take().await }
        });
        redis.kill();
        redis.restart().await;
        queue
            .offer(&round.to_string(), Duration::from_millis(20))
            .await
            .unwrap();
        let taken = tokio::time::timeout(SOON, taker).await;
        assert_eq!(taken.expect("in time").unwrap().unwrap(), round.to_string());
    }
}

/// A Redis with data on disk answers for a while that it is loading them, which is no reason to end.
#[tokio::test]
async fn a_waiting_taker_outlives_the_loading_of_data() {
    if lacks((7, 0), "answering while a small file is loaded") {
        return;
    }
    let slowly = Settings::new()
        .set("key-load-delay", "500")
        .set("loading-process-events-interval-bytes", "1024");
    let redis = RedisServer::with(slowly).await;
    let mut connection = redis.connection().await;
    let mut pipe = redis::pipe();
    for i in 0..2_000 {
        pipe.cmd("SET").arg(i).arg("x".repeat(100)).ignore();
    }
    pipe.cmd("SAVE").ignore();
    pipe.exec_async(&mut connection).await.unwrap();
    let client = client_with(never_polling(), &redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    redis.kill();
    redis.restart().await;
    assert!(!taker.is_finished());
    queue
        .offer(&"a".to_owned(), Duration::from_millis(20))
        .await
        .unwrap();
    assert_eq!(taker.await.unwrap().unwrap(), "a");
}

/// [A4] The subscription of every client is killed; the next new head is heard all the same.
#[tokio::test]
async fn a_killed_subscription_is_made_again_at_once() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let other = orders_with(Client::builder().transfer(false), &redis.url()).await;
    for round in 0..10 {
        redis.kill_clients("pubsub").await;
        other
            .offer(&round.to_string(), Duration::from_millis(50))
            .await
            .unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), [round.to_string()]);
    }
}

/// [B2] Redisson's own timer fired as the reply arrived, and the element in it was gone.
#[tokio::test]
async fn no_element_is_lost_between_a_timeout_and_a_late_reply() {
    const COUNT: usize = 300;
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders(&proxy.url()).await;
    let producer = orders_with(Client::builder().transfer(false), &redis.url()).await;
    proxy.jitter_replies(Duration::from_millis(30), 7);
    for i in 0..COUNT {
        producer
            .offer(&i.to_string(), Duration::from_millis(i as u64 * 5))
            .await
            .unwrap();
    }
    let mut taken = Vec::new();
    eventually(SOON * 3, "all came", async || {
        let timeout = Duration::from_micros(rand::random_range(1..40_000));
        taken.extend(queue.poll(timeout).await.unwrap());
        taken.len() >= COUNT
    })
    .await;
    proxy.jitter_replies(Duration::ZERO, 0);
    assert_eq!(queue.poll(Duration::from_millis(500)).await.unwrap(), None);
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), COUNT);
}

/// [B5] The reply to a claim is lost: this process holds the elements and does not know.
#[tokio::test]
async fn a_claim_whose_reply_is_lost_is_found_again() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let target = orders_with(Client::builder().transfer(false), &redis.url())
        .await
        .destination();
    target
        .offer(&"run the script once".to_owned())
        .await
        .unwrap();
    take_all(&queue, 1).await.unwrap();
    for round in 0..10 {
        let value = round.to_string();
        target.offer(&value).await.unwrap();
        let lost = proxy.lost_replies();
        proxy.cut_after_request(b"rdq1_quarantine", 1);
        assert_eq!(take_all(&queue, 1).await.unwrap(), [value]);
        assert_eq!(proxy.lost_replies(), lost + 1);
    }
}

/// The element was handed over and the reply to the end of its lease is lost: it must not come again.
#[tokio::test]
async fn an_end_of_a_lease_whose_reply_is_lost_delivers_nothing_twice() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = Client::builder().claim_lease(Duration::from_secs(1));
    let queue = orders_with(lease, &proxy.url()).await;
    // Now the scripts are loaded, whose text has the word in it.
    queue
        .offer(&"warm".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    take_all(&queue, 1).await.unwrap();
    for round in 0..5 {
        proxy.cut_after_request(b"$1\r\n2\r\n$20\r\nrdq1_leases:{orders}", 1);
        queue
            .offer(&round.to_string(), Duration::ZERO)
            .await
            .unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), [round.to_string()]);
    }
    // Longer than a lease.
    assert_eq!(
        queue.poll(Duration::from_millis(1_500)).await.unwrap(),
        None
    );
    assert_eq!(proxy.lost_replies(), 5);
}

/// Somebody who flushes the scripts again and again must not be heard of by callers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_script_flushes_fails_no_call() {
    let redis = RedisServer::start().await;
    // On a busy machine, few scripts come between two flushes.
    let patient = Client::builder().retry_window(Duration::from_secs(60));
    let queue = orders_with(patient, &redis.url()).await;
    let mut connection = redis.connection().await;
    let storm = tokio::spawn(async move {
        loop {
            let mut flush = redis::cmd("SCRIPT");
            flush
                .arg("FLUSH")
                .exec_async(&mut connection)
                .await
                .unwrap();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    for i in 0..100 {
        queue.offer(&i.to_string(), Duration::ZERO).await.unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), [i.to_string()]);
    }
    storm.abort();
}

/// Operators watch these.
#[tokio::test]
async fn the_loss_and_return_of_the_connection_are_events() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let mut events = client.events();
    let _queue = client
        .delayed_queue::<String, _>("orders", StringCodec)
        .unwrap();
    eventually(SOON, "both connections are up", async || {
        redis.command_count(&["subscribe"]).await > 0 && redis.command_count(&["evalsha"]).await > 0
    })
    .await;
    redis.kill();
    let address = format!("127.0.0.1:{}", redis.port());
    // The connection that delivers and the one that listens, in any order.
    let (mut disconnected, mut degraded) = (false, false);
    while !(disconnected && degraded) {
        match events.next().await {
            // It may have been up before anybody listened to events.
            Some(Event::Connected { .. }) if !disconnected => {}
            Some(Event::Disconnected { server, cause, .. }) if !disconnected => {
                assert_eq!(server, address);
                assert!(cause.is_io_error(), "{cause:?}");
                disconnected = true;
            }
            Some(Event::Degraded {
                server,
                queue: None,
                cause,
                ..
            }) if !degraded => {
                assert_eq!(server, address);
                assert!(cause.is_io_error(), "{cause:?}");
                degraded = true;
            }
            other => panic!("{other:?}"),
        }
    }
    redis.restart().await;
    let (mut connected, mut recovered) = (false, false);
    while !(connected && recovered) {
        match events.next().await {
            Some(Event::Connected { server, .. }) if !connected => {
                assert_eq!(server, address);
                connected = true;
            }
            Some(Event::Recovered {
                server,
                queue: None,
                ..
            }) if !recovered => {
                assert_eq!(server, address);
                recovered = true;
            }
            other => panic!("{other:?}"),
        }
    }
    client.shutdown().await.unwrap();
    assert!(events.next().await.is_none());
    assert!(client.events().next().await.is_none());
}

/// A process that is told to end must end, whatever its server does.
#[tokio::test]
async fn a_shutdown_does_not_wait_for_a_frozen_server() {
    let redis = RedisServer::start().await;
    // Much longer than the test would wait.
    let builder = Client::builder()
        .connect_timeout(Duration::from_secs(60))
        .response_timeout(Duration::from_secs(1))
        .retry_window(Duration::from_secs(2));
    let client = client_with(builder, &redis.url()).await;
    let queue = |name| -> DelayedQueue<String> { client.delayed_queue(name, StringCodec).unwrap() };
    // Connects. A queue that was found empty might begin with another command than a claim.
    assert_eq!(queue("others").try_take().await.unwrap(), None);
    redis.pause();
    let queue = queue("orders");
    // Now there may be leases that this process does not know.
    let tried = tokio::time::timeout(SOON, queue.try_take()).await;
    assert!(matches!(tried, Ok(Err(Error::Lost { .. }))), "{tried:?}");
    let ended = tokio::time::timeout(SOON, client.shutdown()).await;
    assert!(ended.expect("it ends").is_err());
    redis.resume();
}

/// Times out fast, so that a test need not wait for the defaults.
fn quick() -> ClientBuilder {
    Client::builder()
        .response_timeout(Duration::from_millis(400))
        .connect_timeout(Duration::from_millis(400))
        .safety_poll(Duration::from_millis(300))
}

/// A taker that has come to rest, on a queue with something far in the future.
async fn waiting_taker(builder: ClientBuilder, proxy: &Proxy) -> JoinHandle<Result<String>> {
    let queue: DelayedQueue<String> = orders_with(builder, &proxy.url()).await;
    queue.offer(&"far".to_owned(), LONG).await.unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    let taker = tokio::spawn(async move { queue.take().await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    taker
}
