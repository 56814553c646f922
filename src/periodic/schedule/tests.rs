use std::time::UNIX_EPOCH;

use super::*;

/// 2026-01-01, a Thursday.
const NEW_YEAR: i64 = 1_767_225_600_000;
const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn cron(pattern: &str) -> Schedule {
    Schedule::cron(pattern).unwrap()
}

fn every(ms: u64) -> Schedule {
    Schedule::every(Duration::from_millis(ms)).unwrap()
}

fn at(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap())
}

/// The first occurrences after `ms`, each counted from the one before.
fn occurrences(schedule: &Schedule, ms: i64, count: usize) -> Vec<i64> {
    std::iter::successors(schedule.after_ms(ms), |last| schedule.after_ms(*last))
        .take(count)
        .collect()
}

fn dues(plan: &Plan) -> Vec<i64> {
    plan.occurrences.iter().map(|it| it.due_ms).collect()
}

#[test]
fn a_pattern_is_read_in_utc_and_its_second_may_be_left_out() {
    let thursday = NEW_YEAR + 9 * HOUR + HOUR / 2;
    let expected = [thursday, thursday + DAY, thursday + 4 * DAY];
    for pattern in ["0 30 9 * * Mon-Fri", "30 9 * * 1-5", "  30  9 * * MON-FRI "] {
        assert_eq!(
            occurrences(&cron(pattern), NEW_YEAR, 3),
            expected,
            "{pattern}"
        );
    }
}

#[test]
fn the_next_occurrence_is_after_the_last_also_within_a_second() {
    let secondly = cron("* * * * * *");
    for (after, next) in [(0, 1_000), (1, 1_000), (999, 1_000), (1_000, 2_000)] {
        assert_eq!(
            secondly.after_ms(NEW_YEAR + after),
            Some(NEW_YEAR + next),
            "{after}"
        );
    }
}

/// Germany skips 02:00 to 03:00 on 2026-03-29 and repeats it on 2026-10-25.
#[test]
fn a_fixed_hour_occurs_once_a_day_also_when_clocks_change() {
    let nightly = cron("0 30 2 * * *").in_zone("Europe/Berlin").unwrap();
    let spring = NEW_YEAR + 86 * DAY;
    // 02:30 CET, the end of the gap, 02:30 CEST.
    let expected = [
        spring + HOUR + HOUR / 2,
        spring + DAY + HOUR,
        spring + 2 * DAY + HOUR / 2,
    ];
    assert_eq!(occurrences(&nightly, spring, 3), expected);
    let autumn = NEW_YEAR + 296 * DAY;
    // 02:30 CEST on two days, the second time in the first of two equal hours, then 02:30 CET.
    let expected = [
        autumn + HOUR / 2,
        autumn + DAY + HOUR / 2,
        autumn + 2 * DAY + HOUR + HOUR / 2,
    ];
    assert_eq!(occurrences(&nightly, autumn, 3), expected);
}

#[test]
fn a_pattern_within_the_hour_goes_on_when_clocks_change() {
    let often = cron("*/30 * * * *").in_zone("Europe/Berlin").unwrap();
    for day in [87, 297] {
        let start = NEW_YEAR + day * DAY - HOUR;
        let found = occurrences(&often, start, 12);
        let expected: Vec<i64> = (1..=12).map(|n| start + n * HOUR / 2).collect();
        assert_eq!(found, expected);
    }
}

/// Several fixed hours are as fixed as one.
#[test]
fn a_list_or_a_step_of_hours_occurs_once_a_day_also_when_clocks_change() {
    for pattern in [
        "15 2,14 * * *",
        "15 */2 * * *",
        "15 0-22/2 * * *",
        "15 1-3 * * *",
    ] {
        let schedule = cron(pattern).in_zone("Europe/Berlin").unwrap();
        let spring = NEW_YEAR + 87 * DAY - HOUR;
        let found = occurrences(&schedule, spring, 30);
        // 02:15 is skipped, so it is at 03:00 CEST.
        assert!(found.contains(&(spring + 2 * HOUR)), "{pattern}");
        let autumn = NEW_YEAR + 297 * DAY - 2 * HOUR;
        let found = occurrences(&schedule, autumn, 30);
        let first = autumn + 2 * HOUR + HOUR / 4;
        assert!(found.contains(&first), "{pattern}");
        assert!(!found.contains(&(first + HOUR)), "{pattern} twice");
    }
}

#[test]
fn a_fixed_rate_begins_one_interval_from_now_or_at_its_start() {
    let start = NEW_YEAR + 500;
    assert_eq!(every(300).first_ms(NEW_YEAR), Some(NEW_YEAR + 300));
    let started = every(300).starting_at(at(start));
    for (now, first) in [(0, 500), (499, 500), (500, 800), (799, 800), (800, 1_100)] {
        assert_eq!(
            started.first_ms(NEW_YEAR + now),
            Some(NEW_YEAR + first),
            "{now}"
        );
    }
    let started = cron("* * * * * *").starting_at(at(start));
    assert_eq!(started.first_ms(NEW_YEAR - DAY), Some(NEW_YEAR + 1_000));
    let started = started.starting_at(at(NEW_YEAR));
    assert_eq!(started.first_ms(NEW_YEAR - DAY), Some(NEW_YEAR));
}

#[test]
fn a_start_within_a_millisecond_is_rounded_up() {
    let started = every(100).starting_at(at(7) + Duration::from_nanos(1));
    assert_eq!(started.start_ms, Some(8));
    let started = every(100).starting_at(UNIX_EPOCH - Duration::from_nanos(1));
    assert_eq!(started.start_ms, Some(0));
}

#[test]
fn everything_up_to_the_horizon_is_offered_and_the_next_is_after_it() {
    let plan = every(1_000).plan(NEW_YEAR, NEW_YEAR - 1, NEW_YEAR + 2 * SECOND);
    let expected = [NEW_YEAR, NEW_YEAR + SECOND, NEW_YEAR + 2 * SECOND];
    assert_eq!(dues(&plan), expected);
    assert_eq!(plan.next_ms, Some(NEW_YEAR + 3 * SECOND));
    let plan = every(1_000).plan(NEW_YEAR, NEW_YEAR - DAY, NEW_YEAR - 1);
    assert_eq!((dues(&plan), plan.next_ms), (vec![], Some(NEW_YEAR)));
}

#[test]
fn what_is_hardly_late_is_offered_as_if_in_time() {
    let now = NEW_YEAR + SECOND;
    for missed in [Missed::FireOnce, Missed::Skip] {
        let plan = every(400).missed(missed).plan(NEW_YEAR, now, now);
        assert_eq!(dues(&plan), [0, 400, 800].map(|ms| NEW_YEAR + ms));
        assert_eq!(plan.next_ms, Some(NEW_YEAR + 1_200));
    }
}

#[test]
fn one_offer_or_none_stands_for_all_that_were_missed() {
    let now = NEW_YEAR + 3 * DAY + 1;
    for schedule in [every(HOUR as u64), cron("@hourly")] {
        let next = Some(NEW_YEAR + 3 * DAY + HOUR);
        let plan = schedule.plan(NEW_YEAR, now, now);
        assert_eq!((dues(&plan), plan.next_ms), (vec![now], next));
        let plan = schedule.missed(Missed::Skip).plan(NEW_YEAR, now, now);
        assert_eq!((dues(&plan), plan.next_ms), (vec![], next));
    }
}

/// The client that comes next finds what was offered ahead, and must not deliver all of it.
#[test]
fn what_was_offered_ahead_and_missed_expires() {
    let ends = |missed| {
        let plan = every(1_000).missed(missed);
        let plan = plan.plan(NEW_YEAR, NEW_YEAR, NEW_YEAR + 2 * SECOND);
        let ends = plan.occurrences.iter().map(|it| it.expires_ms.unwrap());
        ends.map(|ms| ms - NEW_YEAR).collect::<Vec<_>>()
    };
    // A second after its own time, or after that of the occurrence that replaces it.
    assert_eq!(ends(Missed::Skip), [1_000, 2_000, 3_000]);
    assert_eq!(ends(Missed::FireOnce), [2_000, 3_000, 4_000]);
    let once = cron("0 0 0 1 1 * 2026").plan(NEW_YEAR, NEW_YEAR - 1, NEW_YEAR);
    assert_eq!(
        once.occurrences[0].expires_ms, None,
        "nothing stands for the last"
    );
    let late = every(HOUR as u64).plan(NEW_YEAR, NEW_YEAR + DAY + 1, NEW_YEAR + DAY + 1);
    let [late] = late.occurrences[..] else {
        panic!("{late:?}")
    };
    assert_eq!(late.expires_ms, Some(NEW_YEAR + DAY + HOUR + SECOND));
}

/// As long as the clock goes forward, a look must not change when an occurrence comes.
#[test]
fn what_a_client_can_have_meant_is_not_set_back() {
    let schedules = [
        every(100),
        every(DAY as u64),
        every(HOUR as u64).starting_at(at(NEW_YEAR + 9 * DAY)),
        cron("* * * * * *"),
        cron("*/5 * * * *"),
        cron("15 2,14 * * *").in_zone("Europe/Berlin").unwrap(),
        cron("0 0 1 1 *").starting_at(at(NEW_YEAR + 700 * DAY)),
    ];
    for schedule in schedules {
        for now in (0..400).map(|i| NEW_YEAR + i * 7 * HOUR + 123 * i) {
            let first = schedule.first_ms(now).unwrap();
            assert_eq!(schedule.set_back_ms(first, now), None, "{schedule}");
            let next = schedule.plan(first, now, now + 5 * SECOND).next_ms.unwrap();
            assert_eq!(schedule.set_back_ms(next, now), None, "{schedule}");
        }
    }
}

#[test]
fn a_clock_that_goes_back_silences_nothing_that_repeats() {
    let now = NEW_YEAR + 10 * DAY + 12 * HOUR;
    // How far the clock went back after the occurrence was planned.
    for back in [HOUR, 2 * HOUR, 30 * DAY] {
        for (schedule, period) in [
            (every(60_000), 60_000),
            (every(700), 700),
            (cron("*/5 * * * *"), 300_000),
            (cron("0 * * * *"), HOUR),
        ] {
            let then = now + back;
            let next = schedule.plan(schedule.first_ms(then).unwrap(), then, then + 5_000);
            let next = next.next_ms.unwrap();
            let earlier = schedule.set_back_ms(next, now).unwrap_or(next);
            assert!(
                earlier > now && earlier <= now + period + 6_000,
                "{schedule}"
            );
            assert_eq!((next - earlier) % period, 0, "{schedule} keeps its beat");
        }
    }
    let nightly = cron("30 11 * * *");
    let next = nightly.first_ms(now).unwrap();
    for (back, expected) in [
        (HOUR, None),
        (2 * HOUR, None),
        (12 * HOUR, Some(next - DAY)),
    ] {
        let earlier = nightly.set_back_ms(next, now - back);
        assert_eq!(earlier, expected, "back by {back} ms");
    }
}

#[test]
fn a_schedule_can_come_to_its_end() {
    let once = cron("0 0 0 1 1 * 2026");
    assert_eq!(once.first_ms(NEW_YEAR - DAY), Some(NEW_YEAR));
    let plan = once.plan(NEW_YEAR, NEW_YEAR - 1, NEW_YEAR);
    assert_eq!((dues(&plan), plan.next_ms), (vec![NEW_YEAR], None));
    assert_eq!(once.first_ms(NEW_YEAR), None);
    assert_eq!(cron("0 0 30 2 *").first_ms(NEW_YEAR), None);
}

#[test]
fn what_cannot_be_scheduled_is_refused_with_its_reason() {
    for pattern in ["", "every day", "61 * * * * *", "* * *", "0 0 9-25 * * *"] {
        let refused = Schedule::cron(pattern).unwrap_err();
        assert!(
            matches!(refused, ScheduleError::Pattern { .. }),
            "{pattern}: {refused}"
        );
    }
    let zone = cron("@daily").in_zone("Europe/Atlantis").unwrap_err();
    assert_eq!(zone.to_string(), r#"unknown time zone "Europe/Atlantis""#);
    let short = Schedule::every(Duration::from_millis(99)).unwrap_err();
    assert_eq!(
        short.to_string(),
        "an interval of 99ms is shorter than 100ms"
    );
    assert!(matches!(
        Schedule::every(Duration::MAX),
        Err(ScheduleError::TooLong { .. })
    ));
}

/// Without the tables that the pattern is compiled to.
#[test]
fn debug_shows_a_schedule_as_it_is_stored() {
    let nightly = cron("0 30 2 * * *").in_zone("Europe/Berlin").unwrap();
    assert_eq!(
        format!("{nightly:?}"),
        r#"Schedule({"v":1,"cron":"0 30 2 * * *","zone":"Europe/Berlin","missed":"fire_once"})"#
    );
}

/// Other processes, and later versions, read these.
#[test]
fn the_stored_form_stays_as_it_is() {
    let schedules = [
        (
            cron("0 30 9 * * Mon-Fri").in_zone("Europe/Berlin").unwrap(),
            r#"{"v":1,"cron":"0 30 9 * * Mon-Fri","zone":"Europe/Berlin","missed":"fire_once"}"#,
        ),
        (
            every(1_500).starting_at(at(NEW_YEAR)).missed(Missed::Skip),
            r#"{"v":1,"every_ms":1500,"start_ms":1767225600000,"missed":"skip"}"#,
        ),
    ];
    for (schedule, json) in schedules {
        assert_eq!(schedule.to_json(Listing::Listed), json);
        let unlisted = json.replace('}', r#","unlisted":true}"#);
        assert_eq!(schedule.to_json(Listing::Unlisted), unlisted);
        for (json, listing) in [
            (json.to_owned(), Listing::Listed),
            (unlisted, Listing::Unlisted),
        ] {
            let read = Schedule::from_json(json.as_bytes());
            assert_eq!(read, Some((schedule.clone(), listing)));
        }
    }
}

#[test]
fn what_another_version_stored_is_not_read() {
    for json in [
        "",
        "{}",
        "nonsense",
        r#"{"v":2,"every_ms":1500,"missed":"skip"}"#,
        r#"{"v":1,"every_ms":1500,"missed":"skip","jitter_ms":5}"#,
        r#"{"v":1,"every_ms":1500,"missed":"fire_all"}"#,
        r#"{"v":1,"every_ms":15,"missed":"skip"}"#,
        r#"{"v":1,"every_ms":-1500,"missed":"skip"}"#,
        r#"{"v":1,"every_ms":1500,"cron":"@daily","zone":"UTC","missed":"skip"}"#,
        r#"{"v":1,"cron":"@daily","zone":"Europe/Atlantis","missed":"skip"}"#,
    ] {
        assert_eq!(Schedule::from_json(json.as_bytes()), None, "{json}");
    }
}

#[test]
fn a_schedule_is_displayed_in_words() {
    assert_eq!(cron("0  9 * * *").to_string(), "0 9 * * * (UTC)");
    assert_eq!(every(1_500).to_string(), "every 1500 ms");
}

/// Anybody may have stored such a schedule.
#[test]
fn a_pattern_at_the_end_of_time_has_no_occurrence_and_panics_nowhere() {
    for zone in ["Pacific/Kiritimati", "Pacific/Midway"] {
        let noon = cron("0 0 12 * * *").in_zone(zone).unwrap();
        for end in [DateTime::<Utc>::MAX_UTC, DateTime::<Utc>::MIN_UTC] {
            let end = end.timestamp_millis();
            for hours in -30..=30 {
                let _ = noon.after_ms(end.saturating_add(hours * HOUR));
            }
        }
        assert_eq!(
            noon.after_ms(DateTime::<Utc>::MAX_UTC.timestamp_millis()),
            None
        );
    }
}
