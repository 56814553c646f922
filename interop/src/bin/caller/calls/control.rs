//! Calls that pause a queue, limit its rate, and schedule periodic offers.

use redisson_delayed_queue::{RateLimit, Schedule, Scheduled};

use super::{Queue, unfit};
use crate::{Result, arguments::*};

pub(crate) const NAMES: &[&str] = &[
    "expired",
    "is_paused",
    "pause",
    "rate_limit",
    "resume",
    "schedule",
    "schedules",
    "set_rate_limit",
    "unschedule",
];

pub(crate) async fn run(queue: &Queue, name: &str, arguments: &[&str]) -> Result<String> {
    let reply = match (name, arguments) {
        ("expired", []) => queue.expired().await?.to_string(),
        ("is_paused", []) => queue.is_paused().await?.to_string(),
        ("pause", []) => {
            queue.pause().await?;
            String::new()
        }
        ("rate_limit", []) => {
            let limit = queue.rate_limit().await?;
            maybe(limit.map(|limit| limit.interval().as_micros()))
        }
        ("resume", []) => {
            queue.resume().await?;
            String::new()
        }
        ("schedule", [periodic, every, value]) => {
            let schedule = Schedule::every(millis(every)?)?;
            let value = (*value).to_owned();
            outcome(queue.schedule(periodic, &value, &schedule).await?).to_owned()
        }
        ("schedules", []) => listed(queue.schedules().await?.into_iter().map(|it| it.name)),
        ("set_rate_limit", ["none"]) => {
            queue.set_rate_limit(None).await?;
            String::new()
        }
        ("set_rate_limit", [elements, per, burst]) => {
            let limit = RateLimit::new(elements.parse()?, millis(per)?);
            let limit = limit.with_burst(burst.parse()?);
            queue.set_rate_limit(Some(limit)).await?;
            String::new()
        }
        ("unschedule", [periodic]) => queue.unschedule(periodic).await?.to_string(),
        _ => return unfit(name),
    };
    Ok(reply)
}

fn outcome(scheduled: Scheduled) -> &'static str {
    match scheduled {
        Scheduled::Added => "added",
        Scheduled::Replaced => "replaced",
        Scheduled::Unchanged => "unchanged",
        _ => "unknown",
    }
}
