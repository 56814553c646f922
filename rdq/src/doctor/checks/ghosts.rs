//! Entries of the ordering list without a due time.

use super::UNCERTAIN;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::queue::census::Census;
use crate::screen::number::count_of;

pub(crate) const ABOUT: About = About {
    check: "ghosts",
    severity: Severity::Warning,
    why: "Before 3.16.4, Redisson sent an offer again when its reply was late: the set took the \
          member once and the list twice. After the transfer one entry stays. size(), readAll() \
          and contains() count it, and poll() hands the element out again. If the timeout set was \
          evicted, has expired or was deleted, the entries are all that is left of the elements.",
    issues: &["#3850"],
};

pub(super) fn check(exam: &Exam<'_>, census: &Census) -> Vec<Finding> {
    // After a quick look, the sizes may prove more than what was read.
    let surplus = (census.listed + census.unlisted_by_id).saturating_sub(census.pending);
    let count = match census.is_complete {
        true => census.ghosts.count,
        false => census.ghosts.count.max(surplus),
    };
    if count == 0 || census.ghosts.is_empty() && surplus < UNCERTAIN {
        return Vec::new();
    }
    let what = format!(
        "{} of the ordering list {} no due time.",
        count_of(count, "entry", "entries"),
        if count == 1 { "has" } else { "have" }
    );
    // Nothing else is pending: perhaps the set is lost, not these elements delivered.
    let is_set_lost = census.pending == 0 && count > 1;
    let severity = match is_set_lost {
        true => Severity::Critical,
        false => Severity::Warning,
    };
    let name = &exam.name;
    let advice = match is_set_lost {
        true => format!(
            "No other element is pending. If these were delivered, `rdq repair {name} --ghosts drop` \
             removes them. If not, the timeout set was lost, and `rdq repair {name} --ghosts \
             deliver` makes them due now."
        ),
        false => format!("`rdq repair {name}` removes them, and keeps a copy in a file."),
    };
    vec![
        ABOUT
            .finding(severity, count, what, advice)
            .example(census.ghosts.example()),
    ]
}
