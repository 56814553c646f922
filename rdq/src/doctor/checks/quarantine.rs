//! Members were set aside.

use redisson_delayed_queue::Result;

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::screen::number::count_of;

pub(crate) const ABOUT: About = About {
    check: "quarantine",
    severity: Severity::Warning,
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
    let advice = format!(
        "`rdq quarantine ls {0}` shows them, `release` brings one back, and \
         `rdq quarantine drop {0} --all` deletes them.",
        exam.name
    );
    Ok(vec![ABOUT.finding(Severity::Warning, count, what, advice)])
}
