//! A key of a queue holds another type.

use futures::future::try_join_all;
use redisson_delayed_queue::Result;

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};

pub(crate) const ABOUT: About = About {
    check: "types",
    severity: Severity::Critical,
    why: "Something else uses the name of the key. Redisson's transfer fails with WRONGTYPE and \
          tries again every 5 s, for ever. The elements stay where they are meanwhile.",
    issues: &["#3062", "#3520"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let keys = &exam.keys;
    let wanted = [
        (keys.target(), "list"),
        (keys.timeouts(), "zset"),
        (keys.ordering(), "list"),
        (keys.leases(), "zset"),
        (keys.quarantine(), "zset"),
        (keys.settled(), "zset"),
        (keys.keyed(), "hash"),
        (keys.keyed_due(), "zset"),
        (keys.periodic(), "hash"),
        (keys.periodic_due(), "zset"),
        (keys.state(), "hash"),
        (keys.counts(), "hash"),
        (keys.deliveries(), "hash"),
        (keys.delivery_leases(), "zset"),
        (keys.retries(), "zset"),
        (keys.groups(), "hash"),
        (keys.grouped(), "zset"),
        (keys.fence(), "string"),
    ];
    let held = wanted.map(|(key, _)| async move { exam.ask::<String>(&["TYPE", key]).await });
    let held = try_join_all(held).await?;
    let mut findings = Vec::new();
    for ((key, wanted), held) in wanted.into_iter().zip(held) {
        if held != wanted && held != "none" {
            let what = format!("The key {key} holds a {held}, and should hold a {wanted}.");
            let advice = format!(
                "Find out who writes it. To let the queue go on: RENAME {key} {key}:foreign."
            );
            findings.push(ABOUT.finding(Severity::Critical, 1, what, advice));
        }
    }
    Ok(findings)
}
