//! Cron patterns on the wall clocks of time zones, which skip hours and repeat others.

use chrono::{DateTime, LocalResult, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use croner::Cron;

/// The first occurrence after `from`, which has no fraction of a second.
pub(super) fn next(cron: &Cron, from: DateTime<Tz>) -> Option<DateTime<Tz>> {
    if !is_fixed(cron) {
        return cron.find_next_occurrence(&from, false).ok();
    }
    // UTC skips and repeats nothing, so there each time of the pattern occurs once.
    let mut shown = from.naive_local().and_utc();
    loop {
        shown = cron.find_next_occurrence(&shown, false).ok()?;
        let found = first_showing(shown.naive_utc(), from.timezone());
        if found > from {
            return Some(found);
        }
    }
}

/// True if the pattern names times of the day. All others repeat at some pace.
pub(super) fn is_fixed(cron: &Cron) -> bool {
    let repeats = |field: &croner::CronComponent| field.from_wildcard || field.step > 1;
    let pattern = &cron.pattern;
    let is_hourly = pattern.hours.count_set_values(ALL_BIT) == 24;
    !(repeats(&pattern.seconds) || repeats(&pattern.minutes) || is_hourly)
}

/// Marks a value that the pattern has, in a private module of `croner`.
const ALL_BIT: u8 = 1;

/// The first moment at which the clocks of `zone` show `shown`, or a later time if they skip it.
fn first_showing(shown: NaiveDateTime, zone: Tz) -> DateTime<Tz> {
    match zone.from_local_datetime(&shown) {
        LocalResult::Single(moment) | LocalResult::Ambiguous(moment, _) => moment,
        LocalResult::None => {
            // No clock is more than a day away from UTC.
            let shows_later = |utc: DateTime<Utc>| utc.with_timezone(&zone).naive_local() > shown;
            let (mut before, mut after) = (
                shown.and_utc() - TimeDelta::days(2),
                shown.and_utc() + TimeDelta::days(2),
            );
            while after - before > TimeDelta::seconds(1) {
                let middle = before + TimeDelta::seconds((after - before).num_seconds() / 2);
                match shows_later(middle) {
                    true => after = middle,
                    false => before = middle,
                }
            }
            after.with_timezone(&zone)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::str::FromStr;

    use chrono::{Offset, Timelike};
    use chrono_tz::TZ_VARIANTS;

    use super::*;

    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    /// 2000-01-01 to 2038-01-01.
    const YEARS: std::ops::Range<i64> = 946_684_800..2_145_916_800;

    fn shown(zone: Tz, unix_s: i64) -> NaiveDateTime {
        let utc = DateTime::<Utc>::from_timestamp(unix_s, 0).unwrap();
        utc.with_timezone(&zone).naive_local()
    }

    fn offset(zone: Tz, unix_s: i64) -> i64 {
        let utc = DateTime::<Utc>::from_timestamp(unix_s, 0).unwrap();
        let offset = utc.with_timezone(&zone).offset().fix();
        i64::from(offset.local_minus_utc())
    }

    /// When the clocks of a zone change. Each kind of change once: by how much, and at what time.
    fn changes(zone: Tz) -> Vec<i64> {
        let mut kinds = BTreeSet::new();
        let mut changes = Vec::new();
        for week in YEARS.step_by(7 * DAY as usize) {
            let (mut before, mut after) = (week, week + 7 * DAY);
            let (old, new) = (offset(zone, before), offset(zone, after));
            if old == new {
                continue;
            }
            while after - before > 1 {
                let middle = (before + after) / 2;
                match offset(zone, middle) == old {
                    true => before = middle,
                    false => after = middle,
                }
            }
            let time = shown(zone, after).num_seconds_from_midnight();
            if kinds.insert((old, offset(zone, after), time)) {
                changes.push(after);
            }
        }
        changes
    }

    /// What a pattern means: at which minutes it occurs in `minutes`, by going through all of them.
    fn expected(
        minutes: &[(i64, NaiveDateTime)],
        is_fixed: bool,
        hours: &[u32],
        of_hour: &[u32],
    ) -> BTreeSet<i64> {
        let matches =
            |it: &NaiveDateTime| hours.contains(&it.hour()) && of_hour.contains(&it.minute());
        let mut found = BTreeSet::new();
        let mut past = BTreeSet::new();
        let mut last: Option<NaiveDateTime> = None;
        for (at, now) in minutes {
            if is_fixed {
                // The clock skipped these.
                let mut skipped = last.map_or(*now, |it| it + TimeDelta::minutes(1));
                while skipped < *now {
                    if matches(&skipped) && past.insert(skipped) {
                        found.insert(*at);
                    }
                    skipped += TimeDelta::minutes(1);
                }
            }
            if matches(now) && (!is_fixed || past.insert(*now)) {
                found.insert(*at);
            }
            last = Some(*now);
        }
        found
    }

    /// Each zone of the database, each kind of change of its clocks since 2000, and patterns of each
    /// kind, against a walk through all minutes.
    #[test]
    fn every_zone_keeps_the_rules_when_its_clocks_change() {
        let every_hour: Vec<u32> = (0..24).collect();
        let even: Vec<u32> = (0..24).step_by(2).collect();
        let patterns: [(&str, bool, &[u32], &[u32]); 10] = [
            ("15 2 * * *", true, &[2], &[15]),
            ("0 0 * * *", true, &[0], &[0]),
            ("45 0,1,2,3,23 * * *", true, &[0, 1, 2, 3, 23], &[45]),
            ("15 */2 * * *", true, &even, &[15]),
            ("10,50 1-3 * * *", true, &[1, 2, 3], &[10, 50]),
            ("0 * * * *", false, &every_hour, &[0]),
            ("15 0-23 * * *", false, &every_hour, &[15]),
            ("*/15 * * * *", false, &every_hour, &[0, 15, 30, 45]),
            ("*/30 0-3 * * *", false, &[0, 1, 2, 3], &[0, 30]),
            ("0,30 * * * *", false, &every_hour, &[0, 30]),
        ];
        let patterns = patterns.map(|(text, is_fixed, hours, of_hour)| {
            let cron = Cron::from_str(text).unwrap();
            assert_eq!(super::is_fixed(&cron), is_fixed, "{text}");
            (text, cron, is_fixed, hours, of_hour)
        });
        let mut count = 0;
        for zone in TZ_VARIANTS {
            for change in changes(zone) {
                count += 1;
                let width = (offset(zone, change) - offset(zone, change - 1)).abs();
                let (from, to) = (change - 5 * HOUR - width, change + 5 * HOUR + width);
                // Earlier minutes say what has occurred by then.
                let walk = (from - 2 * width)..=to;
                let minutes: Vec<_> = walk
                    .step_by(MINUTE as usize)
                    .map(|at| (at, shown(zone, at)))
                    .collect();
                for (text, cron, is_fixed, hours, of_hour) in &patterns {
                    let mut expected = expected(&minutes, *is_fixed, hours, of_hour);
                    expected.retain(|at| *at > from);
                    let mut found = BTreeSet::new();
                    let mut last = DateTime::<Utc>::from_timestamp(from, 0)
                        .unwrap()
                        .with_timezone(&zone);
                    while let Some(next) = next(cron, last).filter(|it| it.timestamp() <= to) {
                        assert!(next > last, "{text} in {zone}");
                        found.insert(next.timestamp());
                        last = next;
                    }
                    assert_eq!(found, expected, "{text} in {zone} at {change}");
                }
            }
        }
        assert!(count > 500, "{count} changes of clocks");
    }
}
