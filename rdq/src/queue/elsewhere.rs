//! Queues of one name in several databases of a server: they share their channel.

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Master, Result};

use crate::queue::types;
use crate::session::database::database;

/// The other databases of a server that have keys; none if it does not say.
///
/// # Redis
///
/// `INFO keyspace` and `CLIENT INFO`.
pub(crate) async fn databases(master: &Master) -> Vec<i64> {
    let keyspace: String = master
        .query(cmd("INFO").arg("keyspace"))
        .await
        .unwrap_or_default();
    let fields = keyspace.lines().filter_map(|line| line.split_once(':'));
    let own = database(master).await;
    let all = numbers(fields.map(|(name, _)| name));
    all.filter(|it| *it != own).collect()
}

/// The databases that have keys, by the names of the fields of `INFO keyspace`.
pub(crate) fn numbers<'a>(fields: impl Iterator<Item = &'a str>) -> impl Iterator<Item = i64> {
    let names = fields.filter_map(|it| it.strip_prefix("db"));
    names.filter_map(|it| it.parse().ok())
}

/// Which of these databases have pending elements of a queue. Some providers do not let a script
/// look: then none is known.
pub(crate) async fn with_queue(master: &Master, keys: &QueueKeys, databases: &[i64]) -> Vec<i64> {
    // Only this script works in the other database.
    const LOOK: &str = "
        redis.call('SELECT', ARGV[1])
        return redis.call('ZCARD', KEYS[1]) + redis.call('LLEN', KEYS[2])";
    let mut found = Vec::new();
    for number in databases {
        let mut look = cmd("EVAL");
        look.arg(LOOK).arg(2);
        look.arg(keys.timeouts()).arg(keys.ordering()).arg(*number);
        if master.query::<u64>(&look).await.is_ok_and(|it| it > 0) {
            found.push(*number);
        }
    }
    found
}

/// True if the own database has no key of a queue, and one of the others has.
pub(crate) async fn is_only_elsewhere(
    master: &Master,
    keys: &QueueKeys,
    others: &[i64],
) -> Result<bool> {
    if others.is_empty() || types::is_any_there(master, keys).await? {
        return Ok(false);
    }
    Ok(!with_queue(master, keys, others).await.is_empty())
}
