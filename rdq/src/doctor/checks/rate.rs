//! A rate limit holds elements back.

use std::time::Duration;

use redisson_delayed_queue::Result;

use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::screen::brief;
use crate::screen::number::count_of;

pub(super) static RATE: Kind = Kind {
    name: "rate",
    severity: Severity::Warning,
    proof: "a rate limit at which the ready elements need more than a minute",
    why: "Somebody set a limit for all Rust clients of the queue, and it outlives whoever set it. Java \
          does not know it.",
    issues: &[],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let interval_us: Option<u64> = exam
        .ask(&["HGET", exam.keys.state(), "interval_us"])
        .await?;
    let ready: u64 = exam.ask(&["LLEN", exam.keys.target()]).await?;
    let interval = Duration::from_micros(interval_us.unwrap_or(0));
    let needed = interval.saturating_mul(u32::try_from(ready).unwrap_or(u32::MAX));
    if needed <= LONG {
        return Ok(Vec::new());
    }
    let what = format!(
        "One element each {} may be taken, so that {} {}.",
        brief(interval),
        count_of(ready, "ready element needs", "ready elements need"),
        brief(needed)
    );
    let off = exam.command(&["rate"], &["--off"]);
    let advice = say("If nobody needs the limit any more, end it:").run(off);
    Ok(vec![RATE.worst(ready, what, advice)])
}

/// Longer than a limit holds back what it was made for.
const LONG: Duration = Duration::from_secs(60);
