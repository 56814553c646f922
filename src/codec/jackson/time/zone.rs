use crate::java::{Mismatch, ZonedDateTime};

/// The text of an offset as `ZoneOffset.getId` has it.
pub(in crate::codec::jackson) fn offset(seconds: i32) -> String {
    if seconds == 0 {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let of = seconds.unsigned_abs();
    let minutes = format!("{sign}{:02}:{:02}", of / 3600, of / 60 % 60);
    match of % 60 {
        0 => minutes,
        second => format!("{minutes}:{second:02}"),
    }
}

/// How far east of Greenwich a time is, if its zone alone says it.
///
/// That of a region depends on the day, and on laws that only a time zone database knows.
pub(super) fn offset_of(time: &ZonedDateTime) -> Result<i32, Mismatch> {
    let zone = time.zone.as_str();
    let fixed = ["UTC", "GMT", "UT"]
        .iter()
        .find_map(|it| zone.strip_prefix(it));
    match fixed.unwrap_or(zone) {
        "" => Some(0),
        offset => parse(offset),
    }
    .ok_or_else(|| Mismatch::unknown("a zone with a fixed offset", zone))
}

/// Reads what [`offset`] writes, and what else Java takes for it: `+02`, `+0200`.
pub(in crate::codec::jackson) fn parse(text: &str) -> Option<i32> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let digits: Vec<u8> = rest.bytes().filter(|it| *it != b':').collect();
    if !digits.iter().all(u8::is_ascii_digit) || !matches!(digits.len(), 2 | 4 | 6) {
        return None;
    }
    let parts = digits
        .chunks(2)
        .map(|it| i32::from(it[0] - b'0') * 10 + i32::from(it[1] - b'0'));
    let seconds: i32 = parts
        .zip([3600, 60, 1])
        .map(|(part, unit)| part * unit)
        .sum();
    (seconds <= 18 * 3600).then_some(sign * seconds)
}
