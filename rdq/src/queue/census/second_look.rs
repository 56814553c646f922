//! The second look, at members that were odd at the first.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use bytes::Bytes;

use super::cursor::{Members, Placed};
use crate::failure::Result;
use crate::session::clock::now_us;

/// The places of one member, found in one run through the list.
#[derive(Default)]
struct Places {
    run: u64,
    all: Vec<u64>,
}

/// What the second look is about, and what it has seen.
pub(super) struct SecondLook<'a> {
    pub(super) members: Members<'a>,
    hasher: RandomState,
    /// The hashes of the members that were odd.
    pub(super) suspects: HashSet<u64>,
    /// The suspects that were listed and had no due time. If a member has lost its due time since the
    /// first look, a mover has just delivered it.
    pub(super) unscheduled: HashSet<u64>,
    /// A newer entry than those that come next has a due time.
    pub(super) is_newer_pending: bool,
    /// Where scheduled suspects stand.
    places: HashMap<u64, Places>,
    /// Those that stand in two places.
    pub(super) twice: HashMap<u64, Bytes>,
}

impl<'a> SecondLook<'a> {
    pub(super) fn new(members: Members<'a>) -> Self {
        Self {
            members,
            hasher: RandomState::new(),
            suspects: HashSet::new(),
            unscheduled: HashSet::new(),
            is_newer_pending: false,
            places: HashMap::new(),
            twice: HashMap::new(),
        }
    }

    /// A hash that stands for a member: millions of members may be too large to keep.
    pub(super) fn hash(&self, member: &Bytes) -> u64 {
        self.hasher.hash_one(member)
    }

    /// Notes where a suspect stands. Entries of other runs may be this one.
    pub(super) fn note(&mut self, run: u64, place: u64, entry: Bytes) {
        let hash = self.hash(&entry);
        let places = self.places.entry(hash).or_default();
        if places.run != run {
            *places = Places::default();
            places.run = run;
        }
        places.all.push(place);
        if places.all.len() == 2 {
            self.twice.insert(hash, entry);
        }
    }

    /// Where the member of this hash stands; nowhere when asked again.
    pub(super) fn take_places(&mut self, hash: u64) -> Vec<u64> {
        self.places.remove(&hash).unwrap_or_default().all
    }

    /// Finds an entry that proves that the timeout set was not lost since its element was offered: it is
    /// pending still. It is the oldest among the first `most` entries that is due long after the look.
    ///
    /// A lost set takes all due times with it. So if an entry behind the witness has none, its element
    /// left the set alone. One that is due may be an orphan that somebody made due again. A set that was
    /// restored from an older copy has nothing newer than the entries that it lacks, so a newer entry must
    /// be pending, too.
    pub(super) async fn find_witness(
        &self,
        most: u64,
        most_bytes: usize,
    ) -> Result<Option<Placed>> {
        let after_ms = now_us(self.members.master).await? / 1_000 + LONG_MS;
        let found = self.members.oldest_due_after(after_ms, most, most_bytes);
        found.await
    }

    /// Those of these entries that stand in the list now, near the places where they stood.
    pub(super) async fn still_listed(&self, entries: Vec<Placed>) -> Result<Vec<Placed>> {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return Ok(entries);
        };
        let mut listed = HashSet::new();
        let start = first.0.saturating_sub(NEAR);
        let mut list = self.members.listed(start, last.0 + 1);
        while let Some(page) = list.next().await? {
            listed.extend(page.iter().map(|(_, entry)| self.hash(entry)));
        }
        let mut entries = entries;
        entries.retain(|(_, entry)| listed.contains(&self.hash(entry)));
        Ok(entries)
    }
}

/// Longer than a look at a long list takes.
const LONG_MS: u64 = 60_000;

/// How far an entry may have moved since it was read.
const NEAR: u64 = 500;
