//! A key of a queue holds another type.

use redisson_delayed_queue::Result;

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::queue::types::{self, WrongType};

pub(crate) const ABOUT: About = About {
    check: "types",
    severity: Severity::Critical,
    why: "Something else uses the name of the key. Redisson's transfer fails with WRONGTYPE and \
          tries again every 5 s, for ever. The elements stay where they are meanwhile.",
    issues: &["#3062", "#3520"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let wrong = types::wrong(exam.master()?, &exam.keys).await?;
    let finding = |WrongType { key, held, wanted }| {
        let what = format!("The key {key} holds a {held}, and should hold a {wanted}.");
        let advice =
            format!("Find out who writes it. To let the queue go on: RENAME {key} {key}:foreign.");
        ABOUT.finding(Severity::Critical, 1, what, advice)
    };
    Ok(wrong.into_iter().map(finding).collect())
}
