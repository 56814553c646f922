//! The keys of a queue lie in several slots of a cluster.

use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};

pub(super) static SLOTS: Kind = Kind {
    name: "slots",
    severity: Severity::Critical,
    proof: "the name: its keys lie in several slots; a note without a cluster",
    why: "Redisson adds braces to a name only if it has no `{`. Names such as `a{b`, `a}b` and \
          `{}q` then put the keys of one queue into several slots, and a cluster refuses every \
          script with CROSSSLOT.",
    issues: &[],
};

pub(super) fn check(exam: &Exam<'_>) -> Option<Finding> {
    let error = exam.keys.check_cluster().err()?;
    let severity = match exam.is_cluster() {
        true => Severity::Critical,
        false => Severity::Note,
    };
    let what = match exam.is_cluster() {
        true => "This cluster refuses every script of the queue.",
        false => "The name works here, and would not work in a cluster.",
    };
    let advice = "Choose a name without braces, or with one pair around a part of it.";
    let finding = SLOTS.finding(severity, 1, what, advice);
    Some(
        finding
            .example(Some(error.to_string()))
            .of_queue(&exam.name),
    )
}
