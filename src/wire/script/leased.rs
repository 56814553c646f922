//! Reading the elements that processes hold, and taking them away.

use redis::RedisResult;

use super::cursor::{Cursor, Walked};
use super::lease::{Lease, LeaseSet, LeasedBytes};
use super::lua::Script;
use crate::link::connection::{Connection, LARGE};
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

/// The script that reads a set in steps.
fn pages() -> &'static Script {
    script!("leased")
}

/// The token of an entry, when the lease runs out or the next attempt is due (unix ms as Redis spells
/// it), the bytes of the payload, and the payload, which is empty if it has more bytes than were asked
/// for.
pub(crate) type LeasedEntry = (Vec<u8>, String, usize, Vec<u8>);

/// The time by the clock of the scores, unix us, and consecutive entries of a set.
pub(crate) type LeasedPage = (i64, Vec<LeasedEntry>);

/// Returns up to `count` entries of a set, from `cursor` on. Leaves out payloads of more than `most`
/// bytes. If entries leave between two calls, others may come again.
pub(crate) async fn leased(
    connection: Connection,
    keys: &QueueKeys,
    set: LeaseSet,
    cursor: Option<&Cursor>,
    count: usize,
    most: usize,
) -> RedisResult<Walked<LeasedPage>> {
    pages()
        .with(|name| set.named(keys, name))
        .cursor(cursor, "-inf")
        .arg("most", count)
        .arg("most_bytes", MOST_BYTES)
        .arg("large_from", most)
        .arg("holder", "")
        .invoke(connection)
        .await
}

/// Returns leases in `set` that `holder` has, that have not run out, and that are not among the `known`
/// ones, each with how long it still lasts, us: those of one step, which goes on at `cursor` or begins.
/// Its reply holds at most so many bytes of payload; the last payload may exceed it.
pub(crate) async fn recover(
    connection: Connection,
    keys: &QueueKeys,
    set: LeaseSet,
    holder: [u8; 8],
    known: &[Lease],
    most_bytes: usize,
    cursor: Option<&Cursor>,
) -> RedisResult<Walked<Vec<(Lease, LeasedBytes, i64)>>> {
    let mut call = pages().with(|name| set.named(keys, name));
    call.cursor(cursor, "")
        .arg("most", usize::from(u16::MAX))
        .arg("most_bytes", most_bytes)
        .arg("large_from", LARGE)
        .arg("holder", &holder);
    for lease in known {
        call.more(set.token(lease));
    }
    let step: Walked<LeasedPage> = call.invoke(connection).await?;
    Ok(step.map(|(now_us, entries)| {
        let found = |(token, ends_ms, bytes, payload): LeasedEntry| {
            let bytes = match bytes > LARGE {
                true => LeasedBytes::Large(bytes),
                false => LeasedBytes::Here(payload.into()),
            };
            let ends_us = (ends_ms.parse::<f64>().ok()? * 1_000.0) as i64;
            Some((
                Lease::from_token(&token)?,
                bytes,
                ends_us.saturating_sub(now_us),
            ))
        };
        entries.into_iter().filter_map(found).collect()
    }))
}

/// Takes deliveries, the oldest first, from whoever holds them: their next attempts are due, or their
/// payloads go back to the target queue. Says so on `channel`. Returns how many.
pub(crate) async fn release(
    connection: Connection,
    keys: &QueueKeys,
    channel: &str,
    tokens: &[&[u8]],
    to_target: bool,
) -> RedisResult<usize> {
    script!("release")
        .of(keys)
        .arg("channel", channel)
        .arg("to_target", to_target)
        .more(tokens)
        .invoke(connection)
        .await
}
