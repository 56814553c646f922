//! How long to wait before another attempt.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long a consumer waits between a failed attempt and the next.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use redisson_delayed_queue::Backoff;
///
/// let second = Duration::from_secs(1);
/// assert_eq!(Backoff::fixed(second).delay(3), second);
///
/// let backoff = Backoff::exponential(second, 60 * second);
/// assert!(backoff.delay(3) >= 2 * second && backoff.delay(3) <= 4 * second);
/// assert!(backoff.delay(30) <= 60 * second);
///
/// let slower = Backoff::custom(|attempt| Duration::from_secs(10) * attempt.into());
/// assert_eq!(slower.delay(3), 30 * second);
/// ```
#[derive(Clone)]
pub struct Backoff(Kind);

#[derive(Clone)]
enum Kind {
    Fixed(Duration),
    Exponential { first: Duration, most: Duration },
    Custom(Arc<dyn Fn(u16) -> Duration + Send + Sync>),
}

impl Backoff {
    /// Always the same time.
    #[must_use]
    pub fn fixed(delay: Duration) -> Self {
        Self(Kind::Fixed(delay))
    }

    /// `first` after the first attempt, twice as long after each further one, up to `most`. Between
    /// a half and all of that, at random, so that elements that failed together do not come
    /// together.
    #[must_use]
    pub fn exponential(first: Duration, most: Duration) -> Self {
        Self(Kind::Exponential { first, most })
    }

    /// The result of `delay` for the number of the attempt that failed, from 1.
    #[must_use]
    pub fn custom(delay: impl Fn(u16) -> Duration + Send + Sync + 'static) -> Self {
        Self(Kind::Custom(Arc::new(delay)))
    }

    /// How long to wait after the attempt of this number, from 1, has failed.
    #[must_use]
    pub fn delay(&self, attempt: u16) -> Duration {
        match &self.0 {
            Kind::Fixed(delay) => *delay,
            Kind::Exponential { first, most } => {
                let doubled = 1_u32.checked_shl(u32::from(attempt.saturating_sub(1)));
                let delay = doubled.and_then(|times| first.checked_mul(times));
                let delay = delay.map_or(*most, |it| it.min(*most));
                delay.mul_f64(rand::random_range(0.5..=1.0))
            }
            Kind::Custom(delay) => delay(attempt),
        }
    }
}

/// [Exponential](Backoff::exponential), from 1 s to 5 minutes.
impl Default for Backoff {
    fn default() -> Self {
        Self::exponential(Duration::from_secs(1), Duration::from_secs(300))
    }
}

impl fmt::Debug for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Fixed(delay) => f.debug_tuple("Fixed").field(delay).finish(),
            Kind::Exponential { first, most } => f
                .debug_struct("Exponential")
                .field("first", first)
                .field("most", most)
                .finish(),
            Kind::Custom(_) => f.write_str("Custom"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_limit_and_never_overflow() {
        let backoff = Backoff::exponential(Duration::from_millis(100), Duration::from_secs(1));
        for (attempt, most) in [
            (0, 100),
            (1, 100),
            (2, 200),
            (4, 800),
            (5, 1_000),
            (u16::MAX, 1_000),
        ] {
            let most = Duration::from_millis(most);
            let delay = backoff.delay(attempt);
            assert!(
                delay <= most && delay >= most / 2,
                "{delay:?} after {attempt}"
            );
        }
        let longest =
            Backoff::exponential(Duration::from_secs(1), Duration::from_secs(u64::MAX / 4));
        assert!(longest.delay(40) > Duration::ZERO);
    }
}
