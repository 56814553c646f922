//! Makes changes, and takes them back.

use std::collections::BTreeMap;

use super::backup::{Backup, Numbered};
use super::fix::Fix;
use crate::failure::Result;
use crate::queue::amend::{Change, ListPlace, Outcome, Stepper};
use crate::queue::census::Members;

/// What became of changes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) done: u64,
    /// Members that no longer stood as they were seen.
    pub(crate) changed: u64,
    /// Members whose places were not found.
    pub(crate) lost: u64,
    /// Members for which the quarantine had no room.
    pub(crate) full: u64,
}

impl Tally {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Done => self.done += 1,
            Outcome::Changed => self.changed += 1,
            Outcome::Lost => self.lost += 1,
            Outcome::Full => self.full += 1,
        }
    }
}

/// What became of the changes of each kind.
pub(crate) type Tallies = BTreeMap<Fix, Tally>;

/// Makes changes, each after it is in the file. `progress` hears how many more are through. A failure
/// leaves in `tallies` what was done before.
pub(crate) async fn apply(
    members: Members<'_>,
    changes: &[(Fix, Change)],
    backup: &mut Backup,
    tallies: &mut Tallies,
    progress: impl Fn(usize),
) -> Result {
    let (mut stepper, mut rest) = (Stepper::new(members).await?, changes);
    while !rest.is_empty() {
        let waiting: Vec<&Change> = rest.iter().map(|(_, change)| change).take(MOST).collect();
        let (step, others) = rest.split_at(stepper.fitting(&waiting));
        let numbers = backup.before(&step.iter().collect::<Vec<_>>())?;
        let outcomes = stepper.step(members, &waiting[..step.len()]).await?;
        for ((fix, _), outcome) in step.iter().zip(&outcomes) {
            tallies.entry(*fix).or_default().count(*outcome);
        }
        backup.after(&numbers, &outcomes)?;
        progress(step.len());
        rest = others;
    }
    Ok(())
}

/// Takes changes back, and writes into the file which ones it has taken back. A failure leaves in
/// `tallies` what was done before.
pub(crate) async fn undo(
    members: Members<'_>,
    changes: Vec<Numbered>,
    backup: &mut Backup,
    tallies: &mut Tallies,
    progress: impl Fn(usize),
) -> Result {
    let back = |(number, fix, change): Numbered| (number, fix, change.reversed());
    let mut changes: Vec<_> = changes.into_iter().map(back).collect();
    // What goes back into the list moves what is newer, so the oldest places come first.
    changes.sort_by_key(|(.., change)| match change.after.listed {
        ListPlace::At(place) | ListPlace::Twice(place, ..) => place,
        ListPlace::Any | ListPlace::Nowhere | ListPlace::Last => 0,
    });
    let (mut stepper, mut rest) = (Stepper::new(members).await?, &changes[..]);
    while !rest.is_empty() {
        let waiting: Vec<&Change> = rest.iter().map(|(.., change)| change).take(MOST).collect();
        let outcomes = stepper.step(members, &waiting).await?;
        let (step, others) = rest.split_at(outcomes.len());
        let mut undone = Vec::new();
        for ((number, fix, _), outcome) in step.iter().zip(&outcomes) {
            tallies.entry(*fix).or_default().count(*outcome);
            if *outcome == Outcome::Done {
                undone.push(*number);
            }
        }
        backup.undone(undone)?;
        progress(step.len());
        rest = others;
    }
    Ok(())
}

/// More than a step ever has.
const MOST: usize = 1_000;
