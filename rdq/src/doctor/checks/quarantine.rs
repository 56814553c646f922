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
    why: "A Rust client, or rdq, set members aside that it could not read, so that the others go on. \
          Whoever wrote them lost elements.",
    issues: &["#5595", "#3989"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let count: u64 = exam.ask(&["ZCARD", exam.keys.quarantine()]).await?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let members = exam
        .small(&["ZRANGE", exam.keys.quarantine(), "0", "-1"])
        .await?;
    let is_readable = |it: &&Vec<u8>| Packed::parse((*it).clone().into()).is_ok();
    let readable = members.iter().filter(is_readable).count() as u64;
    let can = match (members.is_empty(), readable) {
        // They are too large to be read here.
        (true, _) => String::new(),
        (_, 0) => ", and none can be read".to_owned(),
        (_, some) => format!(", and {some} can be read"),
    };
    let what = format!(
        "{} in the quarantine{can}.",
        count_of(count, "member is", "members are")
    );
    let list = exam.command(&["quarantine", "ls"], &[]);
    let drop = exam.command(&["quarantine", "drop"], &["--all"]);
    let advice = say("Look at them:")
        .run(list)
        .then(&release(exam, &members, readable))
        .say("Print and delete all:")
        .run(drop);
    Ok(vec![QUARANTINE.finding(
        Severity::Warning,
        count,
        what,
        advice,
    )])
}

/// How these members, of which so many can be read, can leave the quarantine.
fn release(exam: &Exam<'_>, members: &[Vec<u8>], readable: u64) -> Advice {
    if readable > 0 {
        let all = exam.command(&["quarantine", "release"], &["--all"]);
        return say("Make those pending again that can be read:").run(all);
    }
    let is_count = |it: &Vec<u8>| it.starts_with(COUNT);
    if !members.is_empty() && members.iter().all(is_count) {
        return Advice::default();
    }
    let all = ["--all", "--as-payload"];
    let all = exam.command(&["quarantine", "release"], &all);
    say("Deliver the bytes of each as its payload, which is right for a program that did not pack them:")
        .run(all)
}

/// How the member begins whose score counts those that did not fit.
const COUNT: &[u8] = b"rdq1: ";
