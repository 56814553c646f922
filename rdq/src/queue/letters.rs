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
    oldest: &[Letter],
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
pub(crate) fn fitting<'a>(letters: impl Iterator<Item = &'a Letter>) -> usize {
    let mut bytes = 0;
    let fits = |letter: &&Letter| {
        let fits = bytes < MOST_BYTES;
        bytes += letter.payload().len() as u64;
        fits
    };
    letters.take(MOST_LETTERS).take_while(fits).count()
}

/// How many letters a script deletes at most.
const MOST_LETTERS: usize = 100;

/// A note that names one queue, with the name of another. Other notes stay as they are.
pub(crate) fn renamed(note: Bytes, from: &str, to: &str) -> Bytes {
    let (from, to) = (named(from), named(to));
    let (Some(from), Some(to), Some((before, rest))) = (from, to, note.split_at_checked(NAME))
    else {
        return note;
    };
    match rest.strip_prefix(&from[..]) {
        Some(reason) => [before, &to, reason].concat().into(),
        None => note,
    }
}

/// A name as it stands in a note, behind its length.
fn named(name: &str) -> Option<Vec<u8>> {
    let length = u16::try_from(name.len()).ok()?.to_be_bytes();
    Some([&length, name.as_bytes()].concat())
}

/// Where a note names its queue; `lua/lib/notes.lua` has the layout.
const NAME: usize = 94;
