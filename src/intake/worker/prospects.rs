//! Whether there is something to claim, as far as a worker knows.

use std::time::{Duration, Instant};

use super::lull::Lull;
use crate::intake::state::Signals;

/// What a worker knows of the target queue, and what Redis and the other clients know of the
/// worker.
#[derive(Debug)]
pub(super) struct Prospects {
    /// The last claim left nothing, and Redis promised a hint when that changes, or is to be asked
    /// for one.
    found_empty: bool,
    /// When to ask for it.
    ask_at: Option<Instant>,
    lull: Lull,
    /// The longest that asking is put off.
    longest_lull: Duration,
    /// This client follows another.
    follows: bool,
    /// The other clients are to hear of callers that wait here.
    must_announce: bool,
}

impl Prospects {
    pub(super) fn new(longest_lull: Duration) -> Self {
        Self {
            found_empty: false,
            ask_at: None,
            lull: Lull::default(),
            longest_lull,
            follows: false,
            must_announce: false,
        }
    }

    /// Takes in what the worker was told, while callers wait for what is not at hand or not, and
    /// whether this client follows another.
    pub(super) fn hear(&mut self, signals: Signals, is_lacking: bool, follows: bool, now: Instant) {
        if signals.hinted || signals.called {
            self.found_empty = false;
        }
        match signals.disturbed {
            true if is_lacking => self.ask_at = Some(now + Lull::soon()),
            // Whoever comes next looks.
            true => self.found_empty = false,
            false => {}
        }
        self.must_announce |= signals.called || follows && !self.follows;
        self.follows = follows;
        if !follows {
            self.lull = Lull::default();
            self.ask_at = self.ask_at.map(|_| now);
        } else if signals.explained
            && let Some(at) = &mut self.ask_at
        {
            *at = (*at).max(now + self.lull.pause(self.longest_lull));
        }
    }

    /// Whether nothing is to be claimed that is known of.
    pub(super) fn are_none(&self) -> bool {
        self.found_empty
    }

    /// Something may be there whatever was said.
    pub(super) fn doubt(&mut self) {
        self.found_empty = false;
    }

    /// When to ask Redis for a hint.
    pub(super) fn ask_at(&self) -> Option<Instant> {
        self.ask_at
    }

    /// Whether to ask Redis for a hint now. It is asked then.
    pub(super) fn ask(&mut self, now: Instant) -> bool {
        self.ask_at.take_if(|at| *at <= now).is_some()
    }

    /// Takes in whether the target queue was empty when Redis was asked for a hint.
    pub(super) fn asked(&mut self, was_empty: bool) {
        self.found_empty = was_empty;
        self.lull.extend();
    }

    /// Whether to tell the other clients that callers wait here.
    pub(super) fn must_announce(&self) -> bool {
        self.must_announce
    }

    /// The other clients were told.
    pub(super) fn announced(&mut self) {
        self.must_announce = false;
    }

    /// A claim brought something.
    pub(super) fn claimed(&mut self) {
        self.lull = Lull::default();
    }

    /// A claim left nothing.
    pub(super) fn exhausted(&mut self) {
        self.found_empty = true;
        // Who follows another is called.
        let put_off = self.follows.then(|| self.lull.pause(self.longest_lull));
        self.ask_at = Some(Instant::now() + put_off.unwrap_or_default());
    }
}
