//! Dead letters and the notes about them.

use std::sync::LazyLock;

use redis::{RedisResult, Script};

use super::load_before;
use crate::link::connection::Connection;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

static LETTERS: LazyLock<Script> = script!("letters");

/// How many letters and notes to pass over, from the newest on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    letters: u64,
    notes: u64,
}

/// Returns up to `count` dead letters with their notes, the newest first, and what to pass over next.
/// A letter without a note has an empty one.
pub(crate) async fn letters(
    mut connection: Connection,
    dead: &QueueKeys,
    passed: Passed,
    count: usize,
) -> RedisResult<(Vec<(Vec<u8>, Vec<u8>)>, Passed)> {
    let (letters, passed_letters, passed_notes) = LETTERS
        .key(dead.target())
        .key(dead.dead_notes())
        .arg(passed.letters)
        .arg(passed.notes)
        .arg(count)
        .arg(MOST_BYTES)
        .invoke_async(&mut connection)
        .await?;
    let passed = Passed {
        letters: passed_letters,
        notes: passed_notes,
    };
    Ok((letters, passed))
}

static REMOVE_LETTER: LazyLock<Script> = script!("remove_letter");

/// Takes out a dead letter with its note, and puts it into the target queue of `keys` if `again` is
/// true. Returns false if it is gone.
pub(crate) async fn remove_letter(
    mut connection: Connection,
    dead: &QueueKeys,
    keys: &QueueKeys,
    (payload, note): (&[u8], &[u8]),
    again: bool,
) -> RedisResult<bool> {
    load_before(&REMOVE_LETTER, &mut connection, payload.len()).await?;
    REMOVE_LETTER
        .key(dead.target())
        .key(dead.dead_notes())
        .key(keys.target())
        .arg(payload)
        .arg(note)
        .arg(u8::from(again))
        .invoke_async(&mut connection)
        .await
}

static REQUEUE_LETTERS: LazyLock<Script> = script!("requeue_letters");

/// Puts up to `count` of the oldest dead letters into the target queue of `keys`. Returns how many.
pub(crate) async fn requeue_letters(
    mut connection: Connection,
    dead: &QueueKeys,
    keys: &QueueKeys,
    count: usize,
) -> RedisResult<usize> {
    REQUEUE_LETTERS
        .key(dead.target())
        .key(dead.dead_notes())
        .key(keys.target())
        .arg(count)
        .arg(MOST_BYTES)
        .invoke_async(&mut connection)
        .await
}
