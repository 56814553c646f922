//! One pass over a queue.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use bytes::Bytes;

use super::layout::modern;
use crate::failure::Result;
use crate::queue::amend::{Change, ListPlace, Outcome, Score, Standing, Stepper};
use crate::queue::census::Members;

/// Where old members stand in the ordering list.
pub(crate) struct Places {
    hasher: RandomState,
    places: HashMap<u64, u64>,
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
            for (place, entry) in page {
                if modern(&entry).is_some() {
                    found.places.insert(found.hasher.hash_one(&entry), place);
                }
            }
        }
        Ok(found)
    }

    pub(crate) fn count(&self) -> u64 {
        self.places.len() as u64
    }

    fn of(&self, member: &Bytes) -> ListPlace {
        let place = self.places.get(&self.hasher.hash_one(member));
        place.map_or(ListPlace::Nowhere, |place| ListPlace::At(*place))
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
            let change = |(member, _): &(Bytes, f64)| change(member, places.of(member));
            let changes: Vec<Change> = page.iter().filter_map(change).collect();
            pass.found += changes.len() as u64;
            let changes: Vec<&Change> = changes.iter().collect();
            let mut rest = &changes[..];
            while !rest.is_empty() {
                let outcomes = stepper.step(members, rest).await?;
                for outcome in &outcomes {
                    match outcome {
                        Outcome::Done => pass.migrated += 1,
                        Outcome::Changed => pass.gone += 1,
                        // The next pass knows its place better.
                        Outcome::Lost | Outcome::Full => {}
                    }
                }
                progress(outcomes.len() as u64);
                rest = &rest[outcomes.len()..];
            }
        }
    }
}

/// The change from an old member to its new one, in the same place and with the same due time.
fn change(member: &Bytes, listed: ListPlace) -> Option<Change> {
    let standing = |member| Standing {
        member,
        score: Score::Any,
        listed,
        quarantined: None,
    };
    Some(Change {
        after: standing(modern(member)?),
        before: standing(member.clone()),
    })
}

/// How many members to read before some of them are changed.
const PAGE: u64 = 500;
