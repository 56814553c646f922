//! The names of dead letters.

use bytes::Bytes;
use redisson_delayed_queue::DeadLetter;

use super::unix_ms;
use crate::payload::digest::short;

/// A name made of a letter and its note: it stays the same while other letters come and go. Two
/// letters of one name are alike in all that is known, so it does not matter which is meant.
pub(crate) fn name_of(letter: &DeadLetter<Bytes>) -> String {
    let times = [letter.died_at(), letter.first_claimed()].map(|it| it.map_or(0, unix_ms));
    let times = times.map(u64::to_be_bytes);
    short([
        &letter.payload()[..],
        &times[0],
        &times[1],
        &letter.attempts().unwrap_or_default().to_be_bytes(),
        letter.queue().unwrap_or_default().as_bytes(),
        letter.reason().unwrap_or_default().as_bytes(),
    ])
}
