//! One pass over a queue.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use bytes::Bytes;

use super::layout::modern;
use crate::failure::Result;
use crate::queue::amend::{Change, ListPlace, Outcome, Score, Standing, Stepper};
use crate::queue::census::Members;

/// Where old members stand in the ordering list.
pub(crate) struct Places {
    hasher: RandomState,
    /// From the newest to the oldest; mostly one.
    places: HashMap<u64, Vec<u64>>,
}

/// What a pass has done so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pass {
    /// Old members that it found in the timeout set.
    pub(crate) found: u64,
    pub(crate) migrated: u64,
    /// Old members that were delivered or removed meanwhile.
    pub(crate) gone: u64,
}

impl Places {
    /// Reads the ordering list.
    pub(crate) async fn find(members: Members<'_>) -> Result<Self> {
        let mut found = Self {
            hasher: RandomState::new(),
            places: HashMap::new(),
        };
        let (_, listed) = members.sizes().await?;
        let mut list = members.listed(0, listed);
        while let Some(page) = list.next().await? {
            for (place, entry) in page.into_iter().rev() {
                if modern(&entry).is_some() {
                    let hash = found.hasher.hash_one(&entry);
                    found.places.entry(hash).or_default().push(place);
                }
            }
        }
        Ok(found)
    }

    pub(crate) fn count(&self) -> u64 {
        self.places.len() as u64
    }

    /// The place of a member that is the nearest to the oldest entry.
    fn of(&self, member: &Bytes) -> ListPlace {
        let place = self.all_of(member).last();
        place.map_or(ListPlace::Nowhere, |place| ListPlace::At(*place))
    }

    /// Removes all entries of a member but the oldest.
    fn repeats(&self, member: &Bytes) -> Vec<Change> {
        let [newer @ .., oldest] = self.all_of(member) else {
            return Vec::new();
        };
        let standing = |listed| standing(member.clone(), listed);
        let removal = |place: &u64| Change {
            before: standing(ListPlace::Twice(*place, *oldest, 2)),
            after: standing(ListPlace::At(*oldest)),
        };
        newer.iter().map(removal).collect()
    }

    fn all_of(&self, member: &Bytes) -> &[u64] {
        let places = self.places.get(&self.hasher.hash_one(member));
        places.map_or(&[], Vec::as_slice)
    }
}

impl Pass {
    /// Turns the old members of the timeout set into new ones, those that are due first before the
    /// others. Elements that leave meanwhile bring others nearer to the front, so it may miss some.
    pub(crate) async fn run(
        &mut self,
        members: Members<'_>,
        places: &Places,
        progress: impl Fn(u64),
    ) -> Result {
        let mut stepper = Stepper::new(members).await?;
        let mut rank = 0;
        loop {
            let page = members.ranks(rank, rank + PAGE).await?;
            if page.is_empty() {
                return Ok(());
            }
            rank += page.len() as u64;
            let members_of_page = page.iter().map(|(member, _)| member);
            let old: Vec<_> = members_of_page.filter(|it| modern(it).is_some()).collect();
            self.found += old.len() as u64;
            // A second entry would become a ghost: nothing would be left that it belongs to.
            let repeats: Vec<_> = old.iter().flat_map(|it| places.repeats(it)).collect();
            let mut outcomes = Vec::with_capacity(repeats.len());
            let note = |made: &[Outcome]| outcomes.extend_from_slice(made);
            make(members, &mut stepper, &repeats, note).await?;
            let outcomes = repeats.iter().zip(outcomes);
            let repeated = outcomes.filter(|(_, outcome)| *outcome != Outcome::Done);
            let repeated: HashSet<_> = repeated.map(|(it, _)| &it.before.member).collect();
            let single = old.into_iter().filter(|it| !repeated.contains(it));
            let changes: Vec<_> = single.filter_map(|it| change(it, places.of(it))).collect();
            let note = |made: &[Outcome]| {
                progress(made.len() as u64);
                made.iter().for_each(|it| self.count(*it));
            };
            make(members, &mut stepper, &changes, note).await?;
        }
    }

    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Done => self.migrated += 1,
            Outcome::Changed => self.gone += 1,
            // The next pass knows its place better.
            Outcome::Lost | Outcome::Full => {}
        }
    }
}

/// Makes changes step by step. `note` hears what became of those of each step.
async fn make(
    members: Members<'_>,
    stepper: &mut Stepper,
    changes: &[Change],
    mut note: impl FnMut(&[Outcome]),
) -> Result {
    let changes: Vec<&Change> = changes.iter().collect();
    let mut rest = &changes[..];
    while !rest.is_empty() {
        let made = stepper.step(members, rest).await?;
        note(&made);
        rest = &rest[made.len()..];
    }
    Ok(())
}

/// The change from an old member to its new one, in the same place and with the same due time.
fn change(member: &Bytes, listed: ListPlace) -> Option<Change> {
    Some(Change {
        after: standing(modern(member)?, listed),
        before: standing(member.clone(), listed),
    })
}

fn standing(member: Bytes, listed: ListPlace) -> Standing {
    Standing {
        member,
        score: Score::Any,
        listed,
        quarantined: None,
    }
}

/// How many members to read before some of them are changed.
const PAGE: u64 = 500;
