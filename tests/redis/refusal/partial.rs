//! Every call that writes, refused at every command: it did everything or nothing.

use futures::future::BoxFuture;
#[cfg(feature = "periodic")]
use redisson_delayed_queue::Schedule;
use redisson_delayed_queue::{BlockingQueue, Side};

use super::*;

/// What a call is made on.
#[derive(Clone)]
struct Scene {
    queue: DelayedQueue<String>,
    target: BlockingQueue<String>,
    tickets: Vec<Ticket>,
}

type Call = (&'static str, fn(Scene) -> BoxFuture<'static, Result<bool>>);

/// Lists calls; each says whether there was something to do.
macro_rules! calls {
    ($($name:literal: |$scene:ident| $call:expr, $done:expr;)*) => {
        vec![$(($name, |$scene: Scene| {
            Box::pin(async move { $call.await.map($done) })
        }),)*]
    };
}

fn calls() -> Vec<Call> {
    let mut calls = periodic_calls();
    let always: Vec<Call> = calls! {
        "offer": |it| it.queue.offer(&"n".to_owned(), LONG), |_| true;
        "offer_with, at": |it| it.queue.offer_with(&"n".to_owned(), SystemTime::now() + LONG), |_| true;
        "offer_all": |it| it.queue.offer_all([("n".to_owned(), LONG), ("m".to_owned(), LONG)]), |_| true;
        "offer_with, expiring": |it| it.queue.offer_with(&"n".to_owned(), expiring(LONG, SystemTime::now() + LONG * 2)), |_| true;
        "offer_with, by value": |it| it.queue.offer_with(&"n".to_owned(), by_value(LONG, IfPending::Keep)), |_| true;
        "offer_with, under a key": |it| it.queue.offer_with(&"n".to_owned(), under("key", LONG, IfPending::Replace)), |_| true;
        "move": |it| it.queue.offer_with(&"keyed".to_owned(), under("key", LONG / 2, IfPending::Replace)), |_| true;
        "offer_with, replacing": |it| it.queue.offer_with(&"b".to_owned(), replacing(LONG)), |_| true;
        "reschedule": |it| it.queue.reschedule(&it.tickets[1], LONG / 2), |done| done;
        "promote": |it| it.queue.promote(&it.tickets[1]), |done| done;
        "cancel": |it| it.queue.cancel(&it.tickets[1]), |done| done;
        "cancel_all": |it| it.queue.cancel_all(&it.tickets), |count| count == 4;
        "pending.remove": |it| it.queue.pending().remove(&"b".to_owned()), |done| done;
        "pending.remove_all": |it| it.queue.pending().remove_all(&["a".to_owned(), "b".to_owned()]), |count| count == 2;
        "pending.retain_all": |it| it.queue.pending().retain_all(&["a".to_owned(), "b".to_owned()]), |count| count == 2;
        "pending.retain_none": |it| it.queue.pending().retain_all(&[]), |count| count == 4;
        "pending.poll": |it| it.queue.pending().poll(), |value| value.is_some();
        "pending.poll_many": |it| it.queue.pending().poll_many(3), |values| values.len() == 3;
        "pending.poll_last_and_offer_first_to": |it| it.queue.pending().poll_last_and_offer_first_to("others"), |value| value.is_some();
        "pending.clear": |it| it.queue.pending().clear(), |()| true;
        "object.delete": |it| it.queue.object().delete(), |done| done;
        "object.expire": |it| it.queue.object().expire(LONG), |done| done;
        "object.expire_at": |it| it.queue.object().expire_at(SystemTime::UNIX_EPOCH), |done| done;
        "object.rename": |it| it.queue.object().rename("others"), |done| done;
        "object.rename_if_absent": |it| it.queue.object().rename_if_absent("third"), |done| done;
        "object.copy_to": |it| it.queue.object().copy_to("third"), |done| done;
        "object.copy_replacing": |it| it.queue.object().copy_replacing("others"), |done| done;
        "pause": |it| it.queue.pause(), |()| true;
        "set_rate_limit": |it| it.queue.set_rate_limit(Some(RateLimit::new(1, LONG))), |()| true;
        "target.offer": |it| it.target.offer(&"n".to_owned()), |()| true;
        "target.add_all_first": |it| it.target.add_all_first(&["n".to_owned()]), |count| count > 0;
        "target.move_to": |it| it.target.move_to("others", Side::First, Side::Last, 2), |count| count == 2;
        "target.relay": |it| it.target.poll_last_and_offer_first_to("others", Duration::ZERO), |value| value.is_some();
        "target.remove": |it| it.target.remove(&"due".to_owned()), |done| done;
        "target.remove_all": |it| it.target.remove_all(&["due".to_owned()]), |count| count == 1;
        "target.retain_all": |it| it.target.retain_all(&["due".to_owned()]), |count| count == 2;
        "target.trim": |it| it.target.trim(1..), |()| true;
        "target.clear": |it| it.target.clear(), |()| true;
    };
    calls.extend(always);
    calls
}

#[cfg(feature = "periodic")]
fn periodic_calls() -> Vec<Call> {
    calls! {
        "schedule": |it| it.queue.schedule("other", &"n".to_owned(), &Schedule::every(LONG).unwrap()), |_| true;
        "unschedule": |it| it.queue.unschedule("hourly"), |done| done;
    }
}

#[cfg(not(feature = "periodic"))]
fn periodic_calls() -> Vec<Call> {
    Vec::new()
}

/// Calls that free memory: without any, they are carried out.
const FREEING: [&str; 14] = [
    "cancel",
    "cancel_all",
    "pending.remove",
    "pending.remove_all",
    "pending.retain_all",
    "pending.retain_none",
    "pending.clear",
    "object.delete",
    "target.move_to",
    "target.remove",
    "target.remove_all",
    "target.retain_all",
    "target.trim",
    "target.clear",
];

/// A queue with something of every kind, and others in the way.
async fn scene(redis: &RedisServer, listing: Listing) -> Scene {
    let mut connection = redis.connection().await;
    allow(redis, &["~*", "&*", "+@all"]).await;
    let () = redis.run(&["FLUSHALL"]).await;
    let builder = Client::builder().transfer(false).remember_offers(true);
    let queue = orders_with(builder, &service_url(redis)).await;
    let queue = queue.with_listing(listing);
    let keyed = queue
        .offer_with(&"keyed".to_owned(), under("key", LONG, IfPending::Keep))
        .await
        .unwrap();
    let expires_at = SystemTime::now() + LONG * 2;
    let tickets = vec![
        keyed.ticket.clone(),
        queue.offer(&"b".to_owned(), LONG).await.unwrap(),
        queue.offer(&"a".to_owned(), LONG).await.unwrap(),
        queue
            .offer_with(&"late".to_owned(), expiring(LONG, expires_at))
            .await
            .unwrap()
            .ticket,
    ];
    #[cfg(feature = "periodic")]
    {
        let hourly = Schedule::every(LONG).unwrap();
        let scheduled = queue.schedule("hourly", &"h".to_owned(), &hourly).await;
        scheduled.unwrap();
    }
    let () = connection
        .rpush("orders", &["first", "due", "last"])
        .await
        .unwrap();
    let () = connection.rpush("others", "other").await.unwrap();
    Scene {
        target: queue.destination(),
        queue,
        tickets,
    }
}

/// Calls, and asserts that an error left everything as it was. Returns whether the call was carried out.
async fn assert_whole(redis: &RedisServer, (name, call): Call, scene: Scene, case: &str) -> bool {
    let before = snapshot(redis).await;
    let queue = scene.queue.clone();
    let called = call(scene).await;
    let is_done = called.is_ok();
    match called {
        Ok(done) => assert!(done, "{name} {case} did nothing"),
        // Redis 6.2 cannot tell beforehand, and then the error does not say that nothing was changed.
        Err(error @ Error::Denied { .. }) if error.may_have_changed_redis() => {
            assert!(is_older_than((7, 0)), "{name} {case}: {error:?}");
        }
        Err(error) => {
            assert!(!error.may_have_changed_redis(), "{name} {case}: {error:?}");
            let after = snapshot(redis).await;
            let changed: Vec<&String> = before
                .keys()
                .chain(after.keys())
                .filter(|key| before.get(*key) != after.get(*key))
                .collect();
            assert!(changed.is_empty(), "{name} {case} changed {changed:?}");
        }
    }
    drop(queue);
    is_done
}

/// [C1] [C3] Scripts do not roll back, so each must know beforehand what it may do.
#[tokio::test]
async fn without_the_right_to_one_command_a_call_does_everything_or_nothing() {
    let redis = RedisServer::start().await;
    let commands = [
        "time",
        "type",
        "exists",
        "hdel",
        "hexists",
        "hget",
        "hincrby",
        "hmget",
        "hset",
        "hsetnx",
        "lindex",
        "llen",
        "lpush",
        "lpop",
        "lrange",
        "lrem",
        "lset",
        "ltrim",
        "persist",
        "pexpire",
        "pexpireat",
        "pttl",
        "publish",
        "rpop",
        "rpush",
        "unlink",
        "del",
        "rename",
        "copy",
        "zadd",
        "zmscore",
        "zrange",
        "zrangebyscore",
        "zrem",
        "zremrangebyscore",
        "zscore",
    ];
    for call in calls() {
        for command in commands {
            let scene = scene(&redis, Listing::Listed).await;
            allow(&redis, &["~*", "&*", "+@all", &format!("-{command}")]).await;
            let case = format!("without {command}");
            assert_whole(&redis, call, scene, &case).await;
        }
    }
}

/// [C1] Some of the keys are missing in the rules, or may be written and not read.
#[tokio::test]
async fn without_the_right_to_some_keys_a_call_does_everything_or_nothing() {
    if lacks((7, 0), "rights to read or to write keys") {
        return;
    }
    let redis = RedisServer::start().await;
    let rules: [&[&str]; 5] = [
        // All but one key.
        &["~orders", "~redisson*", "~rdq1_[!p]*", "~others"],
        // All of one queue.
        &["~orders", "~*{orders}"],
        // The others may be written, and this one only written, or only read.
        &["~others", "~*{others}", "%W~orders", "%W~*{orders}"],
        &["~others", "~*{others}", "%R~orders", "%R~*{orders}"],
        &["~orders", "~*{orders}", "%R~others", "%R~*{others}"],
    ];
    for call in calls() {
        for rules in rules {
            let scene = scene(&redis, Listing::Listed).await;
            allow(&redis, &[rules, &["&*", "+@all"]].concat()).await;
            assert_whole(&redis, call, scene, &format!("with {rules:?}")).await;
        }
    }
}

/// [C1] A script is refused the first command that needs memory, and none behind one that frees some.
#[tokio::test]
async fn without_memory_a_call_does_everything_or_nothing() {
    let redis = RedisServer::start().await;
    for call in calls() {
        // So that Redis knows the script.
        call.1(scene(&redis, Listing::Listed).await).await.unwrap();
        let scene = scene(&redis, Listing::Listed).await;
        set_memory(&redis, "1").await;
        let is_done = assert_whole(&redis, call, scene, "without memory").await;
        assert!(is_done || !FREEING.contains(&call.0), "{}", call.0);
        set_memory(&redis, "0").await;
    }
}

/// [A10] Whatever stands where a key of the queue belongs.
#[tokio::test]
async fn with_one_key_of_another_type_a_call_does_everything_or_nothing() {
    let redis = RedisServer::start().await;
    let keys = keys();
    let all = [
        keys.target(),
        keys.ordering(),
        keys.timeouts(),
        keys.leases(),
        keys.deliveries(),
        keys.quarantine(),
        keys.settled(),
        keys.keyed(),
        keys.keyed_due(),
        keys.state(),
        keys.counts(),
        keys.periodic(),
        keys.periodic_due(),
        "others",
    ];
    let refused: [(&str, &[&str]); 4] = [
        (
            keys.timeouts(),
            &["offer", "cancel", "pending.remove", "promote", "reschedule"],
        ),
        (keys.ordering(), &["offer", "cancel", "pending.remove"]),
        (keys.state(), &["pause", "set_rate_limit"]),
        (keys.target(), &["target.offer", "target.remove"]),
    ];
    for (name, call) in calls() {
        for (key, listing) in all.into_iter().flat_map(|key| LISTINGS.map(|it| (key, it))) {
            let scene = scene(&redis, listing).await;
            let () = redis.run(&["SET", key, "something else"]).await;
            let before = snapshot(&redis).await;
            let called = call(scene).await;
            let must_refuse = |it: &&(&str, &[&str])| it.0 == key && it.1.contains(&name);
            if listing == Listing::Listed && refused.iter().any(|it| must_refuse(&it)) {
                let is_refused = matches!(called, Err(Error::WrongType { .. }));
                assert!(is_refused, "{name} with {key}: {called:?}");
            }
            if let Err(error) = called {
                assert!(!error.may_have_changed_redis(), "{name} {key}: {error:?}");
                assert_eq!(snapshot(&redis).await, before, "{name} with {key}");
            }
        }
    }
}
