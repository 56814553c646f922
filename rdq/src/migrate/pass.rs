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

/// What a pass did.
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
            before: standing(ListPlace::Twice(*place, *oldest)),
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
        members: Members<'_>,
        places: &Places,
        progress: impl Fn(u64),
    ) -> Result<Self> {
        let (mut pass, mut stepper) = (Self::default(), Stepper::new(members).await?);
        let mut rank = 0;
        loop {
            let page = members.ranks(rank, rank + PAGE).await?;
            if page.is_empty() {
                return Ok(pass);
            }
            rank += page.len() as u64;
            let members_of_page = page.iter().map(|(member, _)| member);
            let old: Vec<_> = members_of_page.filter(|it| modern(it).is_some()).collect();
            pass.found += old.len() as u64;
            // A second entry would become a ghost: nothing would be left that it belongs to.
            let repeats: Vec<_> = old.iter().flat_map(|it| places.repeats(it)).collect();
            let outcomes = make(members, &mut stepper, &repeats, |_| ()).await?;
            let outcomes = repeats.iter().zip(outcomes);
            let repeated = outcomes.filter(|(_, outcome)| *outcome != Outcome::Done);
            let repeated: HashSet<_> = repeated.map(|(it, _)| &it.before.member).collect();
            let single = old.into_iter().filter(|it| !repeated.contains(it));
            let changes: Vec<_> = single.filter_map(|it| change(it, places.of(it))).collect();
            for outcome in make(members, &mut stepper, &changes, &progress).await? {
                match outcome {
                    Outcome::Done => pass.migrated += 1,
                    Outcome::Changed => pass.gone += 1,
                    // The next pass knows its place better.
                    Outcome::Lost | Outcome::Full => {}
                }
            }
        }
    }
}

/// Makes changes step by step. Returns what became of each.
async fn make(
    members: Members<'_>,
    stepper: &mut Stepper,
    changes: &[Change],
    progress: impl Fn(u64),
) -> Result<Vec<Outcome>> {
    let changes: Vec<&Change> = changes.iter().collect();
    let mut outcomes = Vec::with_capacity(changes.len());
    while outcomes.len() < changes.len() {
        let made = stepper.step(members, &changes[outcomes.len()..]).await?;
        progress(made.len() as u64);
        outcomes.extend(made);
    }
    Ok(outcomes)
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
