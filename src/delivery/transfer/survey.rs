//! Where the members of a long ordering list stand.
//!
//! Redis scans a list to remove an entry from its middle. When many members leave, the script
//! instead marks each at its place and scans once for all of them. For that it must be told the
//! places, which it checks. So a run of the transfer reads the list once, and keeps count of the
//! members that leave.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use crate::link::connection::{Failure, Link};
use crate::wire::keys::QueueKeys;
use crate::wire::script::{self, Guesses, Start, Transferred};

mod counts;

use counts::Counts;
use tokio::time::Instant;

/// What a run knows about the places of the due members.
#[derive(Debug, Default)]
pub(crate) enum Placing {
    /// Nothing. The script finds some places by itself.
    #[default]
    Unknown,
    /// Nothing yet. The run reads the list first.
    Wanted,
    /// The places that were read earlier.
    Known(Survey),
}

impl Placing {
    /// A survey costs Redis at least as much as this many runs that find places by themselves. It
    /// is worth it if more than that would be needed.
    const WORTH_RUNS: usize = 8;
    /// After a survey that served few runs, wait this many times its duration before the next.
    const REST: u32 = 8;
    /// How long to wait after a survey that held no member that became due: those members are not
    /// in the ordering list.
    const PAUSE: Duration = Duration::from_secs(30);

    /// Reads the list if that is wanted. Returns the starts of the members that the run meets
    /// first, in order, if the run needs their places. A run that moves none does not.
    pub(super) async fn prepare(
        &mut self,
        link: &Arc<Link>,
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

    /// The places of these members, as far as they are known.
    pub(super) fn guesses(&self, members: &[Start]) -> Guesses {
        match self {
            Self::Known(survey) => survey.guesses(members),
            Self::Unknown | Self::Wanted => Guesses::default(),
        }
    }

    /// Notes the result of a run. It met these members first.
    pub(super) fn forget(&mut self, members: &[Start], ran: &Transferred) {
        if let Self::Known(survey) = self {
            survey.forget(members, ran);
        }
    }

    /// Chooses the next run's placing from this run's result.
    pub(super) fn after(self, ran: &Transferred, no_survey_before: &mut Instant) -> Self {
        let now = Instant::now();
        let wants_survey = match &self {
            Self::Known(survey) if ran.unplaced > 0 && survey.is_stale() => {
                if !survey.helped {
                    *no_survey_before = now + Self::PAUSE;
                } else if survey.runs < Self::WORTH_RUNS {
                    // It held too little of the list. Surveys must not be most of the work.
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
    /// The place of each entry, by the hash of its start. None if several entries start like it.
    places: HashMap<u64, Option<u32>>,
    /// How long it took to read them.
    took: Duration,
    /// Counts the entries that have left since.
    gone: Counts,
    /// How many runs have used it.
    runs: usize,
    /// All entries stood at their places at one moment, and all that left since are counted.
    is_exact: bool,
    /// Some members that left since had a place here.
    helped: bool,
    /// The next member has no place here, or was not at its place.
    has_lost: bool,
    /// How many runs found members elsewhere.
    astray: usize,
}

impl Survey {
    /// The most entries to read, at 24 to 43 bytes of memory each. Entries behind them get no
    /// place.
    const MOST_READ: usize = 4_000_000;
    /// How many entries to read in one script; fewer if they are large.
    const PAGE: usize = 2_000;
    /// A run that moves so few had to look for members by itself.
    const FEW: usize = 8;
    /// This many runs that find members elsewhere cost as much as another survey.
    const ASTRAY: usize = 8;

    /// Reads the list in pages, between which Redis serves others.
    async fn read(link: &Arc<Link>, keys: &QueueKeys) -> Result<Self, Failure> {
        let started = Instant::now();
        let mut survey = Self::empty();
        let mut read = 0;
        let mut last = None;
        while read < Self::MOST_READ {
            // Each page begins with the last entry of the page before. If that entry still stands
            // at its place, nothing was removed before it or pushed onto the head meanwhile, so all
            // entries stand at their places.
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
        // If not, another client has moved some members or offered one that is due earlier, or a
        // member that left was not at its place.
        self.is_exact &= ran.came_first && !ran.had_moved;
        let next = members.get(left);
        self.has_lost = next.is_some_and(|it| left <= Self::FEW || self.place(it).is_none());
    }

    /// True if another survey is worth it, should members remain without a place.
    fn is_stale(&self) -> bool {
        self.has_lost || self.astray > Self::ASTRAY
    }

    /// The place of this member when the list was read.
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
