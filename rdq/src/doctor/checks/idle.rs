//! Redis closes idle connections, or never notices dead ones.

use crate::doctor::finding::{About, Finding, Severity};
use crate::doctor::host::Host;

pub(crate) const ABOUT: About = About {
    check: "idle",
    severity: Severity::Warning,
    why: "With `timeout`, Redis closes connections that sent nothing for so long. Redisson sends a \
          PING every 30 s since 3.13.6, older versions send none, and fail with the next call. \
          Without `tcp-keepalive`, connections of hosts that vanished stay, and Redis pops \
          elements into them.",
    issues: &["#6757", "#5670", "#5592"],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let mut findings = Vec::new();
    let number = |name| host.setting(name).and_then(|it| it.parse::<u64>().ok());
    if let Some(seconds @ 1..) = number("timeout") {
        let severity = match seconds {
            ..=60 => Severity::Warning,
            _ => Severity::Note,
        };
        let what = format!("Redis closes connections that are idle for {seconds} s.");
        let advice = "CONFIG SET timeout 0, the default.";
        findings.push(ABOUT.finding(severity, 1, what, advice));
    }
    if number("tcp-keepalive") == Some(0) {
        let what = "Redis never notices that a host has vanished.";
        let advice = "CONFIG SET tcp-keepalive 300, the default.";
        findings.push(ABOUT.finding(Severity::Warning, 1, what, advice));
    }
    findings
}
