//! Elements that processes held, and that nobody gives back.

use redisson_delayed_queue::Result;

use super::each_counted;
use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::unleased::{self, Count};
use crate::screen::number::count_of;

pub(super) static LEASES: Kind = Kind {
    name: "leases",
    severity: Severity::Warning,
    proof: "leases of take() that ran out more than 10 s ago",
    why: "A Rust client leases the elements that it takes. When its process is killed the leases run \
          out, and any Rust client that moves gives the elements back to the queue. Java knows \
          nothing of them. (With Redisson such elements are lost at once.)",
    issues: &["#3157", "#5592"],
};

pub(super) static DELIVERIES: Kind = Kind {
    name: "deliveries",
    severity: Severity::Warning,
    proof: "leases of consumers that ran out more than 10 s ago, or attempts that are due for as long",
    why: "When the process of a Rust Consumer is killed, its leases run out, and another Consumer \
          takes its elements over. Java knows nothing of them. (With Redisson such elements are \
          lost at once.)",
    issues: &["#3157", "#5592"],
};

pub(super) static UNLEASED: Kind = Kind {
    name: "unleased",
    severity: Severity::Critical,
    proof: "payloads in rdq1_deliveries that none of the sets of leases and retries names; of more than \
            10,000, how many more there are than these sets have members (a warning)",
    why: "A payload that a Rust client has claimed stands in one key, and its lease in another. Somebody \
          deleted the leases, or Redis evicted them. No client looks for a payload without a lease.",
    issues: &[],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let keys = &exam.keys;
    let past = (exam.steady_now_ms().await? - GRACE_MS).to_string();
    let mut findings = Vec::new();
    let claimed = exam.count_up_to(keys.leases(), &past).await?;
    if claimed > 0 {
        let what = format!(
            "{} claimed by take() of a process that has gone, and no Rust client gives back.",
            count_of(claimed, "element was", "elements were")
        );
        let release = exam.command(&["leases", "release"], &["--expired"]);
        let transfer = exam.command(&["transfer"], &[]);
        let advice = say("Give them back:")
            .run(release)
            .say("Or let a Rust client move, which gives them back:")
            .run(transfer);
        findings.push(LEASES.worst(claimed, what, advice));
    }
    let held = exam.count_up_to(keys.delivery_leases(), &past).await?;
    let retried = exam.count_up_to(keys.retries(), &past).await?;
    if held + retried > 0 {
        let what = format!(
            "{} for a Consumer: {}.",
            count_of(held + retried, "element waits", "elements wait"),
            each_counted(&[
                (held, "of processes that have gone"),
                (retried, "due for another attempt")
            ])
        );
        let release = exam.command(&["leases", "release"], &["--expired", "--to-target"]);
        let advice =
            say("Start the service with the Consumer again, or let Java have them:").run(release);
        findings.push(DELIVERIES.worst(held + retried, what, advice));
    }
    let unleased = unleased::count_soon(exam.master()?, keys).await?;
    if let Some(count) = unleased.text("element was", "elements were") {
        let what = format!("{count} claimed by Rust clients, and the leases are gone.");
        let release = exam.command(&["leases", "release"], &["--unleased"]);
        let advice = say(
            "Put them back to the head of the list. If a process still works with one of them, it comes \
             twice:",
        )
        .run(release);
        findings.push(match unleased {
            Count::Exact(count) => UNLEASED.worst(count, what, advice),
            Count::About(count) => UNLEASED.finding(Severity::Warning, count, what, advice),
        });
    }
    Ok(findings)
}

/// A client that runs takes an expired lease back sooner than this.
const GRACE_MS: u64 = 10_000;
