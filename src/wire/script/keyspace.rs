//! The keys of a queue as a whole.

use std::sync::LazyLock;

use redis::RedisResult;

use super::lua::Script;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

static EXPIRE: LazyLock<Script> = script!("expire");

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
    EXPIRE
        .of(keys)
        .arg("kind", kind)
        .arg("ms", ms)
        .invoke(connection)
        .await
}

static RELOCATE: LazyLock<Script> = script!("relocate");

/// Which keys are renamed or copied, and to what.
#[derive(Debug)]
pub(crate) struct Relocation<'a> {
    /// `RENAME` or `COPY`.
    pub(crate) command: &'static str,
    pub(crate) from: &'a QueueKeys,
    pub(crate) to: &'a QueueKeys,
    /// Whether to overwrite keys that exist.
    pub(crate) replace: bool,
}

/// Renames or copies keys. Returns false if there was nothing to do, or if a key was in the way.
pub(crate) async fn relocate(
    connection: Connection,
    relocation: &Relocation<'_>,
) -> RedisResult<bool> {
    RELOCATE
        .with(|name| match name.strip_prefix("to_") {
            Some(name) => relocation.to.named(name),
            None => relocation.from.named(name),
        })
        .arg("command", relocation.command)
        .arg("replaces", relocation.replace)
        .arg("channel", relocation.to.channel())
        .invoke(connection)
        .await
}
