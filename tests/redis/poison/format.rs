//! Members that others wrote in other ways, and that are as good as ours.

use redis::AsyncCommands;
use serde::Deserialize;

use super::*;

/// [G5] After an upgrade of Redisson both layouts stand in one queue, and no version of it reads both.
#[tokio::test]
async fn members_of_old_and_new_redisson_arrive_once_and_in_due_order() {
    let vectors = string_vectors();
    assert!(vectors.len() > 20);
    let redis = RedisServer::start().await;
    let due = server_ms(&redis).await as f64 - 1_000.0;
    let mut members = Vec::new();
    let mut payloads = Vec::new();
    for vector in vectors {
        members.extend([vector.old, vector.new]);
        payloads.extend([vector.payload.clone(), vector.payload]);
    }
    // Offered in the opposite order, as the ordering list tells.
    let mut scheduled = at_one_ms_each(due, &members);
    scheduled.reverse();
    schedule(&redis, &scheduled).await;

    let queue = orders_with(looking_often(), &redis.url()).await;
    let taken = take_all(&queue, payloads.len()).await.unwrap();
    assert_eq!(taken, payloads);
    assert_eq!(queue.try_take().await.unwrap(), None);
    assert_nothing_is_left(&redis).await;
}

/// [G5] What is not yet due is in both layouts as well: it is found, read and removed.
#[tokio::test]
async fn members_of_old_redisson_are_found_read_and_removed() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let due = server_ms(&redis).await as f64 + LONG.as_millis() as f64;
    let vectors = string_vectors();
    let hello = vectors
        .iter()
        .find(|it| it.payload == "hello world")
        .unwrap();
    let other = vectors.iter().find(|it| it.payload == "a").unwrap();
    schedule(&redis, &[(&hello.old, due), (&other.new, due)]).await;

    assert_eq!(
        queue.pending().read_all().await.unwrap(),
        ["hello world", "a"]
    );
    assert_eq!(
        queue.pending().peek().await.unwrap().unwrap(),
        "hello world"
    );
    assert!(queue.pending().contains(&hello.payload).await.unwrap());
    assert!(queue.pending().remove(&hello.payload).await.unwrap());
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering, [other.new.to_vec()]);
    assert_eq!(contents.timeouts, [(other.new.to_vec(), due)]);
}

/// New Redisson takes the second byte of this old id for a payload of three bytes, and delivers that.
#[tokio::test]
async fn an_old_member_that_reads_as_a_new_one_with_bytes_behind_it_is_delivered_whole() {
    let redis = RedisServer::start().await;
    let payload = "a".repeat(256);
    let member = [
        &b"\0\x03\0\0\0\0\0\0"[..],
        b"\0\x01\0\0\0\0\0\0",
        payload.as_bytes(),
    ]
    .concat();
    let misread = unpacked_by_redisson(&redis, &member).await;
    assert_eq!(misread.unwrap(), b"\x01\0\0");
    schedule(&redis, &[(member, 1_000.0)]).await;
    let queue = orders(&redis.url()).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), [payload]);
    assert_nothing_is_left(&redis).await;
}

/// Redisson's `struct.unpack` does not mind them.
#[tokio::test]
async fn bytes_behind_the_payload_are_dropped_as_by_redisson() {
    let redis = RedisServer::start().await;
    let member = [&member("a")[..], b" and some more"].concat();
    assert_eq!(unpacked_by_redisson(&redis, &member).await.unwrap(), b"a");
    schedule(&redis, &[(&member, 1_000.0)]).await;
    let queue = orders(&redis.url()).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    assert_nothing_is_left(&redis).await;
}

/// Redisson writes ids of 8 bytes and reads any; the longest fills its length byte.
#[tokio::test]
async fn ids_of_any_length_are_delivered() {
    let redis = RedisServer::start().await;
    let members = [
        pack(&MemberId::from([]), b"0"),
        pack(&MemberId::from([7]), b"1"),
        pack(&MemberId::from([0; 16]), b"16"),
        pack(&MemberId::from([0xff; 255]), b"255"),
        pack(&MemberId::from([]), b""),
    ];
    for member in &members {
        assert!(unpacked_by_redisson(&redis, member).await.is_some());
    }
    schedule(&redis, &at_one_ms_each(1_000.0, &members)).await;
    let queue = orders(&redis.url()).await;
    let taken = take_all(&queue, members.len()).await.unwrap();
    assert_eq!(taken, ["0", "1", "16", "255", ""]);
    assert_nothing_is_left(&redis).await;
}

/// [C2] An offer that was sent twice by an old Redisson stands twice in the ordering list; what
/// stands there alone is a ghost. A member that is missing there is due all the same.
#[tokio::test]
async fn the_ordering_list_does_not_decide_what_is_delivered() {
    let redis = RedisServer::start().await;
    let (twice, unlisted, ghost) = (member("twice"), member("unlisted"), member("ghost"));
    let mut connection = redis.connection().await;
    let listed = [&ghost[..], b"no member", &twice, b"", &twice, &ghost];
    let () = connection.rpush(keys().ordering(), &listed).await.unwrap();
    let due = [(1_000, &twice[..]), (2_000, &unlisted)];
    let () = connection
        .zadd_multiple(keys().timeouts(), &due)
        .await
        .unwrap();

    let queue = orders_with(looking_often(), &redis.url()).await;
    let taken = take_all(&queue, 2).await.unwrap();
    assert_eq!(taken, ["twice", "unlisted"]);
    let delay = Duration::from_millis(20);
    queue.offer(&"more".to_owned(), delay).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["more"]);
    looked(&redis, 10).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    let contents = Contents::of(&redis).await;
    assert!(contents.timeouts.is_empty(), "{contents:?}");
    assert!(contents.quarantine.is_empty(), "{contents:?}");
}

async fn assert_nothing_is_left(redis: &RedisServer) {
    eventually(SOON, "nothing is left", async || {
        Contents::of(redis).await.is_empty()
    })
    .await;
    assert_eq!(quarantine(redis).await, []);
}

/// One value as two versions of Redisson stored it.
struct Vector {
    payload: String,
    new: Bytes,
    old: Bytes,
}

fn string_vectors() -> Vec<Vector> {
    #[derive(Deserialize)]
    struct Line {
        codec: String,
        payload_hex: String,
        packed_hex: String,
        #[serde(rename = "packed_dLc0_hex")]
        packed_old_hex: Option<String>,
    }

    include_str!("../../../interop/vectors/redisson.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Line>(line).expect("the line is a vector"))
        .filter(|line| line.codec == "StringCodec")
        .filter_map(|line| {
            Some(Vector {
                payload: String::from_utf8(hex(&line.payload_hex)).expect("the payload is text"),
                new: hex(&line.packed_hex).into(),
                old: hex(&line.packed_old_hex?).into(),
            })
        })
        .collect()
}

fn hex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two hex digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}
