//! Dead letters, many at a time.

use bytes::Bytes;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{DeadLetter, Master};

use crate::failure::Result;
use crate::queue::script::{Lua, MOST_BYTES, lua};

type Letter = DeadLetter<Bytes>;

/// Deletes the oldest letters of the queue as long as they are these. Returns how many.
pub(crate) async fn purge_oldest(
    master: &Master,
    keys: &QueueKeys,
    oldest: &[&Letter],
) -> Result<usize> {
    static PURGE: Lua = lua!("purge_letters");
    let names = [keys.target(), keys.dead_notes()];
    let parts = oldest.iter().flat_map(|it| {
        let note = it.note().map_or(&b""[..], |note| note);
        [&it.payload()[..], note]
    });
    let parts: Vec<&[u8]> = parts.collect();
    Ok(PURGE.call(master, &names, &parts).await?)
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
