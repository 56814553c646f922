//! How long not to ask Redis for hints, when they would be for others.

use std::time::Duration;

/// Pauses that double while elements come to others.
#[derive(Debug, Default)]
pub(super) struct Lull {
    /// How often it was asked and nothing came of it.
    vain: u32,
}

impl Lull {
    /// The first pause. The least that is no burden to Redis when many clients ask, and yet not
    /// long for an element that Java moved.
    const FIRST: Duration = Duration::from_millis(20);

    /// How long to wait after a change that nobody has explained.
    pub(super) fn soon() -> Duration {
        Self::FIRST.mul_f64(rand::random_range(0.25..=0.5))
    }

    /// How long to wait after a change that was for others, up to `limit`.
    pub(super) fn pause(&self, limit: Duration) -> Duration {
        let pause = Self::FIRST.saturating_mul(1 << self.vain.min(16));
        pause.min(limit).mul_f64(rand::random_range(0.75..=1.0))
    }

    /// Takes in that it was asked once more.
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
