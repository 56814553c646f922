//! Times as people write them.

use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment: a date, a time or both, in UTC unless it has an offset; `+10m`, `-2h`, `now`, or Unix ms as
/// `--json` prints them. A time without a date is today.
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
        // Fewer digits may be seconds, a year or an hour.
        if let Ok(ms @ (0 | LEAST_MS..)) = text.parse() {
            return Ok(Self::At(
                UNIX_EPOCH + Duration::from_millis(ms).min(LONGEST),
            ));
        }
        date_and_time(text).map(Self::At).ok_or_else(|| {
            "not a time: write 2026-11-24T12:00:00Z, 2026-11-24T13:00:00+01:00, '2026-11-24 12:00', 2026-11-24 or \
             12:00 (all in UTC without an offset), +10m, -2h, now, or Unix ms, which have 13 digits"
                .to_owned()
        })
    }
}

/// Reads a moment for something to come. A time without a date may be meant for tomorrow if it is past.
pub(crate) fn ahead(text: &str) -> Result<Moment, String> {
    let moment = text.parse()?;
    match moment {
        Moment::At(time) if text.find(':') == Some(2) && time < SystemTime::now() => Err(format!(
            "{text} is past today: write the date, as in '2026-11-24 12:00', or now"
        )),
        moment => Ok(moment),
    }
}

/// Reads a date, a time or both, with or without seconds and an offset.
fn date_and_time(text: &str) -> Option<SystemTime> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date.to_owned(), time),
        None if text.contains(':') => {
            let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
            (now.split_once('T')?.0.to_owned(), text)
        }
        None => (text.to_owned(), "00:00"),
    };
    let (time, ahead) = match (time.strip_suffix(['Z', 'z']), time.find(['+', '-'])) {
        (Some(time), _) => (time, None),
        (None, Some(place)) => (&time[..place], Some(&time[place..])),
        (None, None) => (time, None),
    };
    let seconds = if time.len() == "12:00".len() {
        ":00"
    } else {
        ""
    };
    let moment = humantime::parse_rfc3339(&format!("{date}T{time}{seconds}Z")).ok()?;
    let Some(ahead) = ahead else {
        return Some(moment);
    };
    let (hours, minutes) = ahead[1..].split_once(':')?;
    let number = |digits: &str, most| {
        let is_number = digits.len() == 2 && digits.bytes().all(|it| it.is_ascii_digit());
        digits
            .parse()
            .ok()
            .filter(|it: &u64| is_number && *it < most)
    };
    let offset = Duration::from_secs(number(hours, 24)? * 3_600 + number(minutes, 60)? * 60);
    match ahead.starts_with('+') {
        true => moment.checked_sub(offset),
        false => moment.checked_add(offset),
    }
}

/// In April 1970. As Unix seconds, it is in the year 2286.
const LEAST_MS: u64 = 10_000_000_000;

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
        assert_eq!(from("1970-01-02"), at(86_400));
        assert_eq!(from("1970-01-02 00:01"), at(86_460));
        assert_eq!(
            from("1970-01-02T01:00:00.5+01:00"),
            at(86_400).map(|it| it + Duration::from_millis(500))
        );
        assert_eq!(from("1970-01-01T19:30-04:30"), at(86_400));
        assert_eq!(from("1795907256000"), at(1_795_907_256));
        assert_eq!(from("0"), at(0));
        assert_eq!(from("-100years"), at(0));
        assert!(from("+1000000000years").is_ok());
        for wrong in [
            "",
            "tomorrow",
            "10m",
            "+ten",
            "2026-13-01",
            "01/02/2026",
            "12",
            "2026",
            "20261124",
            "1795907256",
            "5pm",
            "1.2.2026",
            "2026-01-01T12",
            "2026-01-01T12:00+1",
            "2026-01-01T12:00:00+24:00",
            "é2026-01-01",
            "12:00é",
        ] {
            assert!(from(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_time_without_a_date_is_today_in_utc() {
        let seconds = |it: SystemTime| it.duration_since(UNIX_EPOCH).unwrap().as_secs();
        let Ok(Moment::At(time)) = "12:30".parse() else {
            panic!("a moment");
        };
        assert_eq!(seconds(time) % 86_400, 45_000);
        assert!(ahead("00:00").is_err());
        assert!(ahead("2026-11-24 00:00").is_ok());
        let now = seconds(SystemTime::now());
        assert!(now.abs_diff(seconds(time)) < 2 * 86_400);
    }
}
