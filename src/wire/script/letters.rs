//! Dead letters and the notes about them.

use redis::RedisResult;

use crate::link::connection::Connection;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

/// How many letters and notes to pass over, from the newest on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    letters: u64,
    notes: u64,
}

/// Returns up to `count` dead letters with their notes, the newest first, and what to pass over next.
/// A letter without a note has an empty one.
pub(crate) async fn letters(
    connection: Connection,
    dead: &QueueKeys,
    passed: Passed,
    count: usize,
) -> RedisResult<(Vec<(Vec<u8>, Vec<u8>)>, Passed)> {
    let (letters, passed_letters, passed_notes) = script!("letters")
        .of_both(dead, dead)
        .arg("letter", passed.letters)
        .arg("note", passed.notes)
        .arg("most", count)
        .arg("most_bytes", MOST_BYTES)
        .invoke(connection)
        .await?;
    let passed = Passed {
        letters: passed_letters,
        notes: passed_notes,
    };
    Ok((letters, passed))
}

/// What a step of `remove_letter` did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LetterRemoval {
    Removed,
    /// Somebody else took it out.
    Gone,
    /// Nothing yet: the next step goes on behind so many notes.
    ReadOn(NotesRead),
}

/// How many notes a removal has read behind that of its letter, and how many of these have the
/// letter's digest.
pub(crate) type NotesRead = (usize, usize);

/// Takes out a dead letter with its note, and puts it into the target queue of `keys` if `again` is
/// true. Begins behind the notes that earlier steps have read.
pub(crate) async fn remove_letter(
    connection: Connection,
    dead: &QueueKeys,
    keys: &QueueKeys,
    (payload, note): (&[u8], &[u8]),
    again: bool,
    (read, behind): NotesRead,
) -> RedisResult<LetterRemoval> {
    let (done, read, behind): (i8, usize, usize) = script!("remove_letter")
        .of_both(keys, dead)
        .arg("payload", payload)
        .arg("note", note)
        .arg("again", again)
        .arg("notes_read", read)
        .arg("equal_notes", behind)
        .invoke(connection)
        .await?;
    Ok(match done {
        1 => LetterRemoval::Removed,
        0 => LetterRemoval::Gone,
        _ => LetterRemoval::ReadOn((read, behind)),
    })
}

/// Puts up to `count` of the oldest dead letters into the target queue of `keys`. Returns how many.
pub(crate) async fn requeue_letters(
    connection: Connection,
    dead: &QueueKeys,
    keys: &QueueKeys,
    count: usize,
) -> RedisResult<usize> {
    script!("requeue_letters")
        .of_both(keys, dead)
        .arg("most", count)
        .arg("most_bytes", MOST_BYTES)
        .invoke(connection)
        .await
}
