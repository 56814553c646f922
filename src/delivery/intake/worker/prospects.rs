//! What a worker knows about whether there is something to claim.

use std::time::Duration;

use tokio::time::Instant;

use super::lull::Lull;
use crate::delivery::intake::signal::{Signal, Signals};
use crate::delivery::trust::Trust;

/// What a worker knows about the target queue, and what it has asked Redis and the other clients.
#[derive(Debug)]
pub(super) struct Prospects {
    /// The last claim left nothing. Redis reports the next change, or will be asked to at `ask_at`.
    found_empty: bool,
    /// When to ask Redis to report the next change.
    ask_at: Option<Instant>,
    /// Redis reported a change, and nobody has looked since.
    is_reported: bool,
    /// Whether such reports were worth a look.
    trust: Trust,
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
            is_reported: false,
            trust: Trust::new(longest_lull),
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
            self.is_reported = true;
            if follows && is_lacking {
                // The leader calls this client if the change is for its callers.
                self.ask_at = Some(now + Lull::soon().max(self.trust.wait(now)));
            } else {
                // The next claim looks, now or when a caller comes.
                self.found_empty = false;
            }
        }
        self.must_announce |= is_called || follows && !self.follows;
        let is_new = std::mem::replace(&mut self.follows, follows) != follows;
        if is_new {
            self.lull = Lull::default();
        }
        if is_new && !follows {
            // Nobody calls this client any more.
            self.ask_at = self.ask_at.map(|_| now + self.trust.wait(now));
        } else if follows
            && signals.has(Signal::Explained)
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
    pub(super) fn asked(&mut self, was_empty: bool, now: Instant) {
        self.found_empty = was_empty;
        self.trust_less(was_empty, now);
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
        self.trust.regain();
        self.is_reported = false;
    }

    /// Notes that a claim left nothing. `is_vain` says that it brought nothing either.
    pub(super) fn exhausted(&mut self, is_vain: bool, now: Instant) {
        self.found_empty = true;
        self.trust_less(is_vain, now);
        let wait = if is_vain {
            self.trust.wait(now)
        } else {
            Duration::ZERO
        };
        // The leader calls a follower, so there is time to ask.
        let put_off = self.follows.then(|| self.lull.pause(self.longest_lull));
        self.ask_at = Some(now + put_off.unwrap_or_default().max(wait));
    }

    /// Notes what a report was worth, if one led to this look.
    fn trust_less(&mut self, is_vain: bool, now: Instant) {
        if is_vain && std::mem::take(&mut self.is_reported) {
            self.trust.lose(now);
        }
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
        prospects.exhausted(true, now);
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

    /// Redis reports each change, true or not, as soon as it is asked.
    #[test]
    fn reports_for_nothing_put_asking_off_and_one_that_brought_something_does_not() {
        let changed = Signals::from([Signal::Changed]);
        for follows in [false, true] {
            let mut now = Instant::now();
            let mut prospects = exhausted(follows, now);
            let mut asked = 0;
            let end = now + 10 * LONGEST;
            while now < end {
                let at = prospects.ask_at().expect("it asks sooner or later");
                now = now.max(at);
                assert!(prospects.ask(now));
                asked += 1;
                prospects.asked(true, now);
                prospects.hear(changed, true, follows, now);
                if !follows {
                    prospects.exhausted(true, now);
                }
            }
            assert!(asked < 160, "{asked} in 10 s");
            if !follows {
                prospects.exhausted(false, now);
                prospects.claimed();
                assert!(prospects.ask(now), "the last claim brought something");
            }
        }
    }
}
