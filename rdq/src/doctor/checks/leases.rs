//! Elements that killed processes held, and that nobody gives back.

use redisson_delayed_queue::Result;

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::screen::number::count_of;

pub(crate) const ABOUT: About = About {
    check: "leases",
    severity: Severity::Warning,
    why: "A Rust client leases the elements that it takes. When its process is killed the leases run \
          out, and any Rust client that moves gives the elements back to the queue; those of a \
          Consumer need another Consumer. Java knows nothing of them. (With Redisson such elements \
          are lost at once.)",
    issues: &["#3157", "#5592"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let keys = &exam.keys;
    let past = (exam.now_ms().await? - GRACE_MS).to_string();
    let mut findings = Vec::new();
    let claimed = exam.count_up_to(keys.leases(), &past).await?;
    if claimed > 0 {
        let what = format!(
            "{} claimed by take() of a process that has gone, and no Rust client gives back.",
            count_of(claimed, "element was", "elements were")
        );
        let advice = format!(
            "`rdq leases release {0}`, or let a Rust client move: `rdq transfer {0}`.",
            exam.name
        );
        findings.push(ABOUT.finding(Severity::Warning, claimed, what, advice));
    }
    let held = exam.count_up_to(keys.delivery_leases(), &past).await?;
    let retried = exam.count_up_to(keys.retries(), &past).await?;
    if held + retried > 0 {
        let what = format!(
            "{} for a Consumer: {held} of processes that have gone, {retried} due for another attempt.",
            count_of(held + retried, "element waits", "elements wait")
        );
        let advice = format!(
            "Start the service with the Consumer again, or `rdq leases release {}`, which lets \
             Java have them.",
            exam.name
        );
        findings.push(ABOUT.finding(Severity::Warning, held + retried, what, advice));
    }
    Ok(findings)
}

/// A client that runs takes an expired lease back sooner than this.
const GRACE_MS: u64 = 10_000;
