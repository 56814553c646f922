//! Which client moves the elements of a queue, from what the Rust clients say.

use std::collections::VecDeque;
use std::time::{Duration, Instant, UNIX_EPOCH};

use redisson_delayed_queue::Move;

/// What was heard of moves.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The one that moved last comes last.
    movers: Vec<Mover>,
    /// When elements were moved, in Unix ms by Redis's clock, and how many, since
    /// [`take_count`](Self::take_count).
    counts: VecDeque<(u64, u64)>,
    /// Why nothing can be heard.
    deaf: Option<String>,
}

/// A Rust client that moved elements.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Mover {
    /// Its name among the clients of the queue.
    pub(crate) name: String,
    /// Callers take from the queue there.
    pub(crate) takes: bool,
    /// How many elements it moved while this program listened.
    pub(crate) moved: u64,
    pub(crate) last: Instant,
}

impl Heard {
    /// How long a client is remembered that moves nothing.
    const REMEMBERED: Duration = Duration::from_secs(600);
    /// The most clients to remember.
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

    /// Notes that nothing can be heard for this reason.
    pub(crate) fn cannot_hear(&mut self, reason: String) {
        self.deaf = Some(reason);
    }

    /// How many elements were moved since the last call, until this moment by Redis's clock.
    pub(crate) fn take_count(&mut self, until_ms: u64) -> u64 {
        let taken = self.counts.iter().take_while(|it| it.0 <= until_ms).count();
        self.counts.drain(..taken).map(|it| it.1).sum()
    }

    /// Forgets how many elements were moved.
    pub(crate) fn forget(&mut self) {
        self.counts.clear();
    }

    /// Why nothing can be heard.
    pub(crate) fn deaf(&self) -> Option<&str> {
        self.deaf.as_deref()
    }

    /// The clients that moved something, the last first.
    pub(crate) fn movers(&self) -> impl Iterator<Item = &Mover> {
        self.movers.iter().rev()
    }
}
