//! `rdq dlq purge`

use std::time::{Duration, Instant};

use clap::Args;
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

impl Purge {
    pub(super) async fn run(&self, session: &Session) -> Result {
        let dead = self.place.letters(session)?;
        let found = self.which.find(session, &self.place, &dead).await?;
        session.confirm(&format!("Delete {} for ever?", letters(found.len())))?;
        let mut printed = Printed::begin(session, &self.place.queue).await?;
        let mut done = 0;
        if self.which.all {
            let purged = purge_all(session, &dead, &found, &mut printed, &mut done);
            purged.await.map_err(|it| stopped(it, "deleted", done))?;
            session.screen.note(&format!("deleted: {}", letters(done)));
            return printed.end();
        }
        // The oldest first, as `rdq import` brings them back.
        for letter in found.iter().rev() {
            let purge = async {
                let mut records = Record::of_letter(letter).into_iter();
                records.try_for_each(|it| printed.add(&it))?;
                Ok::<_, Failure>(dead.purge(letter).await?)
            };
            done += usize::from(purge.await.map_err(|it| stopped(it, "deleted", done))?);
        }
        session.screen.note(&format!("deleted: {}", letters(done)));
        printed.end()
    }
}

/// Deletes these letters, the last first, each after it was printed. Counts them in `done`.
async fn purge_all(
    session: &Session,
    dead: &Letters,
    found: &[Letter],
    printed: &mut Printed,
    done: &mut usize,
) -> Result {
    let master = session.client.master_of(dead.name())?;
    let keys = QueueKeys::new(dead.name())?;
    let oldest_first: Vec<&Letter> = found.iter().rev().collect();
    let mut rest = &oldest_first[..];
    while !rest.is_empty() {
        let (mut step, others) = rest.split_at(fitting(rest));
        for letter in step {
            let mut records = Record::of_letter(letter).into_iter();
            records.try_for_each(|it| printed.add(&it))?;
        }
        while !step.is_empty() {
            let began = Instant::now();
            let purged = purge_oldest(&master, &keys, step).await?;
            *done += purged;
            step = &step[purged..];
            // It is gone, or another came before it.
            if let Some((letter, behind)) = step.split_first() {
                *done += usize::from(dead.purge(letter).await?);
                step = behind;
            }
            sleep(began.elapsed().min(LONGEST_REST)).await;
        }
        rest = others;
    }
    Ok(())
}

/// How long to rest after a script at most.
const LONGEST_REST: Duration = Duration::from_millis(100);
