//! How soon to ask Redis again to report a change, after reports for nothing.

use std::time::Duration;

use tokio::time::Instant;

/// What one asker has learned about Redis's reports of one key.
///
/// Redis also reports keys that it no longer tracks, since its table is full
/// (`tracking-table-max-keys`). Asking again takes the place of another key in the table. So
/// clients that ask at once would make each other look for ever.
#[derive(Debug)]
pub(crate) struct Trust {
    /// How many reports for nothing count against the next.
    vain: u32,
    /// When the last of them was noted.
    noted_at: Option<Instant>,
    /// When to ask again.
    ask_at: Option<Instant>,
    longest_wait: Duration,
}

impl Trust {
    /// This many reports for nothing cost no wait: others may have taken the elements.
    const FREE: u32 = 16;

    /// The first wait. Each report for nothing doubles it.
    const FIRST: Duration = Duration::from_millis(10);

    /// How long a report for nothing counts. In the long run, an asker looks in vain at most once
    /// in this time.
    const COUNTS: Duration = Duration::from_millis(100);

    /// Asks again after `longest_wait` at the latest.
    pub(crate) fn new(longest_wait: Duration) -> Self {
        Self {
            vain: 0,
            noted_at: None,
            ask_at: None,
            longest_wait,
        }
    }

    /// Notes a report after which nothing was there.
    pub(crate) fn lose(&mut self, now: Instant) {
        let quiet = self.noted_at.map(|it| now.saturating_duration_since(it));
        let forgotten = quiet.map_or(0, |it| it.as_nanos() / Self::COUNTS.as_nanos());
        let forgotten = u32::try_from(forgotten).unwrap_or(u32::MAX);
        self.vain = self.vain.saturating_sub(forgotten).saturating_add(1);
        self.noted_at = Some(now);
        let excess = self.vain.saturating_sub(Self::FREE);
        self.ask_at = (excess > 0).then(|| {
            let wait = Self::FIRST.saturating_mul(1 << (excess - 1).min(16));
            let wait = wait.min(self.longest_wait);
            now + wait.mul_f64(rand::random_range(0.75..=1.0))
        });
    }

    /// Notes that something was there.
    pub(crate) fn regain(&mut self) {
        *self = Self::new(self.longest_wait);
    }

    /// How long to wait before asking again.
    pub(crate) fn wait(&self, now: Instant) -> Duration {
        let wait = self.ask_at.map(|it| it.saturating_duration_since(now));
        wait.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_millis(50);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn waits_begin_after_some_reports_for_nothing_and_double_up_to_the_longest() {
        let now = Instant::now();
        let mut trust = Trust::new(LONGEST);
        for _ in 0..Trust::FREE {
            trust.lose(now);
            assert!(trust.wait(now).is_zero());
        }
        for most in [10, 20, 40, 50, 50] {
            trust.lose(now);
            let wait = trust.wait(now);
            assert!(
                wait <= ms(most) && wait >= ms(most) / 2,
                "{wait:?} of {most}"
            );
        }
        (0..100).for_each(|_| trust.lose(now));
        assert!(trust.wait(now) <= LONGEST);
        assert!(trust.wait(now + LONGEST).is_zero(), "it has waited");
        trust.regain();
        assert!(trust.wait(now).is_zero());
    }

    #[test]
    fn ten_reports_for_nothing_a_second_cost_no_wait() {
        let mut now = Instant::now();
        let mut trust = Trust::new(LONGEST);
        for _ in 0..100 {
            now += Trust::COUNTS;
            trust.lose(now);
            assert!(trust.wait(now).is_zero());
        }
    }

    /// Redis answers each ask at once with a report for nothing.
    #[test]
    fn a_storm_is_answered_some_ten_times_a_second() {
        let start = Instant::now();
        let mut now = start;
        let mut trust = Trust::new(Duration::from_secs(1));
        let mut asked = 0;
        while now < start + ms(10_000) {
            trust.lose(now);
            now += trust.wait(now) + Duration::from_micros(100);
            asked += 1;
        }
        assert!(asked <= Trust::FREE + 10 + 130, "{asked}");
    }
}
