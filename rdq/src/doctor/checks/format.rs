//! Members of Redisson 3.21.0 and older.

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::queue::census::Census;
use crate::screen::number::{count_of, grouped};

pub(crate) const ABOUT: About = About {
    check: "format",
    severity: Severity::Critical,
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
    let advice = format!(
        "Replace movers with Redisson 3.21.0 or older first. Then `rdq migrate {}` turns the \
         members into new ones while the queue works.",
        exam.name
    );
    vec![
        ABOUT
            .finding(severity, old.count, what, advice)
            .example(old.example()),
    ]
}
