//! Offering the elements of periodic offers that occur soon.

use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};
use redis::RedisResult;

use crate::link::clock::{Clock, LATEST_MS, time_of};
use crate::link::connection::Connection;
use crate::periodic::{LOOK_AHEAD, Occurrence, Schedule};
use crate::wire::ids::IdSource;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{self, Seen};

/// The result of a look at the periodic offers of a queue.
#[derive(Debug)]
pub(crate) struct Fired {
    pub(crate) offered: usize,
    /// How long until the next known occurrence, us.
    pub(crate) next_us: Option<i64>,
    /// The names of periodic offers that were brought forward, because the clock went back, and by how
    /// many ms.
    pub(crate) set_back: Vec<(Vec<u8>, i64)>,
    /// Periodic offers that this version cannot read, and left alone.
    pub(crate) unreadable: Vec<Seen>,
}

/// Offers everything that occurs within the look-ahead, and everything that was missed.
pub(crate) async fn fire(
    connection: &Connection,
    keys: &QueueKeys,
    clock: Clock,
    ids: &IdSource,
) -> RedisResult<Fired> {
    let mut fired = Fired {
        offered: 0,
        next_us: None,
        set_back: Vec::new(),
        unreadable: Vec::new(),
    };
    loop {
        // Unreadable ones stay in front. Skip them, so that the others do not wait forever.
        let stays = fired.unreadable.len();
        let page =
            script::upcoming(connection.clone(), keys, clock, LOOK_AHEAD, stays, PAGE).await?;
        let mut is_last = !page.is_more;
        let now_ms = page.now_us.div_euclid(1_000);
        let horizon_ms = now_ms + i64::try_from(LOOK_AHEAD.as_millis()).unwrap_or(i64::MAX);
        let mut next_us = page.later_us;
        let mut planned = Vec::new();
        for seen in page.soon {
            let (Some((schedule, listing)), Some(next_ms)) =
                (Schedule::from_json(&seen.schedule), score_ms(&seen.next))
            else {
                fired.unreadable.push(seen);
                continue;
            };
            let plan = schedule.plan(next_ms, now_ms, horizon_ms);
            let element = |occurrence: &Occurrence| {
                let id = match occurrence.expires_ms {
                    Some(ms) => ids.next_expiring(time_of(ms), listing),
                    None => ids.next(listing),
                };
                (id, occurrence.due_ms)
            };
            let elements: Vec<_> = plan.occurrences.iter().map(element).collect();
            planned.push((seen, plan.next_ms, elements));
        }
        let mut firing = Vec::new();
        for (seen, next_ms, elements) in &planned {
            let fire = script::fire(connection.clone(), keys, seen, *next_ms, elements);
            firing.push(fire);
        }
        let fires: Vec<bool> = stream::iter(firing)
            .buffered(IN_FLIGHT)
            .try_collect()
            .await?;
        for ((_, next_ms, elements), is_ours) in planned.into_iter().zip(fires) {
            if is_ours {
                fired.offered += elements.len();
                let until = next_ms.map(|next| next * 1_000 - page.now_us);
                next_us = next_us.into_iter().chain(until).min();
            } else {
                // Somebody else fired or changed it, so its next occurrence is not known here.
                is_last = false;
            }
        }
        if is_last {
            fired.next_us = next_us;
            return Ok(fired);
        }
    }
}

/// Brings periodic offers forward that would be silent, because the clock went back after they were
/// fired or stored. Returns their names, and by how many ms.
pub(crate) async fn set_back(
    connection: &Connection,
    keys: &QueueKeys,
    clock: Clock,
) -> RedisResult<Vec<(Vec<u8>, i64)>> {
    let mut set_back = Vec::new();
    let mut seen_before = 0;
    loop {
        let page =
            script::upcoming(connection.clone(), keys, clock, EVER, seen_before, PAGE).await?;
        let now_ms = page.now_us.div_euclid(1_000);
        seen_before += page.soon.len();
        let is_last = !page.is_more;
        for seen in page.soon {
            let known = Schedule::from_json(&seen.schedule).zip(score_ms(&seen.next));
            if let Some(((schedule, _), next_ms)) = known
                && let Some(earlier_ms) = schedule.set_back_ms(next_ms, now_ms)
                && script::fire(connection.clone(), keys, &seen, Some(earlier_ms), &[]).await?
            {
                set_back.push((seen.name, next_ms - earlier_ms));
            }
        }
        if is_last {
            return Ok(set_back);
        }
    }
}

/// A score in whole milliseconds, rounded up. None if it is no moment.
fn score_ms(score: &[u8]) -> Option<i64> {
    let score: f64 = std::str::from_utf8(score).ok()?.parse().ok()?;
    Some(score.ceil() as i64).filter(|_| score.abs() <= LATEST_MS as f64)
}

/// Further ahead than anything is due.
const EVER: Duration = Duration::from_millis(LATEST_MS);

/// How many periodic offers to read in one script.
const PAGE: usize = 100;

/// How many periodic offers to fire at the same time.
const IN_FLIGHT: usize = 32;
