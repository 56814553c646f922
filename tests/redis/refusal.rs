//! Calls that cannot succeed: which error they end in, and that Redis is as it was.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::{self, Codec, StringCodec};
use redisson_delayed_queue::keys::{NameError, QueueKeys};
use redisson_delayed_queue::{
    Client, DelayedQueue, Durability, Error, Event, Events, IfPending, Listing, Offer, RateLimit,
    Result, Step, Ticket,
};
use testbed::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::timeout;

use crate::calls::Handles;
use crate::fixture::{
    Contents, LONG, RIGHTS_BEFOREHAND, SOON, SUBCOMMAND_RULES, all_events, allow, by_value,
    client_with, documented_rights, expiring, is_older_than, keys, lacks, looked, looking_often,
    next_event, orders, orders_with, push, replacing, schedule, service_url, set_memory, take_all,
    under,
};
use crate::support::{Proxy, RedisServer, eventually};
use wording::{assert_harmless, assert_well_worded};

mod handshake;
mod partial;
mod right;
mod server;
mod wording;
mod wrong_type;

const LISTINGS: [Listing; 2] = [Listing::Listed, Listing::Unlisted];

/// Its keys would be shared by all that forgot to name their queue.
#[tokio::test]
async fn a_queue_without_a_name_is_refused() {
    let redis = RedisServer::start().await;
    let client = Client::connect(redis.url()).await.unwrap();
    let error = client
        .delayed_queue::<String, _>("", StringCodec)
        .unwrap_err();
    assert!(matches!(error, Error::Name(NameError::Empty)), "{error:?}");
    assert_harmless(&error);
    assert_eq!(snapshot(&redis).await, BTreeMap::new());
}

/// [D5] Redisson overflows, and the element is due before the beginning of time.
#[tokio::test]
async fn a_delay_past_two_to_the_53_is_refused_and_nothing_is_written() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let two_to_the_53 = Duration::from_millis(1 << 53);
    for delay in [
        Duration::MAX,
        two_to_the_53 + Duration::from_nanos(1),
        // The delay would do, but it does not begin in 1970.
        two_to_the_53,
        two_to_the_53 - Duration::from_secs(1_000_000_000),
    ] {
        let error = queue.offer(&"a".to_owned(), delay).await.unwrap_err();
        assert!(
            matches!(error, Error::DelayTooLong { delay: it } if it == delay),
            "{error:?}"
        );
        assert_harmless(&error);
    }
    assert_eq!(snapshot(&redis).await, BTreeMap::new());
}

/// A value that has no payload must not become an element that nobody can read.
#[tokio::test]
async fn what_the_codec_refuses_is_not_sent() {
    #[derive(Debug)]
    struct Refusing;

    impl Codec<String> for Refusing {
        fn encode(&self, _: &String) -> Result<Bytes, codec::Error> {
            Err(codec::Error::with_source("value has no payload", "too odd"))
        }

        fn decode(&self, _: Bytes) -> Result<String, codec::Error> {
            unreachable!("nothing is scheduled")
        }
    }

    let redis = RedisServer::start().await;
    let client = Client::connect(redis.url()).await.unwrap();
    let queue = client.delayed_queue("orders", Refusing).unwrap();
    let value = "a".to_owned();
    let calls = [
        queue.pending().remove(&value).await.map(drop),
        queue.pending().contains(&value).await.map(drop),
        queue.destination().offer(&value).await,
    ];
    let offers = offer_in_every_way(&queue, &value).await;
    for error in offers.into_iter().chain(calls).map(Result::unwrap_err) {
        let Error::Encode { .. } = &error else {
            panic!("{error:?}");
        };
        let message = "cannot encode the value: Refusing: value has no payload: too odd";
        assert_eq!(error.to_string(), message);
        assert_harmless(&error);
    }
    assert_eq!(snapshot(&redis).await, BTreeMap::new());
}

/// [B6] Redisson loses what it cannot decode, for it was popped before.
#[tokio::test]
async fn an_element_that_cannot_be_decoded_is_in_the_error() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let mut connection = redis.connection().await;
    let () = connection.rpush("orders", b"\xff\xfe").await.unwrap();
    let error = queue.take().await.unwrap_err();
    assert_well_worded(&error);
    assert!(error.may_have_changed_redis());
    let Error::Decode { payload, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(payload, &b"\xff\xfe"[..]);
    // And the queue goes on.
    let () = connection.rpush("orders", "good").await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["good"]);
}

/// Every call that offers one value.
async fn offer_in_every_way(queue: &DelayedQueue<String>, value: &String) -> [Result<()>; 6] {
    let keep = IfPending::Keep;
    let (now, later) = (SystemTime::now(), SystemTime::now() + LONG * 2);
    [
        queue.offer(value, LONG).await.map(drop),
        queue.offer_with(value, now).await.map(drop),
        queue
            .offer_with(value, expiring(LONG, later))
            .await
            .map(drop),
        queue
            .offer_with(value, by_value(LONG, keep))
            .await
            .map(drop),
        queue
            .offer_with(value, under("key", LONG, keep))
            .await
            .map(drop),
        queue.offer_with(value, replacing(LONG)).await.map(drop),
    ]
}

/// All that Redis holds, byte for byte.
async fn snapshot(redis: &RedisServer) -> BTreeMap<String, Vec<u8>> {
    let mut connection = redis.connection().await;
    let keys: Vec<String> = connection.keys("*").await.expect("KEYS answers");
    let mut all = BTreeMap::new();
    for key in keys {
        let value = redis::cmd("DUMP")
            .arg(&key)
            .query_async(&mut connection)
            .await
            .expect("nothing expires");
        all.insert(key, value);
    }
    all
}
