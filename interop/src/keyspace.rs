//! What is left of a queue in Redis, seen without any client of this crate.

use redis::{Connection, RedisResult};
use redisson_delayed_queue::keys::QueueKeys;

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
    let keys = QueueKeys::new(queue).expect("a queue can have this name");
    let left: usize = redis::cmd("EXISTS")
        .arg(keys.target())
        .arg(keys.ordering())
        .arg(keys.timeouts())
        .arg(keys.leases())
        .arg(keys.deliveries())
        .query(connection)?;
    Ok(left == 0)
}
