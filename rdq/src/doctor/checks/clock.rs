//! The clock of the server and the clock of this host differ.

use std::time::Duration;

use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;
use crate::screen::brief;

pub(super) static CLOCK: Kind = Kind {
    name: "clock",
    severity: Severity::Critical,
    proof: "`TIME` is 250 ms (a warning) or 5 s off this host's clock",
    why: "Redisson takes the due time from the clock of the process that offers, and compares it \
          with the clock of each process that moves: the fastest clock wins. So elements are early \
          or late by as much as clocks differ. Rust clients use the clock of Redis for both.",
    issues: &["#2530", "#2997", "#2851", "#3586"],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let (ahead_ms, error_ms) = host.clock_ahead_ms;
    let surely_ms = (ahead_ms.abs() - error_ms).max(0);
    let severity = match surely_ms {
        0..WARNING_MS => return Vec::new(),
        WARNING_MS..CRITICAL_MS => Severity::Warning,
        _ => Severity::Critical,
    };
    let by = brief(Duration::from_millis(ahead_ms.unsigned_abs()));
    let side = if ahead_ms > 0 { "ahead of" } else { "behind" };
    let what = format!("The clock of Redis is {by} {side} the clock of this host.");
    let advice = "Run NTP on this host, on Redis and on the hosts of all Java services. Compare \
                  their clocks: this check only knows the clock of the host where rdq runs.";
    vec![CLOCK.finding(severity, ahead_ms.unsigned_abs(), what, advice)]
}

const WARNING_MS: i64 = 250;
const CRITICAL_MS: i64 = 5_000;
