//! Elements that stand in the ordering list twice.

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::queue::census::Census;
use crate::screen::number::count_of;

pub(crate) const ABOUT: About = About {
    check: "repeats",
    severity: Severity::Warning,
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
    let advice = format!("`rdq repair {}` removes the second entries.", exam.name);
    vec![
        ABOUT
            .finding(Severity::Warning, repeats.count, what, advice)
            .example(repeats.example()),
    ]
}
