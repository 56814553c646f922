//! What could not be looked at.

use crate::doctor::finding::{About, Finding, Severity};
use crate::doctor::host::Host;

pub(crate) const ABOUT: About = About {
    check: "unread",
    severity: Severity::Note,
    why: "Many providers do not offer CONFIG, and an operator's user need not have it.",
    issues: &[],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let mut findings = Vec::new();
    let advice = "Give the user of rdq `+config|get +client|list +info`, or look by hand.";
    if host.config.is_none() {
        let what = "The settings cannot be read: they were not checked.";
        findings.push(ABOUT.finding(Severity::Note, 1, what, advice));
    }
    if host.clients.is_none() {
        let what = "The connections were not listed: there are too many, or the user may not.";
        findings.push(ABOUT.finding(Severity::Note, 1, what, advice));
    }
    findings
}
