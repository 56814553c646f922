//! The server takes no writes.

use crate::doctor::finding::{About, Finding, Severity};
use crate::doctor::host::Host;

pub(crate) const ABOUT: About = About {
    check: "role",
    severity: Severity::Critical,
    why: "A replica, and a master that has too few replicas, refuse every write. So nothing can be \
          offered, moved or taken there. Redisson clients that still know the old master after a \
          failover retry against it.",
    issues: &["#2553", "#6946", "#6026"],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    if host.info("role") == "slave" {
        let master = format!("{}:{}", host.info("master_host"), host.info("master_port"));
        let advice = format!("Use the address of the master, {master}, or that of the Sentinels.");
        return vec![ABOUT.finding(Severity::Critical, 1, "This server is a replica.", advice)];
    }
    let needed: u64 = host
        .setting("min-replicas-to-write")
        .and_then(|it| it.parse().ok())
        .unwrap_or(0);
    let good = host.number("min_slaves_good_slaves");
    if needed > good {
        let what = format!("The master needs {needed} replicas to take a write, and has {good}.");
        let advice = "Bring the replicas back, or lower min-replicas-to-write.";
        return vec![ABOUT.finding(Severity::Critical, needed - good, what, advice)];
    }
    Vec::new()
}
