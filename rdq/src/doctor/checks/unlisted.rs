//! Elements that the ordering list lacks.

use super::UNCERTAIN;
use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::census::Census;
use crate::screen::number::count_of;

pub(super) static UNLISTED: Kind = Kind {
    name: "unlisted",
    severity: Severity::Warning,
    proof: "members of the timeout set that the ordering list lacks, and no mark in their ids",
    why: "If the whole list is gone, somebody deleted it, it has expired, or Redis evicted it. If only some \
          entries are missing: Redisson's retainAll() removes elements from the ordering list and forgets the \
          timeout set. Such elements are moved, but size(), contains(), \
          remove() and readAll() do not see them. (Elements that Rust offers as unlisted are fine; \
          a mark in their ids tells them.)",
    issues: &[],
};

pub(super) fn check(exam: &Exam<'_>, census: &Census) -> Vec<Finding> {
    let unlisted = &census.unlisted;
    const LIST: [&str; 3] = ["--only", "unlisted", "--apply"];
    let list = exam.command(&["repair"], &LIST);
    let drop = exam.command(&["repair"], &[&LIST[..], &["--unlisted", "drop"]].concat());
    let is_gone = census.listed == 0;
    let advice = say("Put them into the ordering list:")
        .run(list)
        .say("Or remove them, if a retainAll() was to do that:")
        .run(drop);
    if !unlisted.is_empty() {
        let pending = count_of(unlisted.count, "pending element is", "pending elements are");
        let what = match is_gone {
            true => format!("{pending} in no ordering list: there is none any more."),
            false => format!("{pending} not in the ordering list."),
        };
        let finding = UNLISTED.finding(Severity::Warning, unlisted.count, what, advice);
        return vec![finding.example(unlisted.example())];
    }
    // After a quick look only the sizes tell. Elements that are marked are many or none.
    let missing = census.pending.saturating_sub(census.listed);
    if census.is_complete || missing < UNCERTAIN || census.unlisted_by_id > 0 {
        return Vec::new();
    }
    let what = format!(
        "At least {} not in the ordering list.",
        count_of(missing, "pending element is", "pending elements are")
    );
    vec![UNLISTED.finding(Severity::Warning, missing, what, advice)]
}
