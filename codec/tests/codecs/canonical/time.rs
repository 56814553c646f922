//! Values of `java.time` as their `toString` shows them.

use redisson_codec::java::{LocalDate, LocalDateTime, LocalTime, Temporal};

pub(crate) fn text(time: &Temporal) -> String {
    match time {
        Temporal::Duration(seconds, nanos) => duration(*seconds, *nanos),
        Temporal::Instant(it) => {
            let days = it.seconds.div_euclid(86_400);
            let second = it.seconds.rem_euclid(86_400);
            let part = |unit: i64, of: i64| (second / unit % of) as u8;
            let clock = LocalTime {
                hour: part(3600, 24),
                minute: part(60, 60),
                second: part(1, 60),
                nano: it.nanos,
            };
            // Unlike a LocalTime, an Instant always shows its seconds.
            let shown = match (clock.second, clock.nano) {
                (0, 0) => local_time(&clock) + ":00",
                _ => local_time(&clock),
            };
            format!("{}T{shown}Z", local_date(&day(days)))
        }
        Temporal::LocalDate(it) => local_date(it),
        Temporal::LocalDateTime(it) => local_date_time(it),
        Temporal::LocalTime(it) => local_time(it),
        Temporal::OffsetDateTime(it) => local_date_time(&it.local) + &offset(it.offset),
        Temporal::Period(it) => format!("P{}Y{}M{}D", it.years, it.months, it.days),
        Temporal::Year(it) => it.to_string(),
        Temporal::YearMonth(it) => format!("{:04}-{:02}", it.year, it.month),
        Temporal::ZoneOffset(it) => offset(*it),
        Temporal::ZoneRegion(it) => it.clone(),
        Temporal::ZonedDateTime(it) => format!("{}[{}]", local_date_time(&it.local), it.zone),
        other => panic!("no canonical form of {other:?}"),
    }
}

/// The day so many days after 1970-01-01.
fn day(days: i64) -> LocalDate {
    let length = |year: i64| match year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) {
        true => 366,
        false => 365,
    };
    let (mut year, mut left) = (1970, days);
    while left < 0 {
        year -= 1;
        left += length(year);
    }
    while left >= length(year) {
        left -= length(year);
        year += 1;
    }
    let february = length(year) - 337;
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while left >= months[month] {
        left -= months[month];
        month += 1;
    }
    LocalDate {
        year: year as i32,
        month: month as u8 + 1,
        day: left as u8 + 1,
    }
}

fn local_date(date: &LocalDate) -> String {
    let sign = if date.year < 0 { "-" } else { "" };
    let year = date.year.unsigned_abs();
    format!("{sign}{year:04}-{:02}-{:02}", date.month, date.day)
}

fn local_time(time: &LocalTime) -> String {
    let mut shown = format!("{:02}:{:02}", time.hour, time.minute);
    if time.second != 0 || time.nano != 0 {
        shown += &format!(":{:02}", time.second);
    }
    match time.nano {
        0 => shown,
        nano if nano % 1_000_000 == 0 => format!("{shown}.{:03}", nano / 1_000_000),
        nano if nano % 1000 == 0 => format!("{shown}.{:06}", nano / 1000),
        nano => format!("{shown}.{nano:09}"),
    }
}

fn local_date_time(it: &LocalDateTime) -> String {
    format!("{}T{}", local_date(&it.date), local_time(&it.time))
}

fn offset(seconds: i32) -> String {
    if seconds == 0 {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let all = seconds.abs();
    let shown = format!("{sign}{:02}:{:02}", all / 3600, all / 60 % 60);
    match all % 60 {
        0 => shown,
        odd => format!("{shown}:{odd:02}"),
    }
}

fn duration(seconds: i64, nanos: i32) -> String {
    if seconds == 0 && nanos == 0 {
        return "PT0S".to_owned();
    }
    let all = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let sign = if all < 0 { "-" } else { "" };
    let (whole, rest) = (all.abs() / 1_000_000_000, all.abs() % 1_000_000_000);
    let mut shown = "PT".to_owned();
    if whole / 3600 != 0 {
        shown += &format!("{sign}{}H", whole / 3600);
    }
    if whole / 60 % 60 != 0 {
        shown += &format!("{sign}{}M", whole / 60 % 60);
    }
    if whole % 60 != 0 || rest != 0 {
        let digits = format!("{rest:09}");
        let digits = digits.trim_end_matches('0');
        let point = if digits.is_empty() { "" } else { "." };
        shown += &format!("{sign}{}{point}{digits}S", whole % 60);
    }
    shown
}

/// The forms that no captured value tells apart.
#[test]
fn forms_are_those_of_java() {
    assert_eq!(duration(-1, 5), "PT-0.999999995S");
    assert_eq!(duration(3661, 0), "PT1H1M1S");
    assert_eq!(offset(-5400), "-01:30");
    assert_eq!(local_date(&day(-1)), "1969-12-31");
    assert_eq!(local_date(&day(19_782)), "2024-02-29");
}
