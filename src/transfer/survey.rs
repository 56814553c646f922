//! Where the members of a long ordering list stand: read once, and kept right while they leave.
//!
//! To remove an entry from the middle of a list Redis scans it. Where many leave, the script marks
//! them at their places and scans once for all; it must only be told these places, which it checks.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use crate::chunk::MOST_BYTES;
use crate::connection::{Failure, Link};
use crate::keys::QueueKeys;
use crate::script::{Guesses, Transferred};

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
    /// How long to do without after a survey in which nothing was found that became due: it is not
    /// in the ordering list.
    const PAUSE: Duration = Duration::from_secs(30);

    /// Learns what is wanted, and returns the members that a run comes to first, in their order, if
    /// it matters where they stand. For one that moves none it does not.
    pub(super) async fn prepare(
        &mut self,
        link: &Link,
        keys: &QueueKeys,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        if matches!(self, Self::Wanted) {
            *self = Self::Known(Survey::read(link, keys).await?);
        }
        let Self::Known(survey) = self else {
            return Ok(Vec::new());
        };
        let last = limit.min(survey.page) - 1;
        let mut command = redis::cmd("ZRANGE");
        command.arg(keys.timeouts()).arg(0).arg(last);
        link.call(|mut connection| async move { command.query_async(&mut connection).await })
            .await
    }

    /// Where these members stand, as far as that is known.
    pub(super) fn guesses(&self, members: &[Vec<u8>]) -> Guesses {
        match self {
            Self::Known(survey) => survey.guesses(members),
            Self::Unknown | Self::Wanted => Guesses::default(),
        }
    }

    /// Takes in what a run did that came to these members first.
    pub(super) fn forget(&mut self, members: &[Vec<u8>], ran: &Transferred) {
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
                    *no_survey_before = now + 8 * survey.took;
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
    /// The place where each entry was read, by the hash of the entry.
    places: HashMap<u64, usize>,
    /// How many entries a reply may have.
    page: usize,
    /// How long it took to read them.
    took: Duration,
    /// How many of the entries have left since.
    gone: Counts,
    /// How many runs have used it.
    runs: usize,
    /// There was a moment at which all entries stood at their places.
    is_exact: bool,
    /// Some of the members that left since had a place.
    helped: bool,
    /// The next member is not in here, or was not where it should be.
    has_lost: bool,
    /// How many runs have found members elsewhere.
    astray: usize,
}

impl Survey {
    /// The most entries to read, for 24 to 43 bytes of memory each, and the most bytes: what stands
    /// behind has no place.
    const MOST_READ: usize = 4_000_000;
    const MOST_BYTES_READ: usize = 256 * 1024 * 1024;
    /// A run that moves so few had to look for them itself.
    const FEW: usize = 8;
    /// So many runs that find members elsewhere cost what another survey does.
    const ASTRAY: usize = 8;

    /// Reads the list in pages, between which Redis serves others.
    async fn read(link: &Link, keys: &QueueKeys) -> Result<Self, Failure> {
        let started = Instant::now();
        let hasher = RandomState::new();
        let mut places = HashMap::new();
        let mut ends = Vec::new();
        let (mut read, mut bytes) = (0, 0);
        let mut page = 100;
        while read < Self::MOST_READ && bytes < Self::MOST_BYTES_READ {
            let mut command = redis::cmd("LRANGE");
            command.arg(keys.ordering()).arg(read).arg(read + page - 1);
            let entries: Vec<Vec<u8>> = link
                .call(|mut connection| async move { command.query_async(&mut connection).await })
                .await?;
            for (place, entry) in (read..).zip(&entries) {
                places.entry(hasher.hash_one(entry)).or_insert(place);
            }
            read += entries.len();
            let is_last = entries.len() < page;
            bytes += entries.iter().map(Vec::len).sum::<usize>();
            page = (read * MOST_BYTES / bytes.max(1)).clamp(1, 2_000);
            ends.extend(entries.into_iter().next_back().map(|it| (read - 1, it)));
            if is_last {
                break;
            }
        }
        Ok(Self {
            is_exact: stand(link, keys, &ends).await?,
            took: started.elapsed(),
            hasher,
            places,
            page,
            gone: Counts::new(read),
            runs: 0,
            helped: false,
            has_lost: false,
            astray: 0,
        })
    }

    fn guesses(&self, members: &[Vec<u8>]) -> Guesses {
        let mut guesses = Guesses::new(self.is_exact);
        let mut alike = HashMap::new();
        for member in members {
            *alike.entry(Guesses::start(member)).or_insert(0) += 1;
        }
        let is_certain = |it: &&Vec<u8>| alike.get(&Guesses::start(it)) == Some(&1);
        for member in members.iter().filter(is_certain) {
            let place = self.place(member).map(|it| it - self.gone.before(it));
            if let Some(place) = place.and_then(|it| u32::try_from(it).ok()) {
                guesses.add(member, place);
            }
        }
        guesses
    }

    fn forget(&mut self, members: &[Vec<u8>], ran: &Transferred) {
        let left = ran.left();
        for member in members.iter().take(left) {
            if let Some(place) = self.places.remove(&self.hasher.hash_one(member)) {
                self.gone.add(place);
                self.helped = true;
            }
        }
        self.runs += 1;
        self.astray += usize::from(ran.had_moved);
        // An unreadable one is passed over, so others may have left than the first, and one that is
        // counted may stand.
        self.is_exact &= ran.quarantined.is_empty();
        let next = members.get(left);
        self.has_lost = next.is_some_and(|it| left <= Self::FEW || self.place(it).is_none());
    }

    /// Whether another survey would be worth it, if members remain unplaced.
    fn is_stale(&self) -> bool {
        self.has_lost || self.astray > Self::ASTRAY
    }

    /// Where this member stood when the list was read.
    fn place(&self, member: &Vec<u8>) -> Option<usize> {
        self.places.get(&self.hasher.hash_one(member)).copied()
    }
}

/// Whether these entries, the last of each page, stand where they were read. Then nothing was
/// removed or pushed onto the head while the pages were read, or all of it before all of them.
async fn stand(link: &Link, keys: &QueueKeys, ends: &[(usize, Vec<u8>)]) -> Result<bool, Failure> {
    for ends in ends.chunks(50) {
        let mut pipe = redis::pipe();
        for (place, _) in ends {
            pipe.lindex(
                keys.ordering(),
                isize::try_from(*place).unwrap_or(isize::MAX),
            );
        }
        let entries: Vec<Option<Vec<u8>>> = link
            .call(|mut connection| async move { pipe.query_async(&mut connection).await })
            .await?;
        let pairs = entries.iter().zip(ends);
        if !pairs
            .into_iter()
            .all(|(entry, (_, end))| entry.as_ref() == Some(end))
        {
            return Ok(false);
        }
    }
    Ok(true)
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
