//! Elements that a client had claimed when it was killed.

use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::Client;

use crate::fixture::{Contents, SOON, keys, orders, orders_with};
use crate::support::{Proxy, RedisServer, eventually};

/// The lease of `payload` at a place in a claim.
fn lease(claim: u8, place: u16, payload: &str) -> Vec<u8> {
    let mut lease = vec![20];
    lease.extend([7; 15]);
    lease.push(claim);
    lease.extend(place.to_be_bytes());
    lease.extend(1_u16.to_be_bytes());
    lease.extend((payload.len() as u64).to_le_bytes());
    lease.extend(payload.as_bytes());
    lease
}

/// Java takes from the target queue alone, and no Rust client may be left that takes.
#[tokio::test]
async fn what_a_killed_client_had_claimed_goes_back_to_the_head_in_order() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    // More than one run returns, by their number and by their size.
    let claims = [(1, 1_700, 10), (2, 300, 9_000), (3, 3, 700_000)];
    let mut expected = Vec::new();
    for (claim, count, size) in claims {
        for place in 0..count {
            let payload = format!("{claim}-{place:04}{}", "x".repeat(size));
            let lease = lease(claim, place, &payload);
            let _: () = connection
                .zadd(keys().leases(), lease, i64::from(claim))
                .await
                .unwrap();
            expected.push(payload);
        }
    }
    let _: () = connection.rpush(keys().target(), "due").await.unwrap();
    expected.push("due".to_owned());

    let _transfers = orders(&redis.url()).await;
    eventually(SOON, "all are back", async || {
        let length: usize = connection.llen(keys().target()).await.unwrap();
        length == expected.len()
    })
    .await;
    assert_eq!(Contents::of(&redis).await.target, expected);
    assert_eq!(Contents::of(&redis).await.leases, 0);
}

/// The same from the claim on, which is never answered.
#[tokio::test]
async fn a_client_that_takes_nothing_returns_what_another_claimed() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = Client::builder()
        .claim_lease(Duration::from_millis(300))
        .transfer(false);
    let vanishing = orders_with(lease, &proxy.url()).await;
    assert_eq!(vanishing.try_take().await.unwrap(), None);
    let mut connection = redis.connection().await;
    let payloads = ["first", "second", "third"];
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let taker = tokio::spawn(async move { vanishing.take_many(3, SOON).await });
    let _: () = connection.rpush(keys().target(), &payloads).await.unwrap();
    gate.reached().await;
    proxy.black_hole(true);
    taker.abort();

    let _transfers = orders(&redis.url()).await;
    eventually(SOON, "all are back", async || {
        Contents::of(&redis).await.target == payloads
    })
    .await;
}

/// Whatever else stands among the leases must not stop the queue.
#[tokio::test]
async fn what_is_no_lease_is_set_aside() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    for member in [
        &b""[..],
        b"\x14short",
        b"something else that is long enough",
    ] {
        let _: () = connection.zadd(keys().leases(), member, 1).await.unwrap();
    }
    let queue = orders(&redis.url()).await;
    queue
        .offer(&"good".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    eventually(SOON, "the good one is due", async || {
        Contents::of(&redis).await.target == ["good"]
    })
    .await;
    eventually(SOON, "the others are set aside", async || {
        connection
            .zcard::<_, usize>(keys().quarantine())
            .await
            .unwrap()
            == 3
    })
    .await;
}
