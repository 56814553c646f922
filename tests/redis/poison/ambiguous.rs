//! Members that fit both layouts to the last byte.

use rand::random_range;
use redisson_delayed_queue::packed::{Format, Packed};

use super::*;

/// What the scripts deliver and what the calls that look show must be one payload.
#[tokio::test]
async fn scripts_and_calls_find_the_same_payload_in_every_member() {
    let redis = RedisServer::start().await;
    let mut members = every_ambiguous();
    members.extend((0..20_000).map(|_| random()));
    let mut connection = redis.connection().await;
    let places = redis::Script::new(concat!(
        include_str!("../../../lua/lib/member.lua"),
        "local places = {}
        for i, member in ipairs(ARGV) do
          local first, last = payload_places(member)
          places[i] = first and { first - 1, last } or {}
        end
        return places"
    ));
    for members in members.chunks(1_000) {
        let mut call = places.prepare_invoke();
        for member in members {
            call.arg(member);
        }
        let places: Vec<Vec<usize>> = call.invoke_async(&mut connection).await.unwrap();
        assert_eq!(places.len(), members.len());
        for (member, places) in members.iter().zip(places) {
            let payload = Packed::parse(Bytes::from(member.clone())).map(|it| it.payload);
            match places[..] {
                [first, last] => assert_eq!(payload.unwrap(), member[first..last], "{member:x?}"),
                _ => assert!(payload.is_err(), "{member:x?}"),
            }
        }
    }
}

/// [G5] Redisson 3.21.1 and newer deliver nothing of these, and of one in 256 an empty payload.
#[tokio::test]
async fn zeros_of_old_redisson_arrive_whatever_their_ids_begin_with() {
    let redis = RedisServer::start().await;
    let mut members: Vec<Bytes> = Vec::new();
    let mut payloads = Vec::new();
    for length in 0..=20 {
        for top in [0x43, 0xc3] {
            let payload = "\0".repeat(length);
            members.push(old([7 + length as u8, 1, 2, 3, 4, 5, 0xd6, top], &payload).into());
            payloads.push(payload);
        }
    }
    schedule(&redis, &at_one_ms_each(1_000.0, &members)).await;
    let queue = orders(&redis.url()).await;
    assert_eq!(take_all(&queue, payloads.len()).await.unwrap(), payloads);
    assert_eq!(quarantine(&redis).await, []);
}

/// What one Rust process offers today, another must not take for a member of years ago.
#[tokio::test]
async fn empty_payloads_of_new_redisson_arrive_whatever_their_ids_end_in() {
    let redis = RedisServer::start().await;
    let members: Vec<Bytes> = [8, 9, 15, 16, 17, 25, 26]
        .into_iter()
        .flat_map(|id_len| [0, 0x42, 0x44, 0xc2, 0xc4, 0xff].map(|eighth| (id_len, eighth)))
        .filter_map(|(id_len, eighth)| ambiguous(id_len, eighth, b""))
        .map(Bytes::from)
        .collect();
    assert_eq!(members.len(), 7 * 6);
    schedule(&redis, &at_one_ms_each(1_000.0, &members)).await;
    let queue = orders(&redis.url()).await;
    let taken = take_all(&queue, members.len()).await.unwrap();
    assert_eq!(taken, vec![""; members.len()]);
    assert_eq!(quarantine(&redis).await, []);
}

/// A search compares payloads inside Redis, and a removal must hit what was found.
#[tokio::test]
async fn zeros_of_old_redisson_are_found_read_and_removed() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let due = server_ms(&redis).await as f64 + LONG.as_millis() as f64;
    let zeros = "\0\0\0".to_owned();
    let member = old([10, 1, 2, 3, 4, 5, 0xd6, 0xc3], &zeros);
    schedule(&redis, &[(&member, due)]).await;

    assert_eq!(queue.pending().read_all().await.unwrap(), [zeros.as_str()]);
    assert_eq!(
        queue.pending().peek_next().await.unwrap().unwrap().value,
        zeros
    );
    assert!(!queue.pending().contains(&String::new()).await.unwrap());
    assert!(queue.pending().contains(&zeros).await.unwrap());
    assert!(queue.pending().remove(&zeros).await.unwrap());
    assert!(Contents::of(&redis).await.is_empty());
}

/// Every length of an id that makes both layouts fit, with every byte that decides.
fn every_ambiguous() -> Vec<Vec<u8>> {
    let tails = [0, 1, 2, 255, 256].map(|length| vec![0x5a; length]);
    let mut members = Vec::new();
    for id_len in 7..=255 {
        for tail in &tails {
            let eighths = [0, 1, 0x42, 0x43, 0x44, 0x7f, 0xc2, 0xc3, 0xc4, 0xff];
            members.extend(
                eighths
                    .into_iter()
                    .filter_map(|it| ambiguous(id_len, it, tail)),
            );
        }
        members.extend((0..=255).filter_map(|eighth| ambiguous(id_len, eighth, b"")));
    }
    assert!(members.len() > 70_000);
    members
}

/// A member that fits both layouts: as a new one it has an id of so many bytes, of which one stands
/// in the `eighth` place of the member, and this payload. None if nothing fits both.
fn ambiguous(id_len: usize, eighth: u8, payload: &[u8]) -> Option<Vec<u8>> {
    let mut member = vec![0xa5; 1 + id_len];
    member[0] = id_len as u8;
    member.extend((payload.len() as u64).to_le_bytes());
    member.extend(payload);
    member[7] = eighth;
    let old_length = (member.len() - 16) as u64;
    for (place, byte) in (8..).zip(old_length.to_le_bytes()) {
        if place <= id_len {
            member[place] = byte;
        } else if member[place] != byte {
            return None;
        }
    }
    Some(member)
}

/// Few bytes out of few kinds, so that lengths fit now and then.
fn random() -> Vec<u8> {
    let kinds = [0, 0, 0, 0, 1, 2, 7, 8, 9, 15, 16, 17, 0x43, 0xc3, 0xff];
    let length = random_range(0..40);
    let bytes = (0..length).map(|_| kinds[random_range(0..kinds.len())]);
    bytes.collect()
}

/// A member as Redisson 3.21.0 writes it.
fn old(id: [u8; 8], payload: &str) -> Vec<u8> {
    let length = (payload.len() as u64).to_le_bytes();
    let member = [&id[..], &length, payload.as_bytes()].concat();
    let packed = Packed::parse(Bytes::from(member.clone())).expect("it is a member");
    let is_alike = id[0] == 7;
    assert_eq!(packed.format == Format::DLc0, !is_alike);
    member
}
