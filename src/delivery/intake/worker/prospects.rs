//! Whether there is something to claim, as far as a worker knows.

use std::time::{Duration, Instant};

use super::lull::Lull;
use crate::delivery::intake::state::Signals;

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
    pub(super) fn exhausted(&mut self, now: Instant) {
        self.found_empty = true;
        // Who follows another is called.
        let put_off = self.follows.then(|| self.lull.pause(self.longest_lull));
        self.ask_at = Some(now + put_off.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(1);

    /// What a worker knows that has just found nothing, and does not follow or does.
    fn exhausted(follows: bool, now: Instant) -> Prospects {
        let mut prospects = Prospects::new(LONGEST);
        prospects.hear(Signals::default(), true, follows, now);
        prospects.exhausted(now);
        prospects
    }

    #[test]
    fn who_follows_asks_a_while_later_and_who_does_not_at_once() {
        let now = Instant::now();
        assert!(exhausted(false, now).ask(now));
        let mut follower = exhausted(true, now);
        assert!(!follower.ask(now) && follower.ask(now + LONGEST));
        assert!(!follower.ask(now + LONGEST), "it was asked");

        let mut alone = exhausted(true, now);
        alone.hear(Signals::default(), true, false, now);
        assert!(alone.ask(now), "nobody calls it any more");
    }

    #[test]
    fn what_others_were_called_for_puts_asking_off_and_what_nobody_was_does_not() {
        let now = Instant::now();
        let soon = now + Duration::from_millis(10);
        let disturbed = Signals {
            disturbed: true,
            ..Signals::default()
        };
        let explained = Signals {
            explained: true,
            ..disturbed
        };
        let mut prospects = exhausted(true, now);
        prospects.hear(disturbed, true, true, now);
        assert!(prospects.are_none() && prospects.ask(soon));
        let mut prospects = exhausted(true, now);
        prospects.hear(explained, true, true, now);
        assert!(prospects.are_none() && !prospects.ask(now + Duration::from_millis(14)));
        let mut prospects = exhausted(true, now);
        prospects.hear(disturbed, false, true, now);
        assert!(!prospects.are_none(), "whoever comes next looks");
    }

    #[test]
    fn callers_are_announced_by_who_begins_to_follow_and_again_after_each_call() {
        let now = Instant::now();
        let mut prospects = exhausted(false, now);
        assert!(!prospects.must_announce());
        prospects.hear(Signals::default(), true, true, now);
        assert!(prospects.must_announce());
        prospects.announced();
        prospects.hear(Signals::default(), true, true, now);
        assert!(!prospects.must_announce());
        let called = Signals {
            called: true,
            ..Signals::default()
        };
        prospects.hear(called, true, true, now);
        assert!(prospects.must_announce() && !prospects.are_none());
    }
}
