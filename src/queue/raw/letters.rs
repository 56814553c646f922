//! The dead letters of a queue.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures::stream::Stream;

use super::RawQueue;
use crate::error::{Result, Step};
use crate::queue::stream::paged;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{self, LetterRemoval, Origin, Passed};

#[derive(Clone, Debug)]
pub(crate) struct RawLetter {
    pub(crate) payload: Bytes,
    /// As it stands in Redis; empty if there is none.
    pub(crate) note: Bytes,
    pub(crate) about: Option<Note>,
}

/// What is known about a dead letter; `lua/lib/notes.lua` has the layout.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Note {
    pub(crate) origin: Origin,
    pub(crate) died_at: SystemTime,
    pub(crate) first_claimed: SystemTime,
    pub(crate) attempts: u16,
    pub(crate) queue: String,
    pub(crate) reason: String,
}

impl Note {
    /// Reads a note. None if the bytes are not a note, or one of another version.
    fn parse(note: &[u8]) -> Option<Self> {
        let (_digest, rest) = note.split_at_checked(40)?;
        let (died_ms, rest) = rest.split_first_chunk()?;
        let (origin, rest) = rest.split_first_chunk()?;
        let origin = Origin(*origin);
        let (_claim, rest) = rest.split_at_checked(18)?;
        let (attempts, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (queue, reason) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        let time = |ms| UNIX_EPOCH.checked_add(Duration::from_millis(ms));
        Some(Self {
            origin,
            died_at: time(u64::from_be_bytes(*died_ms))?,
            first_claimed: time(origin.first_claimed_ms())?,
            attempts: u16::from_be_bytes(*attempts),
            queue: String::from_utf8_lossy(queue).into_owned(),
            reason: String::from_utf8_lossy(reason).into_owned(),
        })
    }
}

impl RawQueue {
    /// How many dead letters to read or to move in one script.
    const LETTERS: usize = 100;

    pub(crate) async fn count_letters(&self, dead: &QueueKeys) -> Result<usize> {
        self.count("LLEN", dead.target()).await
    }

    /// The dead letters, the newest first. An error is the last item.
    pub(crate) fn letters(
        self: Arc<Self>,
        dead: Arc<QueueKeys>,
    ) -> impl Stream<Item = Result<RawLetter>> + Send {
        let letter = |(payload, note): (Vec<u8>, Vec<u8>)| RawLetter {
            about: Note::parse(&note),
            payload: payload.into(),
            note: note.into(),
        };
        paged(Passed::default(), move |passed| {
            let (queue, dead) = (Arc::clone(&self), Arc::clone(&dead));
            async move {
                let page = |it| script::letters(it, &dead, passed, Self::LETTERS);
                let (page, next) = queue.read_script(0, page).await?;
                let next = (!page.is_empty()).then_some(next);
                Ok((page.into_iter().map(letter).collect(), next))
            }
        })
    }

    /// Takes out a dead letter, and puts it into the target queue that it came from if `again` is true.
    /// False if it is gone.
    pub(crate) async fn remove_letter(
        &self,
        dead: &QueueKeys,
        letter: &RawLetter,
        again: bool,
    ) -> Result<bool> {
        let home = match &letter.about {
            Some(note) if again && note.queue != self.name() => Some(self.partner(&note.queue)?),
            _ => None,
        };
        let keys = home.as_ref().unwrap_or(&self.keys);
        let parts = (&letter.payload[..], &letter.note[..]);
        // Without a note, a second attempt could take out an equal one.
        let is_repeatable = !letter.note.is_empty();
        let bytes = letter.payload.len();
        let mut read = (0, 0);
        loop {
            let step = self
                .script_of_size(Step::Move, is_repeatable, bytes, |it| {
                    script::remove_letter(it, dead, keys, parts, again, read)
                })
                .await?;
            match step {
                LetterRemoval::Removed => return Ok(true),
                LetterRemoval::Gone => return Ok(false),
                LetterRemoval::ReadOn(notes) => read = notes,
            }
        }
    }

    /// Puts the dead letters that there are now into the target queue, the oldest first. Returns how
    /// many.
    pub(crate) async fn requeue_letters(&self, dead: &QueueKeys) -> Result<usize> {
        let keys = &self.keys;
        // Letters that come meanwhile may be the same ones again.
        let all = self.count_letters(dead).await?;
        let mut done = 0;
        while done < all {
            let most = Self::LETTERS.min(all - done);
            let moved = self
                .script(Step::Move, false, |it| {
                    script::requeue_letters(it, dead, keys, most)
                })
                .await;
            match moved {
                Ok(0) => break,
                Ok(moved) => done += moved,
                Err(error) => return Err(error.after(Step::Move, done)),
            }
        }
        Ok(done)
    }

    pub(crate) async fn purge_letters(&self, dead: &QueueKeys) -> Result<usize> {
        // Alone, so that a refusal leaves the letters there.
        let count = self.count_letters(dead).await?;
        let mut unlink = redis::cmd("UNLINK");
        unlink.arg(&[dead.target(), dead.dead_notes()]);
        self.command::<()>(Step::Delete, true, &unlink).await?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_that_is_cut_off_is_none() {
        let mut note = vec![b'f'; 40];
        note.extend(1_700_000_000_000_u64.to_be_bytes());
        note.extend([7; 18]);
        note.extend(1_600_000_000_000_u64.to_be_bytes());
        note.extend([7; 18]);
        note.extend(3_u16.to_be_bytes());
        note.extend(6_u16.to_be_bytes());
        note.extend(b"orders");
        for length in 0..note.len() {
            assert_eq!(Note::parse(&note[..length]), None, "{length}");
        }
        note.extend("no \u{fc}".as_bytes());
        let since = |ms| UNIX_EPOCH + Duration::from_millis(ms);
        let mut origin = [7; Origin::LEN];
        origin[18..].copy_from_slice(&1_600_000_000_000_u64.to_be_bytes());
        let expected = Note {
            origin: Origin(origin),
            died_at: since(1_700_000_000_000),
            first_claimed: since(1_600_000_000_000),
            attempts: 3,
            queue: "orders".to_owned(),
            reason: "no \u{fc}".to_owned(),
        };
        assert_eq!(Note::parse(&note), Some(expected));
    }
}
