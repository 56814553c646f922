//! Members that do not belong where they stand.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use redisson_delayed_queue::packed::Packed;

use super::LATEST_MS;
use crate::screen::absolute;

/// A member that does not belong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Odd {
    pub(crate) member: Bytes,
    /// Its score in the timeout set, as Redis spells it, if it was seen there.
    pub(crate) score: Option<String>,
    /// Its place in the ordering list, if it was seen there.
    pub(crate) place: Option<u64>,
    /// Its oldest place, if that is another one, and how many of its places are no newer than `place`.
    pub(crate) other: Option<(u64, u64)>,
}

/// Members that are odd in the same way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// How many there are, of what was read.
    pub(crate) count: u64,
    /// The first of them; all of them if they are not too many bytes.
    pub(crate) kept: Vec<Odd>,
    /// The hashes of the members: some stand in several places.
    members: HashSet<u64>,
    bytes: usize,
    most_bytes: usize,
}

impl Group {
    /// A group that keeps its members until they have about `most_bytes`, and always the first.
    pub(crate) fn keeping(most_bytes: usize) -> Self {
        Self {
            most_bytes,
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, odd: Odd) {
        self.count += 1;
        self.members.insert(hash(&odd.member));
        if self.kept.is_empty() || self.bytes < self.most_bytes {
            self.bytes += odd.member.len();
            self.kept.push(odd);
        }
    }

    /// Adds all of another group.
    pub(super) fn absorb(&mut self, other: Self) {
        let unkept = other.count - other.kept.len() as u64;
        self.members.extend(other.members);
        other.kept.into_iter().for_each(|it| self.add(it));
        self.count += unkept;
    }

    /// How many different members there are.
    pub(crate) fn elements(&self) -> u64 {
        self.members.len() as u64
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first member, as people can read it.
    pub(crate) fn example(&self) -> Option<String> {
        self.kept.first().map(Odd::shown)
    }
}

impl Odd {
    pub(super) fn new(member: Bytes) -> Self {
        Self {
            member,
            score: None,
            place: None,
            other: None,
        }
    }

    /// The member, its due time and its place in one line.
    pub(crate) fn shown(&self) -> String {
        let mut text = shown(&self.member);
        if let Some(score) = &self.score {
            text += &format!(", {}", due_shown(score));
        }
        if let Some(place) = self.place {
            text += &format!(", place {place} of the ordering list");
        }
        text
    }
}

/// The beginning of a member: of its payload, or of all its bytes if it cannot be read.
pub(crate) fn shown(member: &Bytes) -> String {
    let (what, bytes) = match Packed::parse(member.clone()) {
        Ok(packed) => ("payload", packed.payload),
        Err(_) => ("bytes", member.clone()),
    };
    let cut = &bytes[..bytes.len().min(SHOWN)];
    let more = if cut.len() < bytes.len() { "…" } else { "" };
    format!("{what} \"{}{more}\"", cut.escape_ascii())
}

/// A score, and the time that it means.
pub(crate) fn due_shown(score: &str) -> String {
    format!("due {} (score {score})", due(score))
}

fn due(score: &str) -> String {
    let ms: f64 = score.parse().unwrap_or(f64::NAN);
    match ms {
        0.0.. => {
            let since = Duration::from_millis(ms.min(LATEST_MS as f64) as u64);
            absolute(UNIX_EPOCH + since)
        }
        _ => "before 1970".to_owned(),
    }
}

fn hash(member: &Bytes) -> u64 {
    let mut hasher = DefaultHasher::new();
    member.hash(&mut hasher);
    hasher.finish()
}

/// How much of a member is worth showing.
const SHOWN: usize = 40;
