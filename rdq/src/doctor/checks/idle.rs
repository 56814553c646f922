//! Redis closes idle connections, or never notices dead ones.

use crate::doctor::advice::set;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;

pub(super) static IDLE: Kind = Kind {
    name: "idle",
    severity: Severity::Warning,
    proof: "`CONFIG GET timeout`: up to 60 s (a warning), or more (a note)",
    why: "Redis closes connections that sent nothing for so long. Redisson sends a PING every 30 s \
          since 3.13.6, older versions send none, and fail with the next call.",
    issues: &["#6757", "#5670"],
};

pub(super) static KEEPALIVE: Kind = Kind {
    name: "keepalive",
    severity: Severity::Warning,
    proof: "`CONFIG GET tcp-keepalive`: 0",
    why: "Connections of hosts that vanished stay, and Redis pops elements into them.",
    issues: &["#5592"],
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
        let advice = set(
            "Set the default",
            host.command(&["CONFIG", "SET", "timeout", "0"]),
        );
        findings.push(IDLE.finding(severity, 1, what, advice));
    }
    if number("tcp-keepalive") == Some(0) {
        let what = "Redis never notices that a host has vanished.";
        let command = host.command(&["CONFIG", "SET", "tcp-keepalive", "300"]);
        let advice = set("Set the default", command);
        findings.push(KEEPALIVE.worst(1, what, advice));
    }
    findings
}
