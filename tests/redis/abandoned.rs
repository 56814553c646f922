//! Elements that a client had claimed when it was killed.

use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::Client;

use crate::fixture::{
    Contents, RIGHTS_BEFOREHAND, SOON, abandon, keys, lacks, looked, looking_often, orders,
    orders_with,
};
use crate::support::{Proxy, RedisServer, eventually};

/// Java takes from the target queue alone, and no Rust client may be left that takes.
#[tokio::test]
async fn what_a_killed_client_had_claimed_goes_back_to_the_head_in_order() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    // More than one run returns, by their number and by their size.
    let claims = [(1, 1_700, 10), (2, 300, 9_000), (3, 3, 700_000)];
    let mut expected = Vec::new();
    let mut store = redis::pipe();
    for (claim, count, size) in claims {
        for place in 0..count {
            let payload = format!("{claim}-{place:04}{}", "x".repeat(size));
            abandon(&mut store, claim, place, &payload);
            expected.push(payload);
        }
    }
    let () = store.query_async(&mut connection).await.unwrap();
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

/// What begins and ends trouble, and whether elements are returned meanwhile.
type Trouble = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    bool,
);

const TROUBLES: &[Trouble] = &[
    (
        "no memory",
        &["CONFIG", "SET", "maxmemory", "1"],
        &["CONFIG", "SET", "maxmemory", "0"],
        true,
    ),
    (
        "no right",
        &["ACL", "SETUSER", "service", "-lpush"],
        &["ACL", "SETUSER", "service", "+lpush"],
        false,
    ),
    (
        "another type of target",
        &["SET", "orders", "x"],
        &["DEL", "orders"],
        false,
    ),
    (
        "another type of quarantine",
        &["SET", "rdq1_quarantine:{orders}", "x"],
        &["DEL", "rdq1_quarantine:{orders}"],
        false,
    ),
    (
        "a pause",
        &["HSET", "rdq1_state:{orders}", "paused", "1"],
        &["DEL", "rdq1_state:{orders}"],
        true,
    ),
    (
        "a limited rate",
        &[
            "HSET",
            "rdq1_state:{orders}",
            "interval_us",
            "60000000",
            "burst",
            "1",
        ],
        &["DEL", "rdq1_state:{orders}"],
        true,
    ),
];

/// An element on its way back is in one place or the other, whatever goes wrong.
#[tokio::test]
async fn no_trouble_loses_what_goes_back() {
    for (trouble, begin, end, is_returned) in TROUBLES {
        if *trouble == "no right" && lacks((7, 0), RIGHTS_BEFOREHAND) {
            continue;
        }
        let redis = RedisServer::start().await;
        let mut connection = redis.connection().await;
        let mut run = async |command: &[&str]| {
            let mut it = redis::cmd(command[0]);
            it.arg(&command[1..]);
            let _: redis::Value = it.query_async(&mut connection).await.unwrap();
        };
        let user = [
            "ACL", "SETUSER", "service", "on", ">secret", "~*", "&*", "+@all",
        ];
        run(&user).await;
        let payloads = ["first", "second", "third"];
        let mut store = redis::pipe();
        for (place, payload) in (0..).zip(payloads) {
            abandon(&mut store, 1, place, payload);
        }
        let () = store
            .query_async(&mut redis.connection().await)
            .await
            .unwrap();
        run(begin).await;
        let url = format!("redis://service:secret@127.0.0.1:{}/", redis.port());
        let _transfers = orders_with(looking_often(), &url).await;
        looked(&redis, 5).await;
        let mut observer = redis.connection().await;
        let leases: usize = observer.zcard(keys().leases()).await.unwrap();
        assert_eq!(leases, if *is_returned { 0 } else { 3 }, "{trouble}");
        run(end).await;
        eventually(SOON, "all are back", async || {
            Contents::of(&redis).await.target == payloads
        })
        .await;
        assert_eq!(Contents::of(&redis).await.leases, 0, "{trouble}");
    }
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
