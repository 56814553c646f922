//! Members that nobody can read.

use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::census::Census;
use crate::screen::number::count_of;

pub(super) static MALFORMED: Kind = Kind {
    name: "malformed",
    severity: Severity::Critical,
    proof: "members in neither layout",
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
    let repair = exam.command(&["repair"], &["--only", "malformed", "--apply"]);
    let advice = say("Put them into the quarantine:").run(repair);
    let finding = MALFORMED.finding(Severity::Critical, malformed.count, what, advice);
    vec![finding.example(malformed.example())]
}
