//! The keys in Redis, read without any client of this crate.

use std::{
    collections::HashSet,
    thread,
    time::{Duration, Instant},
};

use redis::Connection;
use redisson_delayed_queue::keys::QueueKeys;
use testbed::Server;

use crate::Result;

/// Asserts that the timeout set and the ordering list of the queue agree, at one moment.
///
/// Values that begin with `unlisted` need not stand in the list.
pub(crate) fn check_agreement(
    connection: &mut Connection,
    queue: &str,
    unlisted: &str,
) -> Result<()> {
    let keys = QueueKeys::new(queue).map_err(|error| error.to_string())?;
    let (ordering, timeouts): (Vec<Vec<u8>>, Vec<Vec<u8>>) = redis::pipe()
        .atomic()
        .cmd("LRANGE")
        .arg(keys.ordering())
        .arg(0)
        .arg(-1)
        .cmd("ZRANGE")
        .arg(keys.timeouts())
        .arg(0)
        .arg(-1)
        .query(connection)
        .map_err(|error| error.to_string())?;
    let listed: HashSet<&[u8]> = ordering.iter().map(Vec::as_slice).collect();
    if listed.len() < ordering.len() {
        return Err(format!("the ordering list of {queue} holds a member twice"));
    }
    let due: HashSet<&[u8]> = timeouts.iter().map(Vec::as_slice).collect();
    let astray: Vec<String> = listed
        .symmetric_difference(&due)
        .filter(|member| {
            listed.contains(*member) || !payload(member).starts_with(unlisted.as_bytes())
        })
        .map(|member| String::from_utf8_lossy(member).into_owned())
        .collect();
    if astray.is_empty() {
        return Ok(());
    }
    Err(format!(
        "of {queue} these stand in one place only: {astray:?}"
    ))
}

/// Waits until each key that is left will expire or is known to stay; prints the latter.
pub(crate) fn wait_until_explained(server: &Server) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let mut connection = server.connection();
    loop {
        let left = left(&mut connection).map_err(|error| error.to_string())?;
        let (known, unknown): (Vec<_>, Vec<_>) = left.into_iter().partition(|it| is_known(it));
        if unknown.is_empty() {
            if !known.is_empty() {
                println!("\nkeys that stay without an end: {}", known.join(", "));
            }
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!(
                "keys that nothing explains: {}",
                unknown.join(", ")
            ));
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// The keys that do not expire.
fn left(connection: &mut Connection) -> redis::RedisResult<Vec<String>> {
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(connection)?;
    let mut left = Vec::new();
    for key in keys {
        let ttl: i64 = redis::cmd("PTTL").arg(&key).query(connection)?;
        // -2 means that the key is gone by now.
        if ttl == -1 {
            left.push(key);
        }
    }
    left.sort();
    Ok(left)
}

fn is_known(key: &str) -> bool {
    KNOWN.iter().any(|prefix| key.starts_with(prefix))
}

/// The payload of a member: behind the id, which has its length before it, and a length of 8 bytes.
fn payload(member: &[u8]) -> &[u8] {
    let id = member.first().map_or(0, |length| usize::from(*length));
    member.get(1 + id + 8..).unwrap_or_default()
}

/// What may stay when a queue runs empty: what is pending under keys, which the revisions up to
/// e9bafaf forget only while the queue is in use; and how many elements have expired.
const KNOWN: [&str; 3] = ["rdq1_keyed:", "rdq1_keyed_due:", "rdq1_state:"];
const PATIENCE: Duration = Duration::from_secs(30);
