//! The memory of the server is nearly full.

use crate::doctor::finding::{About, Finding, Severity};
use crate::doctor::host::Host;

pub(crate) const ABOUT: About = About {
    check: "memory",
    severity: Severity::Critical,
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
    let advice = "Raise maxmemory, or take elements: `rdq queues` shows where they are.";
    vec![ABOUT.finding(severity, used, what, advice)]
}
