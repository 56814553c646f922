//! The second look, at members that were odd at the first.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use bytes::Bytes;

use super::cursor::{Members, Placed};
use crate::failure::Result;

/// What the second look is about, and what it has seen.
pub(super) struct SecondLook<'a> {
    pub(super) members: Members<'a>,
    hasher: RandomState,
    /// The hashes of the members that were odd.
    pub(super) suspects: HashSet<u64>,
    /// Where scheduled suspects stand.
    pub(super) places: HashMap<u64, Vec<u64>>,
    /// Those that stand in two places.
    pub(super) twice: HashMap<u64, Bytes>,
}

impl<'a> SecondLook<'a> {
    pub(super) fn new(members: Members<'a>) -> Self {
        Self {
            members,
            hasher: RandomState::new(),
            suspects: HashSet::new(),
            places: HashMap::new(),
            twice: HashMap::new(),
        }
    }

    /// A hash that stands for a member: millions of members may be too large to keep.
    pub(super) fn hash(&self, member: &Bytes) -> u64 {
        self.hasher.hash_one(member)
    }

    pub(super) fn note(&mut self, place: u64, entry: Bytes) {
        let hash = self.hash(&entry);
        let places = self.places.entry(hash).or_default();
        places.push(place);
        if places.len() == 2 {
            self.twice.insert(hash, entry);
        }
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

/// How far an entry may have moved since it was read.
const NEAR: u64 = 500;
