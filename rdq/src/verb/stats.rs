//! `rdq stats`

use std::mem::replace;

use clap::Args;

use crate::failure::Result;
use crate::queue::stats::{AHEAD, Stats as Counted};
use crate::screen::{brief, relative};
use crate::session::Session;

/// Count what is in a queue, and when it becomes due.
///
/// Redis: a script of up to about 100 commands, O(log N) each, and one that looks for claimed
/// elements without leases.
#[derive(Args, Debug)]
pub(crate) struct Stats {
    /// The queue's name in Redis.
    queue: String,
}

impl Stats {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let stats = Counted::read(&session.client, &self.queue).await?;
        if session.screen.is_json() {
            return session.screen.say("", &stats);
        }
        let next = stats.next_due_ms.map(|due| relative(due, stats.at_ms));
        let unleased = stats.unleased.unwrap_or(0);
        let rows = [
            ("pending", stats.pending.to_string()),
            ("  overdue", stats.overdue.to_string()),
            ("  with due times in seconds", stats.in_seconds.to_string()),
            ("  next due", next.unwrap_or_else(|| "-".to_owned())),
            ("  in the ordering list", stats.listed.to_string()),
            ("ready", stats.ready.to_string()),
            ("claimed by take()", stats.claimed.to_string()),
            ("in flight at consumers", stats.in_flight.to_string()),
            ("waiting for another attempt", stats.retrying.to_string()),
            ("waiting for their turn", stats.grouped.to_string()),
            ("claimed without a lease", unleased.to_string()),
            ("dead", stats.dead.to_string()),
            ("leases that ran out", stats.expired.to_string()),
            ("quarantined", stats.quarantined.to_string()),
            ("paused", if stats.paused { "yes" } else { "no" }.to_owned()),
            ("listeners", stats.subscribers.to_string()),
        ];
        let mut from = "now".to_owned();
        let ahead = AHEAD.map(|end| {
            let from = replace(&mut from, brief(end));
            format!("  due from {from} to {}", brief(end))
        });
        let ahead = ahead.into_iter().chain(["  due later".to_owned()]);
        let ahead = ahead.zip(stats.due_ahead.iter().map(u64::to_string));
        let rows = rows.map(|(name, value)| (name.to_owned(), value));
        let rows: Vec<_> = rows.into_iter().chain(ahead).collect();
        let cells = |(name, value): &(String, String)| vec![name.clone(), value.clone()];
        session.screen.rows(&[&self.queue, ">"], &rows, cells)
    }
}
