//! Members were set aside.

use redisson_delayed_queue::Result;

use crate::doctor::advice::run;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::screen::number::count_of;

pub(super) static QUARANTINE: Kind = Kind {
    name: "quarantine",
    severity: Severity::Warning,
    proof: "the quarantine is not empty",
    why: "A Rust client, or rdq, found members that neither Java nor Rust can read, and set them \
          aside so that the others go on. Whoever wrote them lost elements.",
    issues: &["#5595", "#3989"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let count: u64 = exam.ask(&["ZCARD", exam.keys.quarantine()]).await?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let what = format!(
        "{} in the quarantine.",
        count_of(count, "member is", "members are")
    );
    let list = exam.command(&["quarantine", "ls"], &[]);
    let drop = exam.command(&["quarantine", "drop"], &["--all"]);
    let advice = run(list)
        .say(" shows them. One that you can explain can be released by its name there. ")
        .run(drop)
        .say(" prints and deletes all.");
    Ok(vec![QUARANTINE.finding(
        Severity::Warning,
        count,
        what,
        advice,
    )])
}
