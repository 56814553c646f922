//! What Redis holds of a queue, seen without any client of this crate.

use bytes::Bytes;
use redis::{Connection, RedisResult};
use redisson_delayed_queue::{keys::QueueKeys, packed::Packed};

/// The keys of a queue.
///
/// # Panics
///
/// If `queue` cannot be the name of a queue.
pub fn keys(queue: &str) -> QueueKeys {
    QueueKeys::new(queue).expect("a queue can have this name")
}

/// When the only element with this payload is due, in Unix milliseconds. `timeouts` are the members of
/// the timeout set of `queue` with their scores.
///
/// # Panics
///
/// If there is no such element, or more than one.
#[track_caller]
pub fn due_ms(queue: &str, timeouts: &[(Vec<u8>, u64)], payload: &[u8]) -> u64 {
    let of_payload = |member: &Vec<u8>| {
        Packed::parse(Bytes::from(member.clone())).is_ok_and(|it| it.payload == payload)
    };
    let mut found = timeouts.iter().filter(|(member, _)| of_payload(member));
    match (found.next(), found.next()) {
        (Some((_, score)), None) => *score,
        _ => panic!("{queue}: not one {payload:x?} in {timeouts:x?}"),
    }
}

/// True if the queue has no element left: pending, due, claimed or delivered.
///
/// # Errors
///
/// If Redis does not answer.
///
/// # Panics
///
/// If `queue` cannot be the name of a queue.
pub fn is_empty(connection: &mut Connection, queue: &str) -> RedisResult<bool> {
    let keys = keys(queue);
    let left: usize = redis::cmd("EXISTS")
        .arg(keys.target())
        .arg(keys.ordering())
        .arg(keys.timeouts())
        .arg(keys.leases())
        .arg(keys.deliveries())
        .query(connection)?;
    Ok(left == 0)
}
