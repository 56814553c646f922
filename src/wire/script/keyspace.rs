//! The keys of a queue as a whole.

use std::sync::LazyLock;

use redis::{RedisResult, Script};

use crate::link::connection::Connection;

static EXPIRE: LazyLock<Script> = script!("expire");

/// When keys expire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lifetime {
    AtMs(u64),
    InMs(u64),
    Never,
}

/// Sets when `keys` expire. Returns for how many of them that changed.
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

/// Which keys are renamed or copied, and to what.
#[derive(Debug)]
pub(crate) struct Relocation<'a> {
    /// `RENAME` or `COPY`.
    pub(crate) command: &'static str,
    /// The timeout set first.
    pub(crate) from: &'a [&'a str],
    /// The new keys of `from`, and then keys that have no source.
    pub(crate) to: &'a [&'a str],
    pub(crate) to_channel: &'a str,
    /// Whether to overwrite keys that exist.
    pub(crate) replace: bool,
}

/// Renames or copies keys. Returns false if there was nothing to do, or if a key was in the way.
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
