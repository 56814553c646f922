//! Takes a census.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::time::Duration;

use bytes::Bytes;
use redisson_delayed_queue::Listing;
use redisson_delayed_queue::packed::{Format, Packed};
use tokio::time::sleep;

use super::cursor::{Members, Placed, SAMPLE_BYTES};
use super::odd::{Group, Odd};
use super::second_look::SecondLook;
use crate::failure::Result;

/// How much of a queue to read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Depth {
    /// Both ends of both keys, if there is much between them.
    Quick,
    /// Everything.
    Full,
}

/// What stands in the timeout set and in the ordering list.
#[derive(Debug, Default)]
pub(crate) struct Census {
    pub(crate) pending: u64,
    pub(crate) listed: u64,
    /// How many members of the timeout set and entries of the ordering list were read.
    pub(crate) read: (u64, u64),
    /// Everything was read.
    pub(crate) is_complete: bool,
    /// How many members are in the layout of Redisson 3.21.1 and later.
    pub(crate) new_format: u64,
    /// How many members belong into the timeout set alone.
    pub(crate) unlisted_by_id: u64,
    /// Members in the layout of Redisson 3.21.0 and older.
    pub(crate) old_format: Group,
    /// Members that nobody can read.
    pub(crate) malformed: Group,
    /// Entries of the ordering list without a due time between two that are pending: their elements left
    /// the timeout set one by one, so they were delivered or removed.
    pub(crate) ghosts: Group,
    /// Other entries without a due time. If the timeout set was lost, or restored from an older copy, they
    /// are all that is left of their elements.
    pub(crate) orphans: Group,
    /// Second entries of members in the ordering list.
    pub(crate) repeats: Group,
    /// Members that the ordering list lacks.
    pub(crate) unlisted: Group,
    /// Members whose due times are no whole milliseconds from 0 to 2^53.
    pub(crate) scores: Group,
    /// How many of these are fractions from 0 to 2^53.
    pub(crate) fractions: u64,
    /// Members whose due times are in [`IN_SECONDS`].
    pub(crate) seconds: Group,
}

impl Census {
    /// Reads the members of a queue, and looks again at the odd ones after a pause. Groups keep
    /// members until they have about `most_bytes` each.
    ///
    /// # Redis
    ///
    /// `ZSCAN`, `LRANGE`, `ZRANGE` and `ZMSCORE` of at most 500 members each, and about a MiB.
    pub(crate) async fn take(
        members: Members<'_>,
        depth: Depth,
        most_bytes: usize,
    ) -> Result<Self> {
        let (pending, listed) = members.sizes().await?;
        let is_small = pending.max(listed) <= QUICK && members.bytes().await <= QUICK_BYTES;
        let is_complete = depth == Depth::Full || is_small;
        let group = || Group::keeping(most_bytes);
        let mut census = Self {
            pending,
            listed,
            is_complete,
            old_format: group(),
            malformed: group(),
            ghosts: group(),
            orphans: group(),
            repeats: group(),
            unlisted: group(),
            scores: group(),
            seconds: group(),
            ..Self::default()
        };
        let look = SecondLook::new(members);
        match is_complete {
            true => census.read_all(look).await?,
            false => census.read_ends(look).await?,
        }
        Ok(census)
    }

    async fn read_all(&mut self, mut look: SecondLook<'_>) -> Result {
        let mut wants_place = HashMap::new();
        let mut scheduled = look.members.scheduled();
        while let Some(page) = scheduled.next().await? {
            for (member, score) in page {
                let hash = look.hash(&member);
                let Entry::Vacant(place) = wants_place.entry(hash) else {
                    continue;
                };
                place.insert(self.count(&member));
                if Packed::parse(member).is_err() || is_odd(&score) {
                    look.suspects.insert(hash);
                }
            }
        }
        let mut seen = HashSet::new();
        let mut list = look.members.listed(0, self.listed);
        while let Some(page) = list.next().await? {
            for (_, entry) in page {
                let hash = look.hash(&entry);
                if !wants_place.contains_key(&hash) {
                    look.unscheduled.insert(hash);
                    look.suspects.insert(hash);
                }
                if !seen.insert(hash) {
                    look.suspects.insert(hash);
                }
                self.read.1 += 1;
            }
        }
        let lost = |(hash, wanted): (u64, bool)| (wanted && !seen.contains(&hash)).then_some(hash);
        look.suspects
            .extend(wants_place.into_iter().filter_map(lost));
        drop(seen);
        if look.suspects.is_empty() {
            return Ok(());
        }

        sleep(PAUSE).await;
        let (_, listed) = look.members.sizes().await?;
        let witness = look.find_witness(listed, usize::MAX).await?;
        self.look_at_list(&mut look, 0, listed, &witness).await?;
        self.hear_again(&look, witness).await?;
        let mut scheduled = look.members.scheduled();
        while let Some(page) = scheduled.next().await? {
            for (member, score) in page {
                let hash = look.hash(&member);
                if look.suspects.remove(&hash) {
                    let places = look.take_places(hash);
                    self.judge(member, score, &places, true);
                }
            }
        }
        Ok(())
    }

    async fn read_ends(&mut self, mut look: SecondLook<'_>) -> Result {
        let mut odd = Vec::new();
        let newest = self.pending.saturating_sub(SAMPLE);
        for (first, end) in [(0, SAMPLE.min(newest)), (newest, self.pending)] {
            for (member, score) in look.members.ranks(first, end).await? {
                self.count(&member);
                let score = score.to_string();
                if Packed::parse(member.clone()).is_err() || is_odd(&score) {
                    odd.push(member);
                }
            }
        }
        let newest = self.listed.saturating_sub(SAMPLE);
        let ends = [(0, SAMPLE.min(newest)), (newest, self.listed)];
        for (first, end) in ends {
            let mut seen = HashSet::new();
            let mut list = look.members.listed(first, end).within(SAMPLE_BYTES);
            while let Some(page) = list.next().await? {
                self.read.1 += page.len() as u64;
                let entries: Vec<_> = page.into_iter().map(|(_, entry)| entry).collect();
                let scores = look.members.scores(&entries).await?;
                for (entry, score) in entries.iter().zip(scores) {
                    let hash = look.hash(entry);
                    if score.is_none() {
                        look.unscheduled.insert(hash);
                        look.suspects.insert(hash);
                    }
                    if !seen.insert(hash) {
                        look.suspects.insert(hash);
                    }
                }
            }
        }
        if look.suspects.is_empty() && odd.is_empty() {
            return Ok(());
        }

        sleep(PAUSE).await;
        let (_, listed) = look.members.sizes().await?;
        let newest = listed.saturating_sub(SAMPLE);
        let witness = look.find_witness(SAMPLE, SAMPLE_BYTES).await?;
        for (first, end) in [(newest, listed), (0, SAMPLE.min(newest))] {
            self.look_at_list(&mut look, first, end, &witness).await?;
        }
        self.hear_again(&look, witness).await?;
        let twice = std::mem::take(&mut look.twice);
        odd.extend(twice.into_values());
        let scores = look.members.scores(&odd).await?;
        for (member, score) in odd.into_iter().zip(scores) {
            let places = look.take_places(look.hash(&member));
            if let Some(score) = score {
                self.judge(member, score.to_string(), &places, false);
            }
        }
        Ok(())
    }

    /// Counts a scheduled member. Returns whether it belongs into the ordering list, too.
    fn count(&mut self, member: &Bytes) -> bool {
        self.read.0 += 1;
        let Ok(packed) = Packed::parse(member.clone()) else {
            return false;
        };
        match packed.format {
            Format::DLc0 => self.old_format.add(Odd::new(member.clone())),
            _ => self.new_format += 1,
        }
        let is_listed = packed.id.listing() == Listing::Listed;
        self.unlisted_by_id += u64::from(!is_listed);
        is_listed
    }

    /// Reads a stretch of the ordering list once more. Notes where suspects stand, and which of
    /// them have no due time: not scheduled, and listed after that. Those that stand between the witness
    /// and a newer pending entry are ghosts.
    async fn look_at_list(
        &mut self,
        look: &mut SecondLook<'_>,
        first: u64,
        end: u64,
        witness: &Option<Placed>,
    ) -> Result {
        let mut list = look.members.listed(first, end);
        if !self.is_complete {
            list = list.within(SAMPLE_BYTES);
        }
        while let Some(page) = list.next().await? {
            let is_suspect = |(_, entry): &Placed| look.suspects.contains(&look.hash(entry));
            // The others of a page matter until one is pending.
            let page: Vec<Placed> = page
                .into_iter()
                .filter(|it| !look.is_newer_pending || is_suspect(it))
                .collect();
            let entries: Vec<Bytes> = page.iter().map(|(_, entry)| entry.clone()).collect();
            let scores = look.members.scores(&entries).await?;
            let newest = scores
                .iter()
                .rposition(Option::is_some)
                .map(|it| page[it].0);
            let newest = match look.is_newer_pending {
                true => Some(u64::MAX),
                false => newest,
            };
            look.is_newer_pending = newest.is_some();
            let mut unscheduled = Vec::new();
            for ((place, entry), score) in page.into_iter().zip(scores) {
                let hash = look.hash(&entry);
                match score {
                    None if look.unscheduled.contains(&hash) => unscheduled.push((place, entry)),
                    Some(_) if look.suspects.contains(&hash) => look.note(list.run(), place, entry),
                    _ => {}
                }
            }
            for (place, member) in look.still_listed(unscheduled).await? {
                let is_newer = witness.as_ref().is_some_and(|(older, _)| *older < place);
                let is_proven = is_newer && newest.is_some_and(|newer| place < newer);
                let group = match Packed::parse(member.clone()) {
                    Ok(_) if is_proven => &mut self.ghosts,
                    Ok(_) => &mut self.orphans,
                    Err(_) => &mut self.malformed,
                };
                group.add(Odd {
                    place: Some(place),
                    ..Odd::new(member)
                });
            }
        }
        Ok(())
    }

    /// Without the witness at the end of the look, nothing is proven: the timeout set may have been lost
    /// meanwhile.
    async fn hear_again(&mut self, look: &SecondLook<'_>, witness: Option<Placed>) -> Result {
        let Some((_, witness)) = witness else {
            return Ok(());
        };
        if look.members.scores(&[witness]).await? == [None] {
            let unproven = std::mem::take(&mut self.ghosts);
            self.orphans.absorb(unproven);
        }
        Ok(())
    }

    /// Puts a scheduled suspect, which stands at these places of the ordering list, into its group.
    fn judge(&mut self, member: Bytes, score: String, places: &[u64], was_all_read: bool) {
        let packed = Packed::parse(member.clone());
        let is_listed = packed.as_ref().map(|it| it.id.listing()) == Ok(Listing::Listed);
        let (has_odd_score, is_fraction) = (is_odd(&score), is_fraction(&score));
        let is_in_seconds = is_in_seconds(ms_of(&score));
        let odd = Odd {
            score: Some(score),
            place: places.iter().min().copied(),
            ..Odd::new(member)
        };
        if packed.is_err() {
            return self.malformed.add(odd);
        }
        let mut sorted = places.to_vec();
        sorted.sort_unstable();
        for (times, newer) in (1..).zip(&sorted).skip(1) {
            self.repeats.add(Odd {
                place: Some(*newer),
                other: Some((sorted[0], times)),
                ..odd.clone()
            });
        }
        if places.is_empty() && is_listed && was_all_read {
            self.unlisted.add(odd.clone());
        }
        if is_in_seconds {
            self.seconds.add(odd);
        } else if has_odd_score {
            self.fractions += u64::from(is_fraction);
            self.scores.add(odd);
        }
    }
}

/// True if Redisson cannot read the score, never moves the member, or moves it years too early.
fn is_odd(score: &str) -> bool {
    let ms = ms_of(score);
    ms.fract() != 0.0 || !(0.0..=LATEST_MS as f64).contains(&ms) || is_in_seconds(ms)
}

fn is_in_seconds(ms: f64) -> bool {
    (*IN_SECONDS.start() as f64..=*IN_SECONDS.end() as f64).contains(&ms)
}

/// True if the score is within what Java reads, but not whole.
fn is_fraction(score: &str) -> bool {
    let ms = ms_of(score);
    (0.0..=LATEST_MS as f64).contains(&ms) && ms.fract() != 0.0
}

fn ms_of(score: &str) -> f64 {
    score.parse().unwrap_or(f64::NAN)
}

/// Due times from January to April 1970, in ms. They are those of 2001 to 2286 in seconds.
pub(crate) const IN_SECONDS: RangeInclusive<u64> = 1_000_000_000..=10_000_000_000;

/// The latest due time that Redis can keep to the millisecond.
pub(crate) const LATEST_MS: u64 = 1 << 53;

/// A quick census reads this much of each key without leaving anything out.
const QUICK: u64 = 5_000;

/// The same, if its keys take no more of Redis's memory than this.
const QUICK_BYTES: u64 = 64 << 20;

/// How much it reads of each end otherwise.
const SAMPLE: u64 = 2_000;

/// How long to wait before the second look.
const PAUSE: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use super::is_odd;

    #[test]
    fn due_times_are_whole_in_ms_and_within_what_java_reads() {
        for fine in ["0", "1700000000000", "9007199254740992"] {
            assert!(!is_odd(fine), "{fine}");
        }
        for odd in [
            "-5",
            "1700000000000.5",
            "4.6e+18",
            "inf",
            "-inf",
            "1700000000",
        ] {
            assert!(is_odd(odd), "{odd}");
        }
    }
}
