//! Elements that nobody could handle.

use redisson_delayed_queue::Result;

use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::screen::number::grouped;

pub(super) static DEAD: Kind = Kind {
    name: "dead",
    severity: Severity::Warning,
    proof: "the list of dead letters is not empty",
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
    let list = exam.command(&["dlq", "ls"], &[]);
    let requeue = exam.command(&["dlq", "requeue"], &["--all"]);
    let advice = say("Read the reasons:")
        .run(list)
        .say("When they are mended, put the elements back:")
        .run(requeue);
    Ok(vec![DEAD.finding(Severity::Warning, count, what, advice)])
}
