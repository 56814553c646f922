//! Where the members of a long ordering list stand: read once, and kept right while they leave.
//!
//! To remove an entry from the middle of a list Redis scans it. Where many leave, the script marks
//! them at their places and scans once for all; it must only be told these places, which it checks.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use crate::link::connection::{Failure, Link};
use crate::wire::keys::QueueKeys;
use crate::wire::script::{self, Guesses, Start, Transferred};

mod counts;

use counts::Counts;

/// What a run of the transfer knows about the places of the members that are due.
#[derive(Debug, Default)]
pub(crate) enum Placing {
    /// Nothing; the script finds some by itself.
    #[default]
    Unknown,
    /// Nothing, and the list is to be read first.
    Wanted,
    /// What was read earlier.
    Known(Survey),
}

impl Placing {
    /// A survey costs Redis what so many runs cost that find places by themselves, or some more; it
    /// is worth it where there would have to be more.
    const WORTH_RUNS: usize = 8;
    /// How many times as long as it took to do without after a survey that served few runs.
    const REST: u32 = 8;
    /// How long to do without after a survey in which nothing was found that became due: it is not
    /// in the ordering list.
    const PAUSE: Duration = Duration::from_secs(30);

    /// Learns what is wanted, and returns how the members begin that a run comes to first, in their
    /// order, if it matters where they stand. For one that moves none it does not.
    pub(super) async fn prepare(
        &mut self,
        link: &Link,
        keys: &QueueKeys,
        limit: usize,
    ) -> Result<Vec<Start>, Failure> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        if matches!(self, Self::Wanted) {
            *self = Self::Known(Survey::read(link, keys).await?);
        }
        if matches!(self, Self::Unknown) {
            return Ok(Vec::new());
        }
        let heads = link.call(|it| script::starts_of_heads(it, keys, limit));
        Ok(heads.await?.starts)
    }

    /// Where these members stand, as far as that is known.
    pub(super) fn guesses(&self, members: &[Start]) -> Guesses {
        match self {
            Self::Known(survey) => survey.guesses(members),
            Self::Unknown | Self::Wanted => Guesses::default(),
        }
    }

    /// Takes in what a run did that came to these members first.
    pub(super) fn forget(&mut self, members: &[Start], ran: &Transferred) {
        if let Self::Known(survey) = self {
            survey.forget(members, ran);
        }
    }

    /// What the next run is to know, after one that did this.
    pub(super) fn after(self, ran: &Transferred, no_survey_before: &mut Instant) -> Self {
        let now = Instant::now();
        let wants_survey = match &self {
            Self::Known(survey) if ran.unplaced > 0 && survey.is_stale() => {
                if !survey.helped {
                    *no_survey_before = now + Self::PAUSE;
                } else if survey.runs < Self::WORTH_RUNS {
                    // It held too little of the list: to make it must not be most of the work.
                    *no_survey_before = now + Self::REST * survey.took;
                }
                true
            }
            Self::Known(_) if ran.head_us == Some(0) => return self,
            Self::Known(_) => false,
            Self::Unknown | Self::Wanted => ran.unplaced > Self::WORTH_RUNS * ran.left(),
        };
        if wants_survey && *no_survey_before <= now {
            Self::Wanted
        } else {
            Self::Unknown
        }
    }
}

/// The places of the entries of one ordering list.
pub(crate) struct Survey {
    hasher: RandomState,
    /// The place where each entry was read, by the hash of how it begins; nothing if others begin
    /// like it.
    places: HashMap<u64, Option<u32>>,
    /// How long it took to read them.
    took: Duration,
    /// How many of the entries have left since.
    gone: Counts,
    /// How many runs have used it.
    runs: usize,
    /// There was a moment at which all entries stood at their places, and what left since is known.
    is_exact: bool,
    /// Some of the members that left since had a place.
    helped: bool,
    /// The next member is not in here, or was not where it should be.
    has_lost: bool,
    /// How many runs have found members elsewhere.
    astray: usize,
}

impl Survey {
    /// The most entries to read, for 24 to 43 bytes of memory each: what stands behind has no
    /// place.
    const MOST_READ: usize = 4_000_000;
    /// How many entries Redis shall look at in one go; fewer if they are large.
    const PAGE: usize = 2_000;
    /// A run that moves so few had to look for them itself.
    const FEW: usize = 8;
    /// So many runs that find members elsewhere cost what another survey does.
    const ASTRAY: usize = 8;

    /// Reads the list in pages, between which Redis serves others.
    async fn read(link: &Link, keys: &QueueKeys) -> Result<Self, Failure> {
        let started = Instant::now();
        let mut survey = Self::empty();
        let mut read = 0;
        let mut last = None;
        while read < Self::MOST_READ {
            // The last entry of the page before once more. If it still stands there, nothing was
            // removed or pushed onto the head meanwhile, and all stand now that were read.
            let from = read - usize::from(last.is_some());
            let range = from..from + Self::PAGE;
            let found = link
                .call(|it| script::starts_in_order(it, keys, range.clone()))
                .await?;
            survey.is_exact &= last.is_none_or(|it| found.starts.first() == Some(&it));
            for (place, start) in range.zip(&found.starts).skip(read - from) {
                survey.add(start, place);
            }
            let is_last = found.starts.len() < Self::PAGE && !found.is_cut;
            read = read.max(from + found.starts.len());
            last = found.starts.last().copied();
            if is_last || last.is_none() {
                break;
            }
        }
        survey.gone = Counts::new(read);
        survey.took = started.elapsed();
        Ok(survey)
    }

    fn empty() -> Self {
        Self {
            hasher: RandomState::new(),
            places: HashMap::new(),
            took: Duration::ZERO,
            gone: Counts::new(0),
            runs: 0,
            is_exact: true,
            helped: false,
            has_lost: false,
            astray: 0,
        }
    }

    fn add(&mut self, start: &Start, place: usize) {
        self.places
            .entry(self.hasher.hash_one(start))
            .and_modify(|it| *it = None)
            .or_insert(u32::try_from(place).ok());
    }

    fn guesses(&self, members: &[Start]) -> Guesses {
        let mut guesses = Guesses::new(self.is_exact);
        let mut alike = HashMap::new();
        for member in members {
            *alike.entry(member).or_insert(0) += 1;
        }
        for member in members {
            let place = self.place(member).filter(|_| alike[member] == 1);
            guesses.add(member, place.map(|it| it - self.gone.before(it)));
        }
        guesses
    }

    fn forget(&mut self, members: &[Start], ran: &Transferred) {
        let left = ran.left();
        for member in members.iter().take(left) {
            if let Some(place) = self.places.remove(&self.hasher.hash_one(member)).flatten() {
                self.gone.add(place);
                self.helped = true;
            }
        }
        self.runs += 1;
        self.astray += usize::from(ran.had_moved);
        // Another client may have moved some, or offered what is due even earlier; or what left was
        // not what stood in its place.
        self.is_exact &= ran.came_first && !ran.had_moved;
        let next = members.get(left);
        self.has_lost = next.is_some_and(|it| left <= Self::FEW || self.place(it).is_none());
    }

    /// Whether another survey would be worth it, if members remain unplaced.
    fn is_stale(&self) -> bool {
        self.has_lost || self.astray > Self::ASTRAY
    }

    /// Where this member stood when the list was read.
    fn place(&self, member: &Start) -> Option<u32> {
        *self.places.get(&self.hasher.hash_one(member))?
    }
}

impl fmt::Debug for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Survey")
            .field("places", &self.places.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
