//! A sorted set: members in the order of their scores.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use bytes::Bytes;

use crate::number::Limit;

/// Members with scores, in the order of these, and of the bytes of members with the same score.
#[derive(Clone, Debug, Default)]
pub(crate) struct SortedSet {
    scores: BTreeMap<Bytes, f64>,
    order: BTreeSet<(Score, Bytes)>,
}

/// A number other than NaN.
#[derive(Clone, Copy, Debug)]
struct Score(f64);

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.partial_cmp(&other.0).unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Score {}

impl SortedSet {
    pub(crate) fn len(&self) -> usize {
        self.scores.len()
    }

    pub(crate) fn score(&self, member: &[u8]) -> Option<f64> {
        self.scores.get(member).copied()
    }

    /// Adds the member, or gives it another score.
    pub(crate) fn set(&mut self, member: Bytes, score: f64) {
        if let Some(before) = self.scores.insert(member.clone(), score) {
            self.order.remove(&(Score(before), member.clone()));
        }
        self.order.insert((Score(score), member));
    }

    /// Says whether it was there.
    pub(crate) fn remove(&mut self, member: &Bytes) -> bool {
        let score = self.scores.remove(member);
        score.is_some_and(|score| self.order.remove(&(Score(score), member.clone())))
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&Bytes, f64)> {
        self.order.iter().map(|(score, member)| (member, score.0))
    }

    /// How many members come before this one.
    pub(crate) fn rank(&self, member: &Bytes) -> Option<usize> {
        let score = self.score(member)?;
        Some(self.order.range(..(Score(score), member.clone())).count())
    }

    /// Those with scores in a range, in ascending order.
    pub(crate) fn between(
        &self,
        min: Limit,
        max: Limit,
    ) -> impl DoubleEndedIterator<Item = (&Bytes, f64)> {
        // A range that ends before it begins would panic.
        let first = (Score(min.score), Bytes::new());
        let from = self.order.range(first..).next();
        let is_empty = from.is_none_or(|(score, _)| !max.admits_from_above(score.0));
        let members = (!is_empty).then(|| self.order.range((Score(min.score), Bytes::new())..));
        let members = members.into_iter().flatten();
        let fits = move |score: f64| min.admits_from_below(score) && max.admits_from_above(score);
        let members = members.map(|(score, member)| (member, score.0));
        members.filter(move |(_, score)| fits(*score))
    }
}
