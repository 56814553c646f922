//! Zones that are an offset themselves: `Z`, `+02:00`, `-01:01:01`.

/// The text of an offset as `ZoneOffset.getId` has it.
pub(crate) fn id(seconds: i32) -> String {
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

/// Reads what [`id`] writes, and other spellings that Java accepts: `+02`, `+0200`.
pub(crate) fn parse(text: &str) -> Option<i32> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_written_and_read_as_java_does() {
        for (seconds, text) in [
            (0, "Z"),
            (7200, "+02:00"),
            (-12_600, "-03:30"),
            (-3661, "-01:01:01"),
            (64_800, "+18:00"),
        ] {
            assert_eq!(id(seconds), text);
            assert_eq!(parse(text), Some(seconds));
        }
        assert_eq!((parse("+02"), parse("+0200")), (Some(7200), Some(7200)));
        for other in [
            "",
            "UTC",
            "2:00",
            "+2:00",
            "+19:00",
            "+02:0x",
            "Europe/Paris",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
