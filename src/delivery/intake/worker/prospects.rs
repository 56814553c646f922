//! What a worker knows about whether there is something to claim.

use std::time::{Duration, Instant};

use super::lull::Lull;
use crate::delivery::intake::signal::{Signal, Signals};

/// What a worker knows about the target queue, and what it has asked Redis and the other clients.
#[derive(Debug)]
pub(super) struct Prospects {
    /// The last claim left nothing. Redis reports the next change, or will be asked to at `ask_at`.
    found_empty: bool,
    /// When to ask Redis to report the next change.
    ask_at: Option<Instant>,
    lull: Lull,
    /// The longest time to put off asking.
    longest_lull: Duration,
    /// Another client leads.
    follows: bool,
    /// The other clients do not know yet that callers wait here.
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

    /// Notes signals. `is_lacking` says whether callers wait for elements that are not at hand.
    pub(super) fn hear(&mut self, signals: Signals, is_lacking: bool, follows: bool, now: Instant) {
        let is_called = signals.has(Signal::Called);
        if is_called || signals.has(Signal::Claimable) || signals.has(Signal::Expected) {
            self.found_empty = false;
        }
        if signals.has(Signal::Changed) {
            if follows && is_lacking {
                // The leader calls this client if the change is for its callers.
                self.ask_at = Some(now + Lull::soon());
            } else {
                // The next claim looks, now or when a caller comes.
                self.found_empty = false;
            }
        }
        self.must_announce |= is_called || follows && !self.follows;
        self.follows = follows;
        if !follows {
            self.lull = Lull::default();
            self.ask_at = self.ask_at.map(|_| now);
        } else if signals.has(Signal::Explained)
            && let Some(at) = &mut self.ask_at
        {
            *at = (*at).max(now + self.lull.pause(self.longest_lull));
        }
    }

    /// True if we know of nothing to claim.
    pub(super) fn is_known_empty(&self) -> bool {
        self.found_empty
    }

    /// Notes that something may be there after all.
    pub(super) fn doubt(&mut self) {
        self.found_empty = false;
    }

    /// When to ask Redis to report the next change.
    pub(super) fn ask_at(&self) -> Option<Instant> {
        self.ask_at
    }

    /// True if it is time to ask Redis to report the next change. Notes that it is asked.
    pub(super) fn ask(&mut self, now: Instant) -> bool {
        self.ask_at.take_if(|at| *at <= now).is_some()
    }

    /// Notes whether the target queue was empty when Redis was asked.
    pub(super) fn asked(&mut self, was_empty: bool) {
        self.found_empty = was_empty;
        self.lull.extend();
    }

    /// True if the other clients should be told that callers wait here.
    pub(super) fn must_announce(&self) -> bool {
        self.must_announce
    }

    /// Notes that the other clients were told.
    pub(super) fn announced(&mut self) {
        self.must_announce = false;
    }

    /// Notes that a claim brought something.
    pub(super) fn claimed(&mut self) {
        self.lull = Lull::default();
    }

    /// Notes that a claim left nothing.
    pub(super) fn exhausted(&mut self, now: Instant) {
        self.found_empty = true;
        // The leader calls a follower, so there is time to ask.
        let put_off = self.follows.then(|| self.lull.pause(self.longest_lull));
        self.ask_at = Some(now + put_off.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(1);

    /// A worker that has just found nothing.
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
        let changed = Signals::from([Signal::Changed]);
        let explained = Signals::from([Signal::Changed, Signal::Explained]);
        let mut prospects = exhausted(true, now);
        prospects.hear(changed, true, true, now);
        assert!(prospects.is_known_empty() && prospects.ask(soon));
        let mut prospects = exhausted(true, now);
        prospects.hear(explained, true, true, now);
        assert!(prospects.is_known_empty() && !prospects.ask(now + Duration::from_millis(14)));
        let mut prospects = exhausted(true, now);
        prospects.hear(changed, false, true, now);
        assert!(!prospects.is_known_empty(), "whoever comes next looks");
        let mut alone = exhausted(false, now);
        alone.hear(changed, true, false, now);
        assert!(!alone.is_known_empty(), "nobody will call it");
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
        let called = Signals::from([Signal::Called]);
        prospects.hear(called, true, true, now);
        assert!(prospects.must_announce() && !prospects.is_known_empty());
    }
}
