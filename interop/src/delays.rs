//! Random delays that both languages compute from the same seed.

use std::time::Duration;

/// The delays of `offer-many`: the outputs of SplitMix64 in whole milliseconds, none above `max`.
///
/// As `java.util.SplittableRandom(seed)` with `Long.remainderUnsigned`.
pub fn delays(seed: i64, max: Duration) -> impl Iterator<Item = Duration> {
    let bound = u64::try_from(max.as_millis()).unwrap_or(u64::MAX);
    let mut state = seed.cast_unsigned();
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        Duration::from_millis(bound.checked_add(1).map_or(z, |count| z % count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those that `SplittableRandom` gave; `README.md` holds the same ones.
    #[test]
    fn delays_match_java() {
        let of = |seed: i64| -> Vec<u128> {
            let delays = delays(seed, Duration::from_secs(1)).take(6);
            delays.map(|delay| delay.as_millis()).collect()
        };
        assert_eq!(of(7), [310, 451, 308, 528, 348, 370]);
        assert_eq!(of(-5), [229, 106, 972, 487, 227, 561]);
    }
}
