//! Members that nobody can read.

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::queue::census::Census;
use crate::screen::number::count_of;

pub(crate) const ABOUT: About = About {
    check: "malformed",
    severity: Severity::Critical,
    why: "Something else than a queue client wrote these members. Redisson's transfer fails at the \
          first that is due, after it has pushed the good ones before it and before it has removed \
          them: it delivers those again every 5 s, and none behind it. Rust clients put such \
          members into the quarantine.",
    issues: &["#5595", "#3989"],
};

pub(super) fn check(exam: &Exam<'_>, census: &Census) -> Vec<Finding> {
    let malformed = &census.malformed;
    if malformed.is_empty() {
        return Vec::new();
    }
    let what = format!(
        "{} be read.",
        count_of(malformed.count, "member cannot", "members cannot")
    );
    let advice = format!("`rdq repair {}` puts them into the quarantine.", exam.name);
    let finding = ABOUT.finding(Severity::Critical, malformed.count, what, advice);
    vec![finding.example(malformed.example())]
}
