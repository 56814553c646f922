use proptest::prelude::*;

use super::*;
use crate::jackson::tape::{Node, Token};
use crate::java::{Instant, OffsetDateTime, Period, Temporal, YearMonth, ZonedDateTime};

fn text(time: &Temporal) -> String {
    match iso::write(time) {
        Ok(Token::String(text)) => text.into_owned(),
        other => panic!("{other:?}"),
    }
}

fn read(class: &str, text: &str) -> Option<Temporal> {
    read::temporal(class, Node::leaf(&Token::String(text.into())))
}

/// `toString` of OpenJDK 17 gave these results.
#[test]
fn durations_match_java() {
    for (seconds, nanos, expected) in [
        (0, 0, "PT0S"),
        (90, 5, "PT1M30.000000005S"),
        (3600, 0, "PT1H"),
        (3661, 500_000_000, "PT1H1M1.5S"),
        (-1, 999_000_000, "PT-0.001S"),
        (-2, 999_000_000, "PT-1.001S"),
        (-61, 0, "PT-1M-1S"),
        (-60, 500_000_000, "PT-59.5S"),
        (i64::MAX, 999_999_999, "PT2562047788015215H30M7.999999999S"),
        (i64::MIN, 0, "PT-2562047788015215H-30M-8S"),
    ] {
        let duration = Temporal::Duration(seconds, nanos);
        assert_eq!(text(&duration), expected);
        assert_eq!(read("java.time.Duration", expected), Some(duration));
    }
}

/// `parse` and the ISO formatters of OpenJDK 17 gave these results.
#[test]
fn texts_that_java_reads_are_read() {
    for (class, given, shown) in [
        ("Duration", "P1DT2H", "PT26H"),
        ("Duration", "-PT1M-1.5S", "PT-58.5S"),
        ("Duration", "PT-.5S", ""),
        ("Period", "P2W3D", "P17D"),
        ("Period", "-P1Y-2M", "P-1Y2M"),
        ("Period", "P0D", "P0D"),
        ("LocalTime", "13:14", "13:14:00"),
        (
            "LocalDateTime",
            "2024-02-29T13:14:15.5",
            "2024-02-29T13:14:15.5",
        ),
        ("LocalDate", "+12024-02-29", "+12024-02-29"),
        ("LocalDate", "12024-02-29", ""),
        ("LocalDate", "2024-2-9", ""),
        (
            "Instant",
            "2024-02-29T13:14:15+02:00",
            "2024-02-29T11:14:15Z",
        ),
        ("Instant", "2024-02-29T13:14:15", ""),
        (
            "OffsetDateTime",
            "2024-02-29T13:14:15-05:30",
            "2024-02-29T13:14:15-05:30",
        ),
        ("ZoneOffset", "+0530", "+05:30"),
        ("ZoneOffset", "+19:00", ""),
        ("YearMonth", "2024-02", "2024-02"),
    ] {
        let read = read(&format!("java.time.{class}"), given);
        let read = read.map(|it| text(&it)).unwrap_or_default();
        assert_eq!(read, shown, "{given}");
    }
}

#[test]
fn zones_are_kept_where_the_text_has_them() {
    for (text, zone) in [
        ("2024-02-29T13:14:15+01:00[Europe/Paris]", "Europe/Paris"),
        ("2024-02-29T13:14:15+01:00", "+01:00"),
        ("2024-02-29T13:14:15Z", "Z"),
    ] {
        match read("java.time.ZonedDateTime", text) {
            Some(Temporal::ZonedDateTime(it)) => assert_eq!(it.zone, zone),
            other => panic!("{other:?}"),
        }
    }
}

/// Only a time zone database knows the offset of a region on a day.
#[test]
fn a_region_has_no_offset() {
    let local = local(1_700_000_000, 0).unwrap();
    let zone = "Europe/Paris".to_owned();
    let zoned = Temporal::ZonedDateTime(ZonedDateTime { local, zone });
    assert_eq!(
        iso::write(&zoned).unwrap_err().to_string(),
        "expected a zone with a fixed offset, found Europe/Paris"
    );
    number::write(&zoned).unwrap_err();
    let zone = "UTC+01:00".to_owned();
    let zoned = Temporal::ZonedDateTime(ZonedDateTime { local, zone });
    assert_eq!(text(&zoned), "2023-11-14T22:13:20+01:00");
}

/// Jackson writes a `Date` like an `Instant`, except that it keeps zeros behind the point.
#[test]
fn dates_are_texts_of_milliseconds() {
    for (millis, text) in [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_700_000_000_123, "2023-11-14T22:13:20.123Z"),
        // Java leaves ten days out.
        (-12_219_292_800_000, "1582-10-15T00:00:00.000Z"),
        (-12_219_292_800_001, "1582-10-04T23:59:59.999Z"),
        (-62_135_769_600_000, "0001-01-01T00:00:00.000Z"),
        (-62_135_769_600_001, "+0000-12-31T23:59:59.999Z"),
    ] {
        assert_eq!(iso::date(millis), text);
        assert_eq!(
            read::millis(Node::leaf(&Token::String(text.into()))),
            Some(millis)
        );
    }
    let date = read::millis(Node::leaf(&Token::String("1970-01-02".into())));
    assert_eq!(date, Some(86_400_000));
    assert_eq!(iso::date(i64::MIN), "-292269054-12-02T16:47:04.192Z");
}

fn any_local() -> impl Strategy<Value = LocalDateTime> {
    let seconds = -31_557_014_167_219_200_i64..=31_556_889_864_403_199;
    (seconds, 0..1_000_000_000).prop_map(|(seconds, nano)| local(seconds, nano).unwrap())
}

fn any_time() -> impl Strategy<Value = Temporal> {
    prop_oneof![
        (any::<i64>(), 0..1_000_000_000).prop_map(|(s, n)| Temporal::Duration(s, n)),
        any_local().prop_map(|it| {
            let (seconds, nanos) = (epoch_second(&it), it.time.nano);
            Temporal::Instant(Instant { seconds, nanos })
        }),
        any_local().prop_map(|it| Temporal::LocalDate(it.date)),
        any_local().prop_map(|it| Temporal::LocalTime(it.time)),
        any_local().prop_map(Temporal::LocalDateTime),
        (any_local(), -64_800..=64_800).prop_map(|(local, offset)| {
            Temporal::OffsetDateTime(OffsetDateTime { local, offset })
        }),
        any::<(i32, i32, i32)>().prop_map(|(years, months, days)| {
            Temporal::Period(Period {
                years,
                months,
                days,
            })
        }),
        (-999_999_999..=999_999_999, 1..=12u8)
            .prop_map(|(year, month)| Temporal::YearMonth(YearMonth { year, month })),
        (-64_800..=64_800).prop_map(Temporal::ZoneOffset),
        any::<i32>().prop_map(Temporal::Year),
    ]
}

proptest! {
    #[test]
    fn texts_come_back(time in any_time()) {
        let token = iso::write(&time).unwrap();
        prop_assert_eq!(read::temporal(&time.class_name(), Node::leaf(&token)), Some(time));
    }

    /// Everything survives except the offset, which Jackson does not write.
    #[test]
    fn numbers_come_back(time in any_time()) {
        let tape = number::write(&time).unwrap();
        let found = read::temporal(&time.class_name(), tape.root());
        match (found, time) {
            (Some(Temporal::OffsetDateTime(a)), Temporal::OffsetDateTime(b)) => {
                let second = epoch_second(&b.local) - i64::from(b.offset);
                prop_assert_eq!(epoch_second(&a.local), second);
            }
            (found, time) => prop_assert_eq!(found, Some(time)),
        }
    }

    #[test]
    fn days_come_back(day in -365_243_219_162_i64..=365_241_780_471) {
        prop_assert_eq!(epoch_day(&date(day).unwrap()), day);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+PTZDHMS0-9:.\\[é]{0,30}") {
        for class in ["Duration", "Period", "Instant", "LocalDate", "ZonedDateTime", "ZoneId"] {
            let _ = read(&format!("java.time.{class}"), &text);
        }
        let _ = read::millis(Node::leaf(&Token::String(text.into())));
    }
}
