//! Numbers as people read them; on dashboards short, and as wide as their columns.

use serde::Serializer;

/// Writes a number of ms, such as a score, as an integer if it is whole, as other times are written.
pub(crate) fn ms<S: Serializer>(ms: &f64, to: S) -> Result<S::Ok, S::Error> {
    // Beyond, not each whole number has a float of its own.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    match ms.fract() == 0.0 && ms.abs() <= WHOLE {
        true => to.serialize_i64(*ms as i64),
        false => to.serialize_f64(*ms),
    }
}

/// As [`ms`], for a number that may be missing.
pub(crate) fn ms_or_null<S: Serializer>(number: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => ms(number, to),
        None => to.serialize_none(),
    }
}

/// `1 entry`, `1,234 entries`: a number with its noun, in the singular or in the plural.
pub(crate) fn count_of(count: u64, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", grouped(count)),
    }
}

/// A number with commas between thousands: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// At most 6 characters: `99,999`, `1.23M`.
pub(crate) fn short(number: u64) -> String {
    match number {
        0..100_000 => grouped(number),
        100_000..1_000_000 => format!("{}k", number / 1_000),
        1_000_000..100_000_000 => scaled(number, 1_000_000, "M"),
        100_000_000..1_000_000_000 => format!("{}M", number / 1_000_000),
        _ => scaled(number, 1_000_000_000, "G"),
    }
}

fn scaled(number: u64, unit: u64, name: &str) -> String {
    let (whole, rest) = (number / unit, number % unit);
    format!("{whole}.{:02}{name}", rest * 100 / unit)
}

/// Elements a second: `0`, `0.4`, `12`, `1.2k`.
pub(crate) fn rate(a_second: f64) -> String {
    match a_second {
        it if it < 0.05 => "0".to_owned(),
        it if it < 9.95 => format!("{it:.1}"),
        it if it < 10_000.0 => grouped(it.round() as u64),
        it => short(it.round() as u64),
    }
}

/// A number of bytes: `812 B`, `4.2 KiB`, `64.0 MiB`.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1_024 => format!("{count} B"),
        1_024..1_048_576 => format!("{:.1} KiB", count as f64 / 1_024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let texts = [0, 12, 999, 1_000, 12_345, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "999", "1,000", "12,345", "1,234,567"]);
        assert_eq!(count_of(1, "entry", "entries"), "1 entry");
        assert_eq!(count_of(1_000, "entry", "entries"), "1,000 entries");
    }

    #[test]
    fn whole_ms_are_integers_in_json() {
        let json = |number: f64| {
            let mut text = Vec::new();
            ms(&number, &mut serde_json::Serializer::new(&mut text)).unwrap();
            String::from_utf8(text).unwrap()
        };
        let texts = [-5.0, 1_700_000_000_000.0, 2_000.5, 4.6e18].map(json);
        assert_eq!(texts, ["-5", "1700000000000", "2000.5", "4.6e+18"]);
    }

    #[test]
    fn numbers_are_as_precise_as_people_need_them() {
        assert_eq!([short(99_999), short(123_456)], ["99,999", "123k"]);
        assert_eq!([short(1_234_567), short(5_000_000_000)], ["1.23M", "5.00G"]);
        assert_eq!([rate(0.0), rate(0.44), rate(12.3)], ["0", "0.4", "12"]);
        assert_eq!([bytes(812), bytes(67_108_864)], ["812 B", "64.0 MiB"]);
    }
}
