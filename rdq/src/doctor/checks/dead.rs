//! Elements that nobody could handle.

use redisson_delayed_queue::Result;

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::screen::number::grouped;

pub(crate) const ABOUT: About = About {
    check: "dead",
    severity: Severity::Warning,
    why: "Handlers failed at these elements as often as the delivery limit allows, or rejected \
          them. Redisson loses an element whose listener throws.",
    issues: &["#5786"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let dead = exam.keys.default_dead_letters();
    let count: u64 = exam.ask(&["LLEN", &dead]).await?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let what = match count {
        1 => "There is 1 dead letter.".to_owned(),
        _ => format!("There are {} dead letters.", grouped(count)),
    };
    let advice = format!(
        "`rdq dlq ls {0}` has the reasons. When they are mended: `rdq dlq requeue {0}`.",
        exam.name
    );
    Ok(vec![ABOUT.finding(Severity::Warning, count, what, advice)])
}
