//! Offering what occurs soon.

use redis::RedisResult;

use crate::link::clock::Clock;
use crate::link::connection::Connection;
use crate::periodic::{LOOK_AHEAD, Schedule};
use crate::wire::ids::IdSource;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{self, Seen};

/// What a look at the periodic offers of a queue did.
#[derive(Debug)]
pub(crate) struct Fired {
    /// How many elements were offered.
    pub(crate) offered: usize,
    /// How long until the next occurrence that is known of.
    pub(crate) next_us: Option<i64>,
    /// What this version cannot read, and left alone.
    pub(crate) unreadable: Vec<Seen>,
}

/// Offers everything that occurs within the look-ahead, and what was missed.
pub(crate) async fn fire(
    connection: &Connection,
    keys: &QueueKeys,
    clock: Clock,
    ids: &IdSource,
) -> RedisResult<Fired> {
    let mut fired = Fired {
        offered: 0,
        next_us: None,
        unreadable: Vec::new(),
    };
    loop {
        // What is left alone stays at the front, and the rest must not wait behind it for ever.
        let stays = fired.unreadable.len();
        let page =
            script::upcoming(connection.clone(), keys, clock, LOOK_AHEAD, stays, PAGE).await?;
        let mut is_last = page.soon.len() < PAGE;
        let now_ms = page.now_us.div_euclid(1_000);
        let horizon_ms = now_ms + i64::try_from(LOOK_AHEAD.as_millis()).unwrap_or(i64::MAX);
        let mut next_us = page.later_us;
        for seen in page.soon {
            let (Some((schedule, ordering)), Some(next_ms)) =
                (Schedule::from_json(&seen.schedule), score_ms(&seen.next))
            else {
                fired.unreadable.push(seen);
                continue;
            };
            let plan = schedule.plan(next_ms, now_ms, horizon_ms);
            let element = |due: &i64| (ids.next(ordering), *due);
            let elements: Vec<_> = plan.dues_ms.iter().map(element).collect();
            if script::fire(connection.clone(), keys, &seen, plan.next_ms, &elements).await? {
                fired.offered += elements.len();
                let until = plan.next_ms.map(|next| next * 1_000 - page.now_us);
                next_us = next_us.into_iter().chain(until).min();
            } else {
                // Someone else fired or changed it: where it stands now is not known here.
                is_last = false;
            }
        }
        if is_last {
            fired.next_us = next_us;
            return Ok(fired);
        }
    }
}

/// A score in whole milliseconds, rounded up; nothing if it is no moment.
fn score_ms(score: &[u8]) -> Option<i64> {
    let score: f64 = std::str::from_utf8(score).ok()?.parse().ok()?;
    Some(score.ceil() as i64).filter(|_| score.abs() <= 9_007_199_254_740_992.0)
}

/// How many periodic offers to read at once.
const PAGE: usize = 100;
