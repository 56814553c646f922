//! Times as people write them.

use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment: `2026-11-24T12:00:00Z`, `+10m`, `-2h`, `now`, or Unix ms as `--json` prints them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Moment {
    At(SystemTime),
    FromNow(Duration),
    Ago(Duration),
}

impl Moment {
    /// The time that this means at the moment `now`.
    pub(crate) fn from(self, now: SystemTime) -> SystemTime {
        match self {
            Self::At(moment) => moment,
            Self::FromNow(ahead) => now + ahead,
            Self::Ago(past) => now.checked_sub(past).unwrap_or(UNIX_EPOCH).max(UNIX_EPOCH),
        }
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let length = |text| humantime::parse_duration(text).map_err(|error| error.to_string());
        if text == "now" {
            return Ok(Self::FromNow(Duration::ZERO));
        }
        if let Some(ahead) = text.strip_prefix('+') {
            return Ok(Self::FromNow(length(ahead)?.min(LONGEST)));
        }
        if let Some(past) = text.strip_prefix('-') {
            return Ok(Self::Ago(length(past)?));
        }
        if let Ok(ms) = text.parse() {
            return Ok(Self::At(
                UNIX_EPOCH + Duration::from_millis(ms).min(LONGEST),
            ));
        }
        humantime::parse_rfc3339_weak(text)
            .map(Self::At)
            .map_err(|_| {
                "not a time: write 2026-11-24T12:00:00Z, +10m, -2h, now, or Unix ms".to_owned()
            })
    }
}

/// Longer than any delay that Redis can keep, and short enough to be added to any time.
const LONGEST: Duration = Duration::from_secs(1 << 50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_absolute_or_counted_from_now() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let from = |text: &str| text.parse::<Moment>().map(|moment| moment.from(now));
        let at = |seconds| Ok(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(from("now"), Ok(now));
        assert_eq!(from("+10m"), at(1_000_600));
        assert_eq!(from("-1h 1s"), at(996_399));
        assert_eq!(from("1970-01-02T00:00:00Z"), at(86_400));
        assert_eq!(from("1970-01-02 00:00:01"), at(86_401));
        assert_eq!(from("5000"), at(5));
        assert_eq!(from("-100years"), at(0));
        assert!(from("+1000000000years").is_ok());
        for wrong in ["", "tomorrow", "10m", "+ten", "2026-13-01"] {
            assert!(from(wrong).is_err(), "{wrong}");
        }
    }
}
