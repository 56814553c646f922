//! A key of a queue will vanish.

use std::time::Duration;

use redisson_delayed_queue::Result;

use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::screen::brief;

pub(super) static EXPIRY: Kind = Kind {
    name: "expiry",
    severity: Severity::Warning,
    proof: "`PTTL` of a key of the queue, or of its default dead letters",
    why: "Somebody called expire() on the queue, or EXPIRE on a key. Redis then deletes the key with \
          all elements in it. In Redisson, expire() of a delayed queue leaves the ready elements \
          alone, and expire() of the blocking queue the pending ones.",
    issues: &["#1960", "#5653"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let dead = exam.keys.default_dead_letters();
    let keys = [
        exam.keys.target(),
        exam.keys.timeouts(),
        exam.keys.ordering(),
        &dead,
    ];
    let (mut said, mut kept) = (Vec::new(), Vec::new());
    for key in keys {
        let left_ms: i64 = exam.ask(&["PTTL", key]).await?;
        if left_ms >= 0 {
            let left = brief(Duration::from_millis(left_ms.unsigned_abs()));
            said.push(format!("The key {key} vanishes in {left}."));
            kept.push(exam.redis(&["PERSIST", key]));
        }
    }
    if kept.is_empty() {
        return Ok(Vec::new());
    }
    let count = kept.len() as u64;
    let advice = say("If that is not meant:").run_all(kept);
    Ok(vec![EXPIRY.worst(count, said.join(" "), advice)])
}
