//! What could not be looked at.

use crate::doctor::advice::{self, Advice, say};
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;

pub(super) static SETTINGS: Kind = Kind {
    name: "settings",
    severity: Severity::Note,
    proof: "`CONFIG GET` is refused",
    why: "Many providers do not offer CONFIG, and an operator's user need not have it. So nobody knows \
          whether Redis keeps the queues, or may drop them.",
    issues: &[],
};

pub(super) static CONNECTIONS: Kind = Kind {
    name: "connections",
    severity: Severity::Note,
    proof: "`CLIENT LIST` is refused, or would list more than 5,000",
    why: "Without the list of connections, nothing tells whether somebody takes elements, and which \
          rights the users of services lack.",
    issues: &[],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let mut findings = Vec::new();
    if host.config.is_none() {
        let what = "The settings cannot be read: they were not checked.";
        let advice = grant(host, "+config|get");
        findings.push(SETTINGS.worst(1, what, advice));
    }
    if host.clients.is_none() {
        let what = "The connections were not listed: there are too many, or the user may not.";
        let advice = grant(host, "+client|list");
        findings.push(CONNECTIONS.worst(1, what, advice));
    }
    findings
}

/// Says how the user of this run gets a right.
fn grant(host: &Host, right: &str) -> Advice {
    match &host.user {
        Some(user) => {
            let right = host.command(&["ACL", "SETUSER", user, right]);
            advice::grant("Grant the right", right).say("Or look by hand.")
        }
        None => say(format!(
            "Give the user of rdq the right {right}, or look by hand."
        )),
    }
}
