//! Remembers what keeps the program from reading.

use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::screen::brief;

/// Knows whether reading works, and if not, since when and why.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    since: Option<Instant>,
    text: String,
    is_lost: bool,
}

impl Trouble {
    /// Notes that a reading failed.
    pub(crate) fn begin(&mut self, failure: &Failure, now: Instant) {
        self.since.get_or_insert(now);
        self.text = failure.to_string();
        self.is_lost = !failure.is_refusal();
    }

    /// Notes that a reading succeeded.
    pub(crate) fn end(&mut self) {
        self.since = None;
    }

    /// Returns `connection lost, since 5s: …`, or `None` if reading works.
    pub(crate) fn text(&self, now: Instant) -> Option<String> {
        let since = now.saturating_duration_since(self.since?);
        let since = brief(Duration::from_secs(since.as_secs()));
        let text = &self.text;
        Some(match self.is_lost {
            true => format!("connection lost, since {since}: {text}"),
            false => format!("nothing to show, since {since}: {text}"),
        })
    }
}
