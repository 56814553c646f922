//! Elements that stand in the ordering list twice.

use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::census::Census;
use crate::screen::number::count_of;

pub(super) static REPEATS: Kind = Kind {
    name: "repeats",
    severity: Severity::Warning,
    proof: "a member that stands in the ordering list twice",
    why: "Redisson before 3.16.4 sent an offer again when its reply was late: the set took the \
          member once and the list twice. The second entry becomes a ghost when the element is \
          moved.",
    issues: &["#3850"],
};

pub(super) fn check(exam: &Exam<'_>, census: &Census) -> Vec<Finding> {
    let repeats = &census.repeats;
    if repeats.is_empty() {
        return Vec::new();
    }
    let what = format!(
        "{} of the ordering list {} an element that stands there already.",
        count_of(repeats.count, "entry", "entries"),
        if repeats.count == 1 { "names" } else { "name" }
    );
    let repair = exam.command(&["repair"], &["--only", "repeats", "--apply"]);
    let advice = say("Remove the second entries:").run(repair);
    vec![
        REPEATS
            .finding(Severity::Warning, repeats.count, what, advice)
            .example(repeats.example()),
    ]
}
