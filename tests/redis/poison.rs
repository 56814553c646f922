//! Members that nobody can read: they are set aside, and nothing else notices.

use std::time::Duration;

use bytes::Bytes;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::packed::{MemberId, pack};
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Event, Events, PrivateBytes};
use tokio::time::timeout;

use crate::fixture::{
    Contents, LONG, SOON, client_with, keys, looked, looking_often, orders, orders_with, schedule,
    server_ms, take_all,
};
use crate::support::{RedisServer, eventually};

mod ambiguous;
mod flood;
mod format;
mod score;

/// [A9] [C1] Redisson's script fails at the bad member, after it pushed the good ones before it and
/// before it removed them: these are delivered every five seconds, those behind it never.
#[tokio::test]
async fn good_members_around_an_unreadable_one_are_moved_once() {
    let redis = RedisServer::start().await;
    let due = server_ms(&redis).await as f64 - 1_000.0;
    let bad = Bytes::from_static(b"\x08no member");
    let members = [
        member("good 1"),
        member("good 2"),
        bad.clone(),
        member("good 3"),
    ];
    schedule(&redis, &at_one_ms_each(due, &members)).await;

    let (queue, mut events) = orders_with_events(looking_often(), &redis).await;
    let expected = std::slice::from_ref(&bad);
    assert_eq!(next_quarantined(&mut events).await, expected);
    looked(&redis, 20).await;
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.target, ["good 1", "good 2", "good 3"]);
    assert!(contents.ordering.is_empty(), "{contents:?}");
    assert!(contents.timeouts.is_empty(), "{contents:?}");
    assert_eq!(quarantine(&redis).await, [(bad.to_vec(), due + 2.0)]);

    let taken = take_all(&queue, 3).await.unwrap();
    assert_eq!(taken, ["good 1", "good 2", "good 3"]);
    assert_eq!(queue.try_take().await.unwrap(), None);
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// [A9] The first run looks at a hundred members: nothing but bad ones among them is no end of the queue.
#[tokio::test]
async fn a_good_member_behind_hundreds_of_unreadable_ones_arrives() {
    let redis = RedisServer::start().await;
    let due = server_ms(&redis).await as f64 - 1_000.0;
    let mut members: Vec<Bytes> = (0..350).map(|i| format!("\x7f{i}").into()).collect();
    members.push(member("good"));
    schedule(&redis, &at_one_ms_each(due, &members)).await;

    let queue = orders(&redis.url()).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["good"]);
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.quarantine.len(), 350);
    assert!(contents.ordering.is_empty(), "{contents:?}");
    assert!(contents.timeouts.is_empty(), "{contents:?}");
}

/// [A9] Exactly what `struct.unpack` fails on in Redisson's script is taken out, byte for byte.
#[tokio::test]
async fn every_kind_of_unreadable_member_is_quarantined_with_its_score() {
    let redis = RedisServer::start().await;
    let too_long = pack(&MemberId::from(*b"8 bytes."), b"abc").slice(..19);
    let mut kinds: Vec<&[u8]> = vec![
        b"",
        b"\x08",
        b"a text that somebody pushed here",
        // No room for the length of the payload behind the id.
        b"\x08randomId\x01\0\0\0\0\0\0",
        b"\xff\x08randomId\x01\0\0\0\0\0\0\0a",
        // A payload longer than the member.
        &too_long,
        b"\x08randomId\0\0\0\x01\0\0\0\0a",
        b"\x08randomId\0\0\0\0\0\0\0\x80a",
        b"\0\xff\xff\xff\xff\xff\xff\xff\x7f",
    ];
    for kind in &kinds {
        assert_eq!(unpacked_by_redisson(&redis, kind).await, None, "{kind:?}");
    }
    // 2^64 - 1 is more than `unpack` can count to: where C makes 0 of it, Redisson delivers nothing.
    kinds.push(b"\x08randomId\xff\xff\xff\xff\xff\xff\xff\xffa");
    let due = server_ms(&redis).await as f64 - 1_000.0;
    let scores = (0..).map(|i| due + f64::from(i));
    let scheduled: Vec<_> = kinds.iter().map(|it| it.to_vec()).zip(scores).collect();
    schedule(&redis, &scheduled).await;
    schedule(&redis, &[(member("good"), due + 100.0)]).await;

    let (queue, mut events) = orders_with_events(looking_often(), &redis).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["good"]);
    assert_eq!(quarantine(&redis).await, scheduled);
    let contents = Contents::of(&redis).await;
    assert!(contents.ordering.is_empty(), "{contents:?}");
    assert!(contents.timeouts.is_empty(), "{contents:?}");
    let kinds: Vec<_> = scheduled.into_iter().map(|it| it.0).collect();
    assert_eq!(next_quarantined(&mut events).await, kinds);
}

/// A Java client on the queue fails on it as soon as it is due by its own clock.
#[tokio::test]
async fn an_unreadable_member_is_quarantined_ahead_of_its_due_time() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    queue.offer(&"good".to_owned(), LONG).await.unwrap();
    // Where the machine was too slow to see it, one more attempt is made.
    for attempt in 0..10 {
        let bad = format!("\x7fno member {attempt}");
        let due = server_ms(&redis).await as f64 + 4_900.0;
        schedule(&redis, &[(&bad, due)]).await;
        eventually(SOON, "it is taken out", async || {
            Contents::of(&redis).await.timeouts.len() == 1
        })
        .await;
        assert!(quarantine(&redis).await.contains(&(bad.into_bytes(), due)));
        assert_eq!(queue.pending().read_all().await.unwrap(), ["good"]);
        assert_eq!(Contents::of(&redis).await.ordering.len(), 1);
        if (server_ms(&redis).await as f64) < due {
            return;
        }
    }
    panic!("it is always taken out too late");
}

/// What is due in an hour may be of a format that the next version of Redisson reads.
#[tokio::test]
async fn an_unreadable_member_of_the_far_future_is_left_until_then() {
    let redis = RedisServer::start().await;
    let bad = b"\x7fno member".to_vec();
    let due = server_ms(&redis).await as f64 + LONG.as_millis() as f64;
    schedule(&redis, &[(&bad, due)]).await;
    let queue = orders_with(looking_often(), &redis.url()).await;
    looked(&redis, 10).await;
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.timeouts, [(bad.clone(), due)]);
    assert_eq!(contents.ordering, std::slice::from_ref(&bad));
    assert!(contents.quarantine.is_empty(), "{contents:?}");

    // Then comes.
    let now = server_ms(&redis).await as f64;
    let () = redis::cmd("ZADD")
        .arg(keys().timeouts())
        .arg(now)
        .arg(&bad)
        .query_async(&mut redis.connection().await)
        .await
        .unwrap();
    eventually(SOON, "it is quarantined", async || {
        quarantine(&redis).await == [(bad.clone(), now)]
    })
    .await;
    assert_eq!(queue.pending().len().await.unwrap(), 0);
}

/// It is evidence: whoever wrote it has to find it again.
#[tokio::test]
async fn nothing_that_is_offered_taken_or_cleared_touches_the_quarantine() {
    let redis = RedisServer::start().await;
    let bad = b"\x7fno member".to_vec();
    schedule(&redis, &[(&bad, 1_000.0)]).await;
    let queue = orders_with(looking_often(), &redis.url()).await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    take_all(&queue, 1).await.unwrap();
    queue.offer(&"b".to_owned(), LONG).await.unwrap();
    queue.pending().clear().await.unwrap();
    assert_eq!(quarantine(&redis).await, [(bad, 1_000.0)]);
    let ttl: i64 = redis.run(&["TTL", keys().quarantine()]).await;
    assert_eq!(ttl, -1);
}

/// As [`orders_with`], with the events from before the first look.
async fn orders_with_events(
    builder: ClientBuilder,
    redis: &RedisServer,
) -> (DelayedQueue<String>, Events) {
    let client = client_with(builder, &redis.url()).await;
    let events = client.events();
    let queue = client
        .delayed_queue("orders", StringCodec)
        .expect("the name is valid");
    (queue, events)
}

/// The members that were quarantined, of which there are few.
async fn next_quarantined(events: &mut Events) -> Vec<PrivateBytes> {
    let find = async {
        loop {
            match events.next().await.expect("the client lives") {
                Event::Quarantined {
                    queue,
                    count,
                    dropped,
                    members,
                    ..
                } => {
                    assert_eq!(queue, "orders");
                    assert_eq!((count, dropped), (members.len() as u64, 0));
                    return members;
                }
                Event::Connected { .. } => {}
                event => panic!("{event:?}"),
            }
        }
    };
    timeout(SOON, find).await.expect("a member is quarantined")
}

/// The quarantine by the due time that its members had.
async fn quarantine(redis: &RedisServer) -> Vec<(Vec<u8>, f64)> {
    let keys = keys();
    let range = ["ZRANGE", keys.quarantine(), "0", "-1", "WITHSCORES"];
    redis.run(&range).await
}

/// What the script of Redisson 3.21.1 to 4.7.0 makes of a member; nothing if it fails there.
async fn unpacked_by_redisson(redis: &RedisServer, member: &[u8]) -> Option<Vec<u8>> {
    const UNPACK: &str = "
        local good, id, payload = pcall(struct.unpack, 'Bc0Lc0', ARGV[1])
        return good and payload";
    redis::cmd("EVAL")
        .arg(UNPACK)
        .arg(0)
        .arg(member)
        .query_async(&mut redis.connection().await)
        .await
        .expect("EVAL answers")
}

/// A member as Redisson packs it.
fn member(payload: &str) -> Bytes {
    pack(
        &MemberId::from(rand::random::<[u8; 8]>()),
        payload.as_bytes(),
    )
}

/// Due one after the other, in this order.
fn at_one_ms_each(first: f64, members: &[Bytes]) -> Vec<(Bytes, f64)> {
    let scores = (0..).map(|i| first + f64::from(i));
    members.iter().cloned().zip(scores).collect()
}
