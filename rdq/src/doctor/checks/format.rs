//! Members of Redisson 3.21.0 and older.

use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::census::Census;
use crate::screen::number::{count_of, grouped};

pub(super) static FORMAT: Kind = Kind {
    name: "format",
    severity: Severity::Critical,
    proof: "members in the old layout; critical beside new ones",
    why: "Redisson changed the layout of members in 3.21.1, and reads only one of the two. Newer \
          versions fail at nearly every old member, older ones at every new one, as at a malformed \
          member: the good ones before it come again every 5 s. Rust clients read both.",
    issues: &["#5040", "#5245", "#5595"],
};

pub(super) fn check(exam: &Exam<'_>, census: &Census) -> Vec<Finding> {
    let old = &census.old_format;
    if old.is_empty() {
        return Vec::new();
    }
    let count = count_of(old.count, "member is", "members are");
    let (severity, beside) = match census.new_format {
        0 => (Severity::Warning, "there are no others".to_owned()),
        new => (
            Severity::Critical,
            format!("{} beside them are new", grouped(new)),
        ),
    };
    let what = format!("{count} in the layout of Redisson 3.21.0 and older; {beside}.");
    let migrate = exam.command(&["migrate"], &[]);
    let advice = say(
        "Replace movers with Redisson 3.21.0 or older first. Then turn the members into new ones while \
         the queue works:",
    )
    .run(migrate);
    vec![
        FORMAT
            .finding(severity, old.count, what, advice)
            .example(old.example()),
    ]
}
