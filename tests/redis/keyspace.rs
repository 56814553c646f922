//! Calls about every key of a queue, and which of the keys each of them touches.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use futures::future::BoxFuture;
use redis::{AsyncCommands, FromRedisValue};
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::{NameError, QueueKeys};
use redisson_delayed_queue::{Client, DelayedQueue, Error, Result, Step};

use crate::fixture::{LONG, SOON, lacks, never_polling, orders, orders_with, take_all};
use crate::support::{Proxy, RedisServer};

mod lifetime;
mod relocation;

/// A kind of key, and its name in a queue.
type Kind = (&'static str, fn(&QueueKeys) -> &str);

/// Every kind of key that a queue has; a new one must find its place in every row below.
const KINDS: [Kind; 13] = [
    ("counts", QueueKeys::counts),
    ("deliveries", QueueKeys::deliveries),
    ("keyed", QueueKeys::keyed),
    ("keyed_due", QueueKeys::keyed_due),
    ("leases", QueueKeys::leases),
    ("ordering", QueueKeys::ordering),
    ("periodic", QueueKeys::periodic),
    ("periodic_due", QueueKeys::periodic_due),
    ("quarantine", QueueKeys::quarantine),
    ("settled", QueueKeys::settled),
    ("state", QueueKeys::state),
    ("target", QueueKeys::target),
    ("timeouts", QueueKeys::timeouts),
];

/// Those that end by themselves, and do so for no call earlier, later or never.
const ENDING: [&str; 4] = ["counts", "keyed", "keyed_due", "settled"];

/// [F2] [F3] Redisson deletes the half of a queue and renames the other; here each call is listed with
/// the keys that it leaves under the old name and those that the new name has afterwards.
#[tokio::test]
async fn every_call_touches_exactly_the_keys_that_it_should() {
    type Call = fn(DelayedQueue<String>) -> BoxFuture<'static, Result<bool>>;
    /// What it is called, the call, whether a queue of the new name is there before, and which keys
    /// each name has afterwards.
    type Row = (
        &'static str,
        Call,
        bool,
        Vec<&'static str>,
        Vec<&'static str>,
    );
    let every = KINDS.map(|(kind, _)| kind);
    let but = |left: &[&str]| -> Vec<&'static str> {
        let kept = every.into_iter().filter(|it| !left.contains(it));
        kept.collect()
    };
    let uncopied = [
        "counts",
        "deliveries",
        "leases",
        "periodic",
        "periodic_due",
        "settled",
    ];
    let rows: [Row; 13] = [
        (
            "clear",
            |queue| Box::pin(async move { queue.pending().clear().await.map(|()| true) }),
            false,
            but(&["keyed", "keyed_due", "ordering", "timeouts"]),
            vec![],
        ),
        (
            "delete",
            |queue| Box::pin(async move { queue.object().delete().await }),
            false,
            vec!["settled"],
            vec![],
        ),
        (
            "expire",
            |queue| Box::pin(async move { queue.object().expire(Duration::ZERO).await }),
            false,
            ENDING.to_vec(),
            vec![],
        ),
        (
            "expire_at",
            |queue| Box::pin(async move { queue.object().expire_at(SystemTime::UNIX_EPOCH).await }),
            false,
            ENDING.to_vec(),
            vec![],
        ),
        (
            "expire_at before the beginning",
            |queue| {
                let at = SystemTime::UNIX_EPOCH - Duration::from_secs(9);
                Box::pin(async move { queue.object().expire_at(at).await })
            },
            false,
            ENDING.to_vec(),
            vec![],
        ),
        (
            "exists",
            |queue| Box::pin(async move { queue.object().exists().await }),
            false,
            but(&[]),
            vec![],
        ),
        (
            "touch",
            |queue| Box::pin(async move { queue.object().touch().await }),
            false,
            but(&[]),
            vec![],
        ),
        (
            "rename",
            |queue| Box::pin(async move { queue.object().rename("new").await }),
            false,
            vec!["deliveries", "leases", "settled"],
            but(&["deliveries", "leases", "settled"]),
        ),
        (
            "rename to a name in use",
            |queue| Box::pin(async move { queue.object().rename("new").await }),
            true,
            vec!["deliveries", "leases", "settled"],
            but(&["deliveries", "leases"]),
        ),
        (
            "rename_if_absent",
            |queue| Box::pin(async move { queue.object().rename_if_absent("new").await }),
            false,
            vec!["deliveries", "leases", "settled"],
            but(&["deliveries", "leases", "settled"]),
        ),
        (
            "copy_to",
            |queue| Box::pin(async move { queue.object().copy_to("new").await }),
            false,
            but(&[]),
            but(&uncopied),
        ),
        (
            "copy_replacing",
            |queue| Box::pin(async move { queue.object().copy_replacing("new").await }),
            false,
            but(&[]),
            but(&uncopied),
        ),
        (
            "copy_replacing a name in use",
            |queue| Box::pin(async move { queue.object().copy_replacing("new").await }),
            true,
            but(&[]),
            but(&uncopied[..5]),
        ),
    ];
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    for (call, run, in_use, left, new) in rows {
        let () = redis.run(&["FLUSHALL"]).await;
        fill(&redis, "orders", "old value").await;
        let before = held(&redis, "orders").await;
        if in_use {
            fill(&redis, "new", "value in the way").await;
        }
        let in_the_way = held(&redis, "new").await;

        assert!(run(queue.clone()).await.unwrap(), "{call}");
        let old_after = held(&redis, "orders").await;
        assert_eq!(names(&old_after), left, "{call} leaves");
        assert!(
            old_after.iter().all(|(kind, it)| before[kind] == *it),
            "{call} changes a key"
        );
        let new_after = held(&redis, "new").await;
        assert_eq!(names(&new_after), new, "{call} makes");
        for (kind, value) in &new_after {
            let origin = if *kind == "settled" {
                &in_the_way
            } else {
                &before
            };
            assert_eq!(&origin[kind], value, "{call}: {kind}");
        }
        let all: Vec<String> = redis.connection().await.keys("*").await.unwrap();
        assert_eq!(all.len(), left.len() + new.len(), "{call}: {all:?}");
    }
}

/// Any one key is enough to be there, but for the ids of elements that are not.
#[tokio::test]
async fn a_queue_is_there_as_long_as_one_of_its_keys_is() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    assert_eq!(queue.object().size_in_memory().await.unwrap(), 0);
    for (kind, name) in KINDS {
        fill_only(&redis, "orders", kind).await;
        let is_there = !ENDING.contains(&kind);
        assert_eq!(queue.object().exists().await.unwrap(), is_there, "{kind}");
        let touched = queue.object().touch().await.unwrap();
        assert_eq!(touched, kind != "settled", "{kind}");
        let expires = queue.object().expire(LONG).await.unwrap();
        assert_eq!(expires, is_there, "{kind}");
        let left = queue.object().remaining_ttl().await.unwrap();
        assert_eq!(left.is_some(), is_there, "{kind}");
        let stays = queue.object().clear_expire().await.unwrap();
        assert_eq!(stays, is_there, "{kind}");
        let size: u64 = on(&redis, &["MEMORY", "USAGE"], name(&keys("orders"))).await;
        assert_eq!(
            queue.object().size_in_memory().await.unwrap(),
            size,
            "{kind}"
        );
        let deleted = queue.object().delete().await.unwrap();
        assert_eq!(deleted, kind != "settled", "{kind}");
        assert!(!queue.object().delete().await.unwrap());
        assert!(!queue.object().exists().await.unwrap());
        let () = on(&redis, &["DEL"], name(&keys("orders"))).await;
    }
    let mut sizes = 0;
    for (kind, name) in KINDS {
        fill_only(&redis, "orders", kind).await;
        let size: u64 = on(&redis, &["MEMORY", "USAGE"], name(&keys("orders"))).await;
        sizes += size;
    }
    assert_eq!(queue.object().size_in_memory().await.unwrap(), sizes);
}

/// The type of a key does not matter to what is done to it as a whole.
#[tokio::test]
async fn keys_of_another_type_are_deleted_renamed_and_copied_like_others() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut connection = redis.connection().await;
    for (_, name) in KINDS {
        let () = connection.set(name(&keys("orders")), "text").await.unwrap();
    }
    assert!(queue.object().copy_to("copy").await.unwrap());
    assert_eq!(held(&redis, "copy").await.len(), 7);
    assert!(queue.object().rename("new").await.unwrap());
    assert_eq!(held(&redis, "new").await.len(), 10);
    assert!(queue.object().delete().await.unwrap());
    assert_eq!(names(&held(&redis, "orders").await), ["settled"]);
}

/// A deleted queue is as one that never was, also for those that use it.
#[tokio::test]
async fn a_deleted_queue_goes_on_empty() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    queue.offer(&"a".to_owned(), LONG).await.unwrap();
    assert!(queue.object().delete().await.unwrap());
    assert!(queue.pending().is_empty().await.unwrap());
    queue.offer(&"b".to_owned(), Duration::ZERO).await.unwrap();
    let taken = tokio::time::timeout(SOON, waiting).await.unwrap().unwrap();
    assert_eq!(taken.unwrap(), "b");
}

/// Fills every key of the queue `name` with something of its kind that holds `value`.
async fn fill(redis: &RedisServer, name: &str, value: &str) {
    for (kind, _) in KINDS {
        fill_with(redis, name, kind, value).await;
    }
}

/// Fills one kind of key.
async fn fill_only(redis: &RedisServer, name: &str, kind: &str) {
    fill_with(redis, name, kind, "value").await;
}

async fn fill_with(redis: &RedisServer, name: &str, kind: &str, value: &str) {
    let keys = keys(name);
    let (_, key) = KINDS
        .into_iter()
        .find(|(it, _)| *it == kind)
        .expect("it is a kind");
    let mut connection = redis.connection().await;
    let filled: redis::RedisResult<()> = match kind {
        "ordering" | "target" => connection.rpush(key(&keys), value).await,
        "counts" | "keyed" | "periodic" | "state" => {
            connection.hset(key(&keys), "field", value).await
        }
        _ => connection.zadd(key(&keys), value, 9e15).await,
    };
    filled.expect("the key is empty or of its kind");
}

/// What each key of the queue `name` holds, byte for byte.
async fn held(redis: &RedisServer, name: &str) -> BTreeMap<&'static str, Vec<u8>> {
    let keys = keys(name);
    let mut held = BTreeMap::new();
    for (kind, key) in KINDS {
        let dump: Option<Vec<u8>> = on(redis, &["DUMP"], key(&keys)).await;
        held.extend(dump.map(|it| (kind, it)));
    }
    held
}

fn names(held: &BTreeMap<&'static str, Vec<u8>>) -> Vec<&'static str> {
    held.keys().copied().collect()
}

async fn on<T: FromRedisValue>(redis: &RedisServer, command: &[&str], key: &str) -> T {
    let mut words = redis::Cmd::new();
    words.arg(command).arg(key);
    let answer = words.query_async(&mut redis.connection().await).await;
    answer.expect("Redis answers")
}

fn keys(name: &str) -> QueueKeys {
    QueueKeys::new(name).expect("the name is valid")
}
