//! The consumer of `docs/acl.md`.

use redisson_delayed_queue::Schedule;

use super::super::lost_claim::{CLAIM, Unlucky};
use super::*;
use crate::fixture::server_ms;

#[tokio::test]
async fn a_consumer_needs_the_documented_rights() {
    assert_least("Consumer", async |redis| {
        prepare(redis).await;
        let mut failed = Failed::new();
        let Some((client, queue, mut events)) = open(redis, &mut failed, looking_often()).await
        else {
            return failed;
        };
        let keys = keys();
        let mut told = Vec::new();
        eventually(SOON, "elements are moved, or that is denied", async || {
            told.extend(all_events(&mut events));
            let mut connection = redis.connection().await;
            let due: usize = connection
                .zcount(keys.timeouts(), 0, server_ms(redis).await)
                .await
                .unwrap();
            let fired: Option<f64> = connection
                .zscore(keys.periodic_due(), "hourly")
                .await
                .unwrap();
            let is_fired = fired.unwrap() > 1_000_000.0;
            let is_denied = told
                .iter()
                .any(|it| matches!(it, Event::TransferFailed { .. }));
            let is_unfired = told
                .iter()
                .any(|it| matches!(it, Event::ScheduleFailed { .. }));
            is_denied || due == 0 && (is_fired || is_unfired)
        })
        .await;
        let failed = &mut failed;
        for event in told {
            match event {
                Event::TransferFailed { .. } => failed.insert("Event::TransferFailed"),
                Event::ScheduleFailed { .. } => failed.insert("Event::ScheduleFailed"),
                _ => continue,
            };
        }
        if failed.contains("Event::TransferFailed") {
            failed.remove("Event::ScheduleFailed");
        } else if !is_swept(redis).await {
            failed.insert("rdq1_keyed");
        }
        note(failed, "take", queue.take().await);
        for _ in 0..2 {
            note(failed, "take", queue.take_many(8, SOON).await);
        }
        note(failed, "take_last", queue.destination().take_last().await);
        let left = queue.destination().poll_many(100).await;
        note(failed, "take", left);
        if failed.is_empty() {
            let mut connection = redis.connection().await;
            let () = connection.hset(keys.state(), "paused", "1").await.unwrap();
            eventually(
                SOON,
                "it waits for the end of the pause, or something is denied",
                async || {
                    redis.command_count(&["hexists"]).await > 0 || !denials(redis).await.is_empty()
                },
            )
            .await;
            let () = connection.hdel(keys.state(), "paused").await.unwrap();
        }
        drop(queue);
        if failed.is_empty() {
            let rest = [keys.timeouts(), keys.periodic(), keys.periodic_due()];
            let () = redis.connection().await.del(&rest).await.unwrap();
            eventually(
                SOON,
                "it stops listening, or something is denied",
                async || {
                    redis.command_count(&["unsubscribe"]).await > 0
                        || !denials(redis).await.is_empty()
                },
            )
            .await;
        }
        // Fails as the calls before it did.
        let _ = client.shutdown().await;
        let mut connection = redis.connection().await;
        if !failed.contains("Event::TransferFailed")
            && connection.exists(keys.leases()).await.unwrap()
        {
            failed.insert("rdq1_leases");
        }
        push(redis, &["a"]).await;
        let careful = Client::builder().transfer(false).at_most_once(true);
        if let Some((_client, queue, _)) = open(redis, failed, careful).await {
            note(failed, "at_most_once", queue.take().await);
        }
        if failed.is_empty() && !finds_lost_claims(redis).await {
            failed.insert("Event::Degraded");
        }
        std::mem::take(failed)
    })
    .await;
}

/// Loses the reply to a claim of `take`. True if the client may look for its element.
async fn finds_lost_claims(redis: &RedisServer) -> bool {
    let mut unlucky = Unlucky::start(redis, Duration::from_secs(1)).await;
    let (proxy, queue) = (&unlucky.proxy, &unlucky.queue);
    // The script is loaded then, whose text has the word in it.
    queue.try_take().await.unwrap();
    proxy.cut_after_request(CLAIM, 1);
    push(redis, &["a"]).await;
    queue.take().await.unwrap();
    unlucky.complaints().is_empty()
}

/// Leaves something of every kind that a consumer meets.
async fn prepare(redis: &RedisServer) {
    let owner = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let a = "a".to_owned();
    owner
        .offer_with(&a, under("17", LONG, IfPending::Keep))
        .await
        .unwrap();
    let expires_at = loop {
        let expires_at = SystemTime::now() + Duration::from_millis(20);
        match owner
            .offer_with(&a, expiring(Duration::ZERO, expires_at))
            .await
        {
            // The machine is busy.
            Err(Error::ExpiresBeforeDue) => {}
            offered => break offered.map(|_| expires_at).unwrap(),
        }
    };
    let expires_ms = expires_at.duration_since(SystemTime::UNIX_EPOCH).unwrap();
    eventually(SOON, "it expires", async || {
        server_ms(redis).await > expires_ms.as_millis() as i64
    })
    .await;
    let hourly = Schedule::every(LONG).unwrap();
    owner.schedule("hourly", &a, &hourly).await.unwrap();
    let limit = RateLimit::new(1_000, Duration::from_millis(1));
    owner.set_rate_limit(Some(limit)).await.unwrap();
    let members = [
        (b"\x01i\x01\0\0\0\0\0\0\0a".to_vec(), 1_000.0),
        (b"unreadable".to_vec(), 2_000.0),
    ];
    schedule(redis, &members).await;
    let mut connection = redis.connection().await;
    let () = connection
        .zadd(keys().periodic_due(), "hourly", 1_000)
        .await
        .unwrap();
    let mut store = redis::pipe();
    crate::fixture::abandon(&mut store, 1, 0, "b");
    let () = store.query_async(&mut connection).await.unwrap();
    let () = connection
        .hset(keys().keyed(), "forgotten", "gone")
        .await
        .unwrap();
    let () = connection
        .zadd(keys().keyed_due(), "forgotten", 1)
        .await
        .unwrap();
    owner
        .offer(&"x".repeat(1_200_000), Duration::ZERO)
        .await
        .unwrap();
    let () = connection.rpush("orders", vec![&a; 20]).await.unwrap();
}

/// True if a key of an offer is forgotten whose element is gone.
async fn is_swept(redis: &RedisServer) -> bool {
    let mut connection = redis.connection().await;
    for _ in 0..100 {
        let member: Option<String> = connection.hget(keys().keyed(), "forgotten").await.unwrap();
        if member.is_none() {
            return true;
        }
        looked(redis, 1).await;
    }
    false
}
