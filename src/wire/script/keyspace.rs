//! The keys of a queue as a whole.

use redis::RedisResult;

use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

/// When keys expire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lifetime {
    AtMs(u64),
    InMs(u64),
    Never,
}

/// Sets when the keys of a queue expire that do not expire by themselves. Returns for how many of them
/// that changed.
pub(crate) async fn expire(
    connection: Connection,
    keys: &QueueKeys,
    end: Lifetime,
) -> RedisResult<u64> {
    let (kind, ms) = match end {
        Lifetime::AtMs(ms) => ("at", ms),
        Lifetime::InMs(ms) => ("in", ms),
        Lifetime::Never => ("never", 0),
    };
    script!("expire")
        .of(keys)
        .arg("kind", kind)
        .arg("ms", ms)
        .invoke(connection)
        .await
}

/// Renames the keys of a queue, or copies them if `copies` is true. If `replaces` is true, it
/// overwrites keys that exist. Returns false if there was nothing to do, or if a key was in the way.
pub(crate) async fn relocate(
    connection: Connection,
    from: &QueueKeys,
    to: &QueueKeys,
    copies: bool,
    replaces: bool,
) -> RedisResult<bool> {
    script!("relocate")
        .with(|name| match name.strip_prefix("to_") {
            Some(name) => to.named(name),
            None => from.named(name),
        })
        .arg("command", if copies { "COPY" } else { "RENAME" })
        .arg("replaces", replaces)
        .arg("channel", to.channel())
        .invoke(connection)
        .await
}
