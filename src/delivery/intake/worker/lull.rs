//! How long a follower waits before it asks Redis to report changes.

use std::time::Duration;

/// Pauses that double while the changes are for other clients.
#[derive(Debug, Default)]
pub(super) struct Lull {
    /// How many times the worker asked in vain.
    vain: u32,
}

impl Lull {
    /// The first pause: long enough to spare Redis when many clients ask, and short for an element
    /// that Java moved.
    const FIRST: Duration = Duration::from_millis(20);

    /// How long to wait after a change for which no client was called.
    pub(super) fn soon() -> Duration {
        Self::FIRST.mul_f64(rand::random_range(0.25..=0.5))
    }

    /// How long to wait after a change for which others were called, up to `limit`.
    pub(super) fn pause(&self, limit: Duration) -> Duration {
        let pause = Self::FIRST.saturating_mul(1 << self.vain.min(16));
        pause.min(limit).mul_f64(rand::random_range(0.75..=1.0))
    }

    /// Notes that the worker asked once more.
    pub(super) fn extend(&mut self) {
        self.vain = self.vain.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_limit() {
        let limit = Duration::from_millis(90);
        let mut lull = Lull::default();
        for most in [20, 40, 80, 90, 90] {
            let most = Duration::from_millis(most);
            let pause = lull.pause(limit);
            assert!(pause <= most && pause >= most / 2, "{pause:?} of {most:?}");
            lull.extend();
        }
        (0..100).for_each(|_| lull.extend());
        assert!(lull.pause(limit) <= limit);
        assert!(Lull::soon() <= Lull::FIRST / 2);
    }
}
