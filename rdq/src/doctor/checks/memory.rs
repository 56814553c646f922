//! The memory of the server is nearly full.

use crate::doctor::advice::set;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;
use crate::screen::shell::rdq_line;

pub(super) static MEMORY: Kind = Kind {
    name: "memory",
    severity: Severity::Critical,
    proof: "`INFO memory`: 90 % of `maxmemory` in use (a warning), or all",
    why: "Without memory, Redis refuses offers. Redisson's transfer then fails as well, and tries \
          again every 5 s; Rust clients free memory first, so they can still move.",
    issues: &[],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let (used, most) = (host.number("used_memory"), host.number("maxmemory"));
    if most == 0 || used < most / 10 * 9 {
        return Vec::new();
    }
    let severity = match used >= most {
        true => Severity::Critical,
        false => Severity::Warning,
    };
    let what = format!(
        "{} % of maxmemory is in use.",
        used.saturating_mul(100) / most
    );
    let more = (used.max(most) * 2).next_multiple_of(STEP).to_string();
    let raise = host.command(&["CONFIG", "SET", "maxmemory", &more]);
    let advice = set("If the host has the memory, raise the limit", raise)
        .say("Or take elements. This shows where they are:")
        .run(rdq_line(&["queues"]));
    vec![MEMORY.finding(severity, used, what, advice)]
}

/// 64 MiB.
const STEP: u64 = 64 << 20;
