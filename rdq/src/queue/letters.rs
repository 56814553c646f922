//! Dead letters, many at a time.

use std::sync::LazyLock;

use bytes::Bytes;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::script::Script;
use redisson_delayed_queue::{DeadLetter, Master};

use crate::failure::Result;
use crate::queue::script::{MOST_BYTES, lua, run};

type Letter = DeadLetter<Bytes>;

/// Deletes the oldest letters of the queue as long as they are these. Returns how many.
pub(crate) async fn purge_oldest(
    master: &Master,
    keys: &QueueKeys,
    oldest: &[&Letter],
) -> Result<usize> {
    static PURGE: LazyLock<Script> = lua!("purge_letters");
    let mut call = PURGE.of_both(keys, keys);
    for letter in oldest {
        let note = letter.note().map_or(&b""[..], |note| note);
        call.more(&letter.payload()[..]).more(note);
    }
    Ok(run(master, &mut call).await?)
}

/// How many of these letters a script deletes.
pub(crate) fn fitting(letters: &[&Letter]) -> usize {
    let mut bytes = 0;
    let fits = |letter: &&&Letter| {
        let fits = bytes < MOST_BYTES;
        bytes += letter.payload().len() as u64;
        fits
    };
    letters.iter().take(MOST_LETTERS).take_while(fits).count()
}

/// How many letters a script deletes at most.
const MOST_LETTERS: usize = 100;
