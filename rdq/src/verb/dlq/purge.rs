//! `rdq dlq purge`

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use redisson_delayed_queue::Master;
use redisson_delayed_queue::keys::QueueKeys;
use tokio::time::sleep;

use super::which::Which;
use super::{Letter, Letterbox, Letters, letters, stopped};
use crate::failure::{Failure, Result};
use crate::queue::letters::{fitting, purge_oldest};
use crate::queue::printed::Printed;
use crate::queue::record::Record;
use crate::session::Session;

/// Delete dead letters. Prints them first, with their notes.
///
/// Keep what it prints, `> letters.jsonl`: `rdq import QUEUE letters.jsonl` brings the letters back.
///
/// Redis: as `ls`, then a script for each letter, O(N), N letters. With --all, a script for each 100
/// letters or 256 KiB, with rests as long as they take.
#[derive(Args, Debug)]
#[command(
    override_usage = "rdq dlq purge <QUEUE> <LETTER>... [OPTIONS]\n       \
        rdq dlq purge <QUEUE> --match <TEXT>|--all [OPTIONS]"
)]
pub(super) struct Purge {
    #[command(flatten)]
    place: Letterbox,
    #[command(flatten)]
    which: Which,
}

/// The letters of a dead-letter queue.
struct Bin {
    master: Master,
    keys: QueueKeys,
    letters: Letters,
    /// To delete many in a script.
    has_all: bool,
}

/// How far a purge has come.
#[derive(Default)]
struct Tally {
    printed: usize,
    /// How many of these are not there any more.
    gone: usize,
    /// How many of these this run has deleted.
    deleted: usize,
}

impl Purge {
    pub(super) async fn run(&self, session: &Session) -> Result {
        let dead = self.place.letters(session)?;
        let found = self.which.find(session, &self.place, &dead).await?;
        session.confirm(&format!("Delete {} for ever?", letters(found.len())))?;
        let mut printed = Printed::begin(session, &self.place.queue).await?;
        let bin = Bin {
            master: session.client.master_of(dead.name())?,
            keys: QueueKeys::new(dead.name())?,
            letters: dead,
            has_all: self.which.all,
        };
        let mut tally = Tally::default();
        let purged = purge(session, bin, found, &mut printed, &mut tally).await;
        purged.map_err(|it| tally.stopped(it))?;
        session
            .screen
            .note(&format!("deleted: {}", letters(tally.deleted)));
        printed.end()
    }
}

/// Deletes these letters, the last first, each after it was printed: `rdq import` brings the oldest back
/// first.
async fn purge(
    session: &Session,
    bin: Bin,
    mut found: Vec<Letter>,
    printed: &mut Printed,
    tally: &mut Tally,
) -> Result {
    let bin = Arc::new(bin);
    while !found.is_empty() {
        let count = match bin.has_all {
            true => fitting(found.iter().rev()),
            false => 1,
        };
        let mut step = found.split_off(found.len() - count);
        step.reverse();
        for letter in &step {
            let mut records = Record::of_letter(letter).into_iter();
            records.try_for_each(|it| printed.add(&it))?;
            tally.printed += 1;
        }
        // An import would double what was printed and not deleted.
        let (done, outcome) = session.finish(Arc::clone(&bin).delete(step)).await;
        tally.gone += done.gone;
        tally.deleted += done.deleted;
        outcome?;
    }
    Ok(())
}

impl Bin {
    /// Deletes these letters, the oldest first.
    async fn delete(self: Arc<Self>, letters: Vec<Letter>) -> (Tally, Result) {
        let mut tally = Tally::default();
        let outcome = self.delete_each(&letters, &mut tally).await;
        (tally, outcome)
    }

    async fn delete_each(&self, mut rest: &[Letter], tally: &mut Tally) -> Result {
        while !rest.is_empty() {
            let began = Instant::now();
            if self.has_all {
                let purged = purge_oldest(&self.master, &self.keys, rest).await?;
                tally.gone += purged;
                tally.deleted += purged;
                rest = &rest[purged..];
            }
            // It is gone, or another came before it.
            if let Some((letter, behind)) = rest.split_first() {
                tally.deleted += usize::from(self.letters.purge(letter).await?);
                tally.gone += 1;
                rest = behind;
            }
            if self.has_all {
                sleep(began.elapsed().min(LONGEST_REST)).await;
            }
        }
        Ok(())
    }
}

impl Tally {
    /// Adds to a failure how many were deleted before, and what else was printed.
    fn stopped(&self, failure: Failure) -> Failure {
        match self.printed - self.gone {
            0 => stopped(failure, "deleted", self.deleted),
            left => failure.after(format!(
                "deleted before it failed: {}; printed, and perhaps still there: {}",
                letters(self.deleted),
                letters(left)
            )),
        }
    }
}

/// How long to rest after a script at most.
const LONGEST_REST: Duration = Duration::from_millis(100);
