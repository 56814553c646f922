//! Offers that repeat.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use tokio::time::Instant;

use super::RawQueue;
use crate::delivery::transfer::Request;
use crate::error::{Result, Step};
use crate::listing::Listing;
use crate::payload::check_argument;
use crate::periodic::{Periodic, Schedule, ScheduleError, Scheduled, split};
use crate::wire::script::{self, Stood};

impl RawQueue {
    pub(crate) async fn schedule(
        &self,
        name: &str,
        payload: &[u8],
        schedule: &Schedule,
        listing: Listing,
    ) -> Result<Scheduled> {
        let json = schedule.to_json(listing);
        // JSON and payload share one field.
        let bytes = json.len() + 1 + payload.len();
        check_argument(bytes)?;
        let mut begins_ms = self.now_ms().await?;
        let stood = loop {
            let never = || ScheduleError::Never {
                schedule: schedule.to_string(),
            };
            let first_ms = schedule.first_ms(begins_ms).ok_or_else(never)?;
            let clock = self.session.options.clock;
            let stood = self
                .script_of_size(Step::Schedule, true, bytes, |connection| {
                    script::schedule(
                        connection, &self.keys, name, &json, payload, first_ms, clock,
                    )
                })
                .await?;
            match stood {
                // Otherwise an occurrence up to then would be offered twice.
                Stood::OfferedUpTo(last_ms) => begins_ms = last_ms,
                stood => break stood,
            }
        };
        let name = self.keys.target().to_owned();
        self.session.request(&self.keys, Request::Poll { name });
        Ok(match stood {
            Stood::Nothing => Scheduled::Added,
            Stood::Same => Scheduled::Unchanged,
            Stood::Other | Stood::OfferedUpTo(_) => Scheduled::Replaced,
        })
    }

    pub(crate) async fn unschedule(&self, name: &str) -> Result<bool> {
        self.script(Step::Unschedule, false, |connection| {
            script::unschedule(connection, &self.keys, name)
        })
        .await
    }

    /// All periodic offers that this version can read, with their payloads.
    pub(crate) async fn schedules(&self) -> Result<Vec<Periodic<Bytes>>> {
        let (mut entries, mut cursor) = (BTreeMap::new(), None);
        loop {
            let at = cursor.as_ref();
            let step = self
                .read_script(0, |it| script::schedules(it, &self.keys, at))
                .await?;
            // One that occurs between two steps comes again, with its next occurrence.
            let step_entries = step.found.into_iter();
            entries.extend(step_entries.map(|(name, next_ms, entry)| (name, (next_ms, entry))));
            cursor = step.next;
            if cursor.is_none() {
                break;
            }
        }
        let periodic = |(name, (next_ms, entry)): (Vec<u8>, (f64, Vec<u8>))| {
            let (json, payload) = split(Bytes::from(entry))?;
            let (schedule, listing) = Schedule::from_json(&json)?;
            // Saturates, because foreign scores may be anything; a negative one is long overdue.
            let next = UNIX_EPOCH.checked_add(Duration::from_millis(next_ms as u64))?;
            Some(Periodic {
                name: String::from_utf8(name).ok()?,
                schedule,
                listing,
                value: payload,
                next,
            })
        };
        let mut all: Vec<_> = entries.into_iter().filter_map(periodic).collect();
        all.sort_by_key(|it| it.next);
        Ok(all)
    }

    /// What the queue's clock shows, unix ms.
    async fn now_ms(&self) -> Result<i64> {
        if let Some(us) = self.session.options.clock.own_us() {
            return Ok(us.div_euclid(1_000));
        }
        // Asks Redis, because an old report drifts.
        let sent = Instant::now();
        let time = redis::cmd("TIME");
        let (seconds, us): (i64, i64) = self.command(Step::Read, true, &time).await?;
        let unix_us = seconds * 1_000_000 + us;
        self.session.learn(&self.keys, sent, unix_us, None);
        Ok(unix_us.div_euclid(1_000))
    }
}
