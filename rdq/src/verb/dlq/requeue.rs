//! `rdq dlq requeue`

use std::collections::BTreeSet;

use clap::Args;
use futures::TryStreamExt;
use serde::Serialize;

use super::which::Which;
use super::{Letterbox, Letters, letters, stopped};
use crate::failure::{Failure, Result};
use crate::screen::clean;
use crate::session::Session;

/// Offer dead letters again: they are due, and start with their first attempt.
///
/// Each goes to the end of the list of the queue that it came from. Letters without a note go to QUEUE.
///
/// Redis: as `ls`, then a script for each letter, O(N), N letters. With --all, a script for each 100
/// letters, unless letters of other queues stand there, too.
#[derive(Args, Debug)]
#[command(
    override_usage = "rdq dlq requeue <QUEUE> <LETTER>... [OPTIONS]\n       \
        rdq dlq requeue <QUEUE> --match <TEXT>|--all [OPTIONS]"
)]
pub(super) struct Requeue {
    #[command(flatten)]
    place: Letterbox,
    #[command(flatten)]
    which: Which,
}

/// What was done.
#[derive(Serialize)]
struct Done {
    done: usize,
}

impl Requeue {
    pub(super) async fn run(&self, session: &Session) -> Result {
        let dead = self.place.letters(session)?;
        let queue = &self.place.queue;
        if self.which.all && is_of_one_queue(&dead, queue).await? {
            let count = match dead.len().await? {
                0 => return Err(Failure::Nothing(format!("{queue} has no dead letters"))),
                count => letters(count),
            };
            session.confirm(&format!("Offer {count} to {queue} again?"))?;
            let done = dead.requeue_all().await?;
            return say(session, "offered again", done);
        }
        let found = self.which.find(session, &self.place, &dead).await?;
        if self.which.letters.is_empty() {
            let homes: BTreeSet<_> = found.iter().map(|it| it.queue().unwrap_or(queue)).collect();
            let homes = Vec::from_iter(homes).join(", ");
            let count = letters(found.len());
            session.confirm(&format!("Offer {count} to {} again?", clean(&homes)))?;
        }
        let mut done = 0;
        // The oldest first, as they came.
        for letter in found.iter().rev() {
            let requeued = dead.requeue(letter).await;
            done += usize::from(requeued.map_err(|it| stopped(it, "offered again", done))?);
        }
        say(session, "offered again", done)
    }
}

fn say(session: &Session, what: &str, done: usize) -> Result {
    match done {
        0 => Err(Failure::Nothing("no such dead letter any more".to_owned())),
        _ => session
            .screen
            .say(&format!("{done} {what}"), &Done { done }),
    }
}

/// True if all letters came from this queue, or have no note.
async fn is_of_one_queue(dead: &Letters, queue: &str) -> Result<bool> {
    let mut letters = dead.iter();
    while let Some(letter) = letters.try_next().await? {
        if letter.queue().is_some_and(|it| it != queue) {
            return Ok(false);
        }
    }
    Ok(true)
}
