//! The form in which Redis stores schedules, for other processes and later versions.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Missed, Pattern, Schedule};
use crate::listing::Listing;

impl Schedule {
    /// The version of the stored form.
    const VERSION: u8 = 1;

    /// One line of JSON. It is the same for equal schedules with the same listing.
    pub(crate) fn to_json(&self, listing: Listing) -> String {
        let mut stored = Stored {
            v: Self::VERSION,
            cron: None,
            zone: None,
            every_ms: None,
            start_ms: self.start_ms,
            missed: self.missed,
            unlisted: listing == Listing::Unlisted,
        };
        match &self.pattern {
            Pattern::Cron { text, zone, .. } => {
                stored.cron = Some(text.clone());
                stored.zone = Some(zone.name().to_owned());
            }
            Pattern::Every { interval_ms } => stored.every_ms = Some(*interval_ms),
        }
        // Text and numbers under fixed names can always be written as JSON.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// Reads what [`to_json`](Self::to_json) wrote; `None` if another version or another program
    /// wrote it.
    pub(crate) fn from_json(json: &[u8]) -> Option<(Self, Listing)> {
        let stored: Stored = serde_json::from_slice(json).ok()?;
        if stored.v != Self::VERSION {
            return None;
        }
        let schedule = match (stored.cron, stored.zone, stored.every_ms) {
            (Some(pattern), Some(zone), None) => Self::cron(&pattern).ok()?.in_zone(&zone).ok()?,
            (None, None, Some(ms)) => {
                Self::every(Duration::from_millis(u64::try_from(ms).ok()?)).ok()?
            }
            _ => return None,
        };
        let schedule = Self {
            start_ms: stored.start_ms,
            missed: stored.missed,
            ..schedule
        };
        let listing = match stored.unlisted {
            false => Listing::Listed,
            true => Listing::Unlisted,
        };
        Some((schedule, listing))
    }
}

/// A schedule in its stored form, without the payload.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    v: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cron: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    every_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start_ms: Option<i64>,
    missed: Missed,
    /// A version that does not know this field refuses the schedule. It would otherwise offer
    /// listed elements.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unlisted: bool,
}
