//! The keys of a queue as a whole.

use std::sync::LazyLock;

use redis::{RedisResult, Script};

use crate::link::connection::Connection;

static EXPIRE: LazyLock<Script> = script!("expire");

/// When keys end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lifetime {
    AtMs(u64),
    InMs(u64),
    Never,
}

/// Returns of how many of `keys` the end was changed.
pub(crate) async fn expire(
    mut connection: Connection,
    keys: &[&str],
    end: Lifetime,
) -> RedisResult<u64> {
    let (kind, ms) = match end {
        Lifetime::AtMs(ms) => ("at", ms),
        Lifetime::InMs(ms) => ("in", ms),
        Lifetime::Never => ("never", 0),
    };
    EXPIRE
        .prepare_invoke()
        .key(keys)
        .arg(kind)
        .arg(ms)
        .invoke_async(&mut connection)
        .await
}

static RELOCATE: LazyLock<Script> = script!("relocate");

/// Which keys go where.
#[derive(Debug)]
pub(crate) struct Relocation<'a> {
    /// `RENAME` or `COPY`.
    pub(crate) command: &'static str,
    /// The timeout set first.
    pub(crate) from: &'a [&'a str],
    /// The counterparts of `from`, and then those that have none.
    pub(crate) to: &'a [&'a str],
    pub(crate) to_channel: &'a str,
    /// Whether what is in the way goes.
    pub(crate) replace: bool,
}

/// Returns whether there was something to relocate and nothing in the way.
pub(crate) async fn relocate(
    mut connection: Connection,
    relocation: &Relocation<'_>,
) -> RedisResult<bool> {
    RELOCATE
        .prepare_invoke()
        .key(relocation.from)
        .key(relocation.to)
        .arg(relocation.command)
        .arg(relocation.from.len())
        .arg(u8::from(relocation.replace))
        .arg(relocation.to_channel)
        .invoke_async(&mut connection)
        .await
}
