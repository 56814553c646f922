//! Elements that a client had claimed when it was killed.

use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Event};

use crate::fixture::{
    Contents, RIGHTS_BEFOREHAND, SOON, abandon, allow, client_with, keys, lacks, looked,
    looking_often, never_polling, next_event, orders, orders_with, service_url, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

/// Java takes from the target queue alone, and no Rust client may be left that takes.
#[tokio::test]
async fn what_a_killed_client_had_claimed_goes_back_to_the_head_in_order() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    let expected = abandon_many(&redis).await;

    // It looks once, and goes on since more ran out than one run returns.
    let _transfers = orders_with(never_polling(), &redis.url()).await;
    eventually(SOON, "all are back", async || {
        let length: usize = connection.llen(keys().target()).await.unwrap();
        length == expected.len()
    })
    .await;
    assert_eq!(Contents::of(&redis).await.target, expected);
    assert_eq!(Contents::of(&redis).await.leases, 0);
}

/// Leaves more claimed payloads than one run returns, by their number and by their size, and one that is due. Returns
/// all in their order.
async fn abandon_many(redis: &RedisServer) -> Vec<String> {
    let claims = [(1, 1_700, 10), (2, 300, 9_000), (3, 3, 700_000)];
    let mut payloads = Vec::new();
    let mut store = redis::pipe();
    for (claim, count, size) in claims {
        for place in 0..count {
            let payload = format!("{claim}-{place:04}{}", "x".repeat(size));
            abandon(&mut store, claim, place, &payload);
            payloads.push(payload);
        }
    }
    store.rpush(keys().target(), "due").ignore();
    let () = store
        .query_async(&mut redis.connection().await)
        .await
        .unwrap();
    payloads.push("due".to_owned());
    payloads
}

/// Some come back in each run, the last ones first.
#[tokio::test]
async fn takers_get_what_a_killed_client_had_claimed_in_order() {
    for transfers in [false, true] {
        let redis = RedisServer::start().await;
        let expected = abandon_many(&redis).await;
        let builder = Client::builder().transfer(transfers);
        let queue = orders_with(builder, &redis.url()).await;
        let first = queue.try_take().await.unwrap();
        assert_eq!(first.as_ref(), expected.first());
        let taken = take_all(&queue, expected.len() - 1).await.unwrap();
        assert!(taken == expected[1..], "transfers: {transfers}");
    }
}

/// The last one is what has waited for the shortest time.
#[tokio::test]
async fn takers_from_the_last_end_get_it_in_the_other_order() {
    let redis = RedisServer::start().await;
    let mut expected = abandon_many(&redis).await;
    expected.reverse();
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut taken = Vec::new();
    while let Some(value) = queue.destination().try_take_last().await.unwrap() {
        taken.push(value);
    }
    assert!(taken == expected);
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
        allow(&redis, &["~*", "&*", "+@all"]).await;
        let payloads = ["first", "second", "third"];
        let mut store = redis::pipe();
        for (place, payload) in (0..).zip(payloads) {
            abandon(&mut store, 1, place, payload);
        }
        let () = store
            .query_async(&mut redis.connection().await)
            .await
            .unwrap();
        let () = redis.run(begin).await;
        let url = service_url(&redis);
        let _transfers = orders_with(looking_often(), &url).await;
        looked(&redis, 5).await;
        let mut observer = redis.connection().await;
        let leases: usize = observer.zcard(keys().leases()).await.unwrap();
        assert_eq!(leases, if *is_returned { 0 } else { 3 }, "{trouble}");
        let () = redis.run(end).await;
        eventually(SOON, "all are back", async || {
            Contents::of(&redis).await.target == payloads
        })
        .await;
        assert_eq!(Contents::of(&redis).await.leases, 0, "{trouble}");
    }
}

/// Whatever else stands among the leases must not stop the queue.
#[tokio::test]
async fn what_is_no_lease_is_set_aside_and_reported() {
    let strangers = [
        &b""[..],
        b"\x14short",
        b"something else that is long enough",
    ];
    // The first client that moves elements, takes, pops or passes on sets them aside.
    for first in ["moves", "takes", "pops", "passes on"] {
        let redis = RedisServer::start().await;
        let mut connection = redis.connection().await;
        for stranger in strangers {
            let () = connection.zadd(keys().leases(), stranger, 1).await.unwrap();
        }
        let () = connection.rpush(keys().target(), "good").await.unwrap();
        let builder = Client::builder().transfer(first == "moves");
        let builder = builder.at_most_once(first == "pops");
        let client = client_with(builder, &redis.url()).await;
        let mut events = client.events();
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        match first {
            "moves" => {}
            "passes on" => {
                let target = queue.destination();
                let passed = target.take_last_and_offer_first_to("others").await;
                assert_eq!(passed.unwrap(), "good");
            }
            _ => assert_eq!(queue.take().await.unwrap(), "good"),
        }
        let told = next_event(&mut events).await;
        let Event::Quarantined {
            count: 3,
            dropped: 0,
            members,
            ..
        } = &told
        else {
            panic!("{first}: {told:?}");
        };
        let mut members: Vec<&[u8]> = members.iter().map(|it| &it[..]).collect();
        members.sort_unstable();
        assert_eq!(members, strangers);
        let aside: usize = connection.zcard(keys().quarantine()).await.unwrap();
        assert_eq!(aside, strangers.len());
    }
}
