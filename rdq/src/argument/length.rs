//! Lengths of time.

use std::time::Duration;

/// Reads a time between two looks: without a rest, they would keep Redis busy.
pub(crate) fn positive(text: &str) -> Result<Duration, String> {
    match bounded(text)? {
        Duration::ZERO => Err("more than 0".to_owned()),
        length => Ok(length),
    }
}

/// Reads a length of time that can be added to any moment: one that is too long is cut.
pub(crate) fn bounded(text: &str) -> Result<Duration, String> {
    let length = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    Ok(length.min(LONGEST))
}

/// Longer than anybody waits: 136 years.
const LONGEST: Duration = Duration::from_secs(1 << 32);

#[cfg(test)]
mod tests {
    use std::time::{Instant, SystemTime};

    use super::*;

    #[test]
    fn a_length_that_no_clock_can_add_is_cut() {
        let length = bounded("300000000000y").unwrap();
        assert!(Instant::now().checked_add(length * 2).is_some());
        assert!(SystemTime::now().checked_add(length * 2).is_some());
        assert_eq!(bounded("5s"), Ok(Duration::from_secs(5)));
        assert!(positive("0").is_err() && positive("5").is_err());
    }
}
