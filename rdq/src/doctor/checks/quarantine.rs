//! Members were set aside.

use redisson_delayed_queue::Result;
use redisson_delayed_queue::packed::Packed;

use crate::doctor::advice::{Advice, say};
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::screen::number::count_of;

pub(super) static QUARANTINE: Kind = Kind {
    name: "quarantine",
    severity: Severity::Warning,
    proof: "the quarantine is not empty",
    why: "A Rust client, or rdq, found members that neither Java nor Rust can read, and set them \
          aside so that the others go on. Whoever wrote them lost elements.",
    issues: &["#5595", "#3989"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let count: u64 = exam.ask(&["ZCARD", exam.keys.quarantine()]).await?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let what = format!(
        "{} in the quarantine.",
        count_of(count, "member is", "members are")
    );
    let list = exam.command(&["quarantine", "ls"], &[]);
    let drop = exam.command(&["quarantine", "drop"], &["--all"]);
    let advice = say("Look at them:")
        .run(list)
        .then(&release(exam).await?)
        .say("Print and delete all:")
        .run(drop);
    Ok(vec![QUARANTINE.finding(
        Severity::Warning,
        count,
        what,
        advice,
    )])
}

/// How they can leave the quarantine.
async fn release(exam: &Exam<'_>) -> Result<Advice> {
    let key = exam.keys.quarantine();
    let members = exam.small(&["ZRANGE", key, "0", "-1"]).await?;
    if members
        .iter()
        .any(|it| Packed::parse(it.clone().into()).is_ok())
    {
        let all = exam.command(&["quarantine", "release"], &["--all"]);
        return Ok(say("Make those pending again that can be read:").run(all));
    }
    let is_count = |it: &Vec<u8>| it.starts_with(COUNT);
    if !members.is_empty() && members.iter().all(is_count) {
        return Ok(Advice::default());
    }
    let all = ["--all", "--as-payload"];
    let all = exam.command(&["quarantine", "release"], &all);
    Ok(say(
        "Deliver the bytes of each as its payload, which is right for a program that did not pack them:",
    )
    .run(all))
}

/// How the member begins whose score counts those that did not fit.
const COUNT: &[u8] = b"rdq1: ";
