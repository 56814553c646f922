//! When a call is large, and how much longer it may take.

use std::time::Duration;

/// A call that sends this many bytes or more is large: it goes over a
/// [`SideLink`](super::SideLink). So does the fetch of a leased payload that has more bytes than
/// this. A claim leaves such a payload in its lease, and brings smaller ones and one of just this
/// size in its reply.
pub(crate) const LARGE: usize = 1024 * 1024;

/// A large call gets one more millisecond for this many bytes, so one second for each 4 MiB. A
/// network of 34 Mbit/s is fast enough for that. Redis itself needs a few ms for each MiB, or some
/// ten times as long on a busy machine.
pub(crate) const BYTES_A_MS: usize = 4 * 1024;

/// How much longer to wait for the reply to a call that sends or fetches `bytes` bytes. Zero for
/// fewer than [`LARGE`].
pub(crate) fn extra_time(bytes: usize) -> Duration {
    let large = if bytes < LARGE { 0 } else { bytes };
    Duration::from_millis((large / BYTES_A_MS) as u64)
}

/// How many bytes a large call can send or fetch in this time.
pub(crate) fn bytes_within(time: Duration) -> usize {
    usize::try_from(time.as_millis()).map_or(usize::MAX, |ms| ms.saturating_mul(BYTES_A_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extra_time_is_nothing_for_small_calls_and_grows_with_large_ones() {
        assert_eq!(extra_time(300), Duration::ZERO);
        assert_eq!(extra_time(LARGE - 1), Duration::ZERO);
        assert_eq!(extra_time(64 * LARGE), Duration::from_millis(16_384));
        assert_eq!(extra_time(400 * LARGE), Duration::from_millis(102_400));
    }

    #[test]
    fn what_fits_into_a_time_takes_that_time() {
        for bytes in [LARGE, 64 * LARGE] {
            assert_eq!(bytes_within(extra_time(bytes)), bytes);
        }
        assert_eq!(bytes_within(Duration::MAX), usize::MAX);
    }
}
