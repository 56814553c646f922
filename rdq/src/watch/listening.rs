//! Listens to the Rust clients of a queue, which say who moves its elements.

use std::collections::VecDeque;
use std::time::{Duration, Instant, UNIX_EPOCH};

use redisson_delayed_queue::Move;

/// Remembers what the clients said about moves.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Holds the client that moved last at the end.
    movers: Vec<Mover>,
    /// Holds the moment of each move since [`take_count`](Self::take_count), in Unix ms by Redis's
    /// clock, and the number of its elements.
    counts: VecDeque<(u64, u64)>,
    /// Says why this program hears nothing.
    deaf: Option<String>,
}

/// Describes a Rust client that moved elements.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Mover {
    /// Its name, which differs from those of the queue's other clients.
    pub(crate) name: String,
    /// True if callers take from the queue there.
    pub(crate) takes: bool,
    /// Counts the elements that it moved while this program listened.
    pub(crate) moved: u64,
    pub(crate) last: Instant,
}

impl Heard {
    /// This program forgets a client that has moved nothing for this time.
    const REMEMBERED: Duration = Duration::from_secs(600);
    /// This program remembers at most so many clients.
    const MOST: usize = 64;

    pub(crate) fn note(&mut self, moved: &Move, now: Instant) {
        self.deaf = None;
        let at = moved.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = at.as_millis() as u64;
        match self.counts.back_mut().filter(|it| it.0 == at_ms) {
            Some((_, count)) => *count += moved.count,
            None => self.counts.push_back((at_ms, moved.count)),
        }
        let known = self.movers.iter().position(|it| it.name == moved.by);
        let before = known.map_or(0, |place| self.movers.remove(place).moved);
        self.movers.push(Mover {
            name: moved.by.clone(),
            takes: moved.takes,
            moved: before + moved.count,
            last: now,
        });
        self.movers
            .retain(|it| now.saturating_duration_since(it.last) < Self::REMEMBERED);
        let surplus = self.movers.len().saturating_sub(Self::MOST);
        self.movers.drain(..surplus);
    }

    /// Notes that this program hears nothing, for this reason.
    pub(crate) fn cannot_hear(&mut self, reason: String) {
        self.deaf = Some(reason);
    }

    /// Returns how many elements were moved from the last call until this moment by Redis's clock.
    pub(crate) fn take_count(&mut self, until_ms: u64) -> u64 {
        let taken = self.counts.iter().take_while(|it| it.0 <= until_ms).count();
        self.counts.drain(..taken).map(|it| it.1).sum()
    }

    /// Forgets how many elements were moved.
    pub(crate) fn forget(&mut self) {
        self.counts.clear();
    }

    /// Says why this program hears nothing.
    pub(crate) fn deaf(&self) -> Option<&str> {
        self.deaf.as_deref()
    }

    /// Returns the clients that moved something. The one that moved last comes first.
    pub(crate) fn movers(&self) -> impl Iterator<Item = &Mover> {
        self.movers.iter().rev()
    }
}
