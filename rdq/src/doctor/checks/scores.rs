//! Due times that Redisson cannot read or never reaches.

use redisson_delayed_queue::Result;

use super::each_counted;
use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::census::{Census, IN_SECONDS, LATEST_MS};
use crate::screen::number::count_of;

pub(super) static SCORES: Kind = Kind {
    name: "scores",
    severity: Severity::Critical,
    proof: "due times that are negative, above 2^53, or between two ms",
    why: "Redisson looks for due members from 0 on: it never moves one with a negative score. While \
          such a member is the head, it sends scripts without pause, or waits with those behind it \
          if the score is that of an overflow. It reads the score of the head as a whole number: a \
          fraction, or a score such as 4.6e+18, makes it fail every 5 s. \
          offer(x, Long.MAX_VALUE, MILLISECONDS) overflows to such scores.",
    issues: &["#1744"],
};

pub(super) static SECONDS: Kind = Kind {
    name: "seconds",
    severity: Severity::Warning,
    proof: "due times from January to April 1970",
    why: "Somebody writes due times in seconds where ms belong. The elements are due at once: every \
          mover delivers them years too early.",
    issues: &[],
};

pub(super) static FAR: Kind = Kind {
    name: "far",
    severity: Severity::Warning,
    proof: "due times in more than 100 years",
    why: "Somebody gives nanoseconds or microseconds where ms belong. The elements never come.",
    issues: &[],
};

pub(super) async fn check(exam: &Exam<'_>, census: &Census) -> Result<Vec<Finding>> {
    let timeouts = exam.keys.timeouts();
    let latest = format!("({LATEST_MS}");
    let negative: u64 = exam.count_up_to(timeouts, "(0").await?;
    let huge: u64 = exam.ask(&["ZCOUNT", timeouts, &latest, "+inf"]).await?;
    let fractions = census.fractions;
    let count = negative + huge + fractions;
    let mut findings = Vec::new();
    if count > 0 {
        let what = format!(
            "{} no whole number of ms from 0 to 2^53: {}.",
            count_of(count, "due time is", "due times are"),
            each_counted(&[
                (negative, "negative"),
                (huge, "above"),
                (fractions, "between two ms")
            ])
        );
        let repair = exam.command(&["repair"], &["--only", "scores", "--apply"]);
        let advice = say(
            "Give each the nearest due time that Redisson can read. A negative one is then due at once, as \
             it is for Rust clients even now:",
        )
        .run(repair);
        let finding = SCORES.worst(count, what, advice);
        findings.push(finding.example(census.scores.example()));
    }

    let seconds = in_seconds(exam).await?;
    if seconds > 0 {
        let what = format!(
            "{} due since 1970.",
            count_of(seconds, "element is", "elements are")
        );
        let list = exam.command(&["ls"], &["--before", "1970-04-26T00:00:00Z"]);
        let repair = exam.command(&["repair"], &["--only", "seconds", "--apply"]);
        let advice = say("Find out who offers seconds for ms. Look at the elements:")
            .run(list)
            .say(
                "Let nobody move meanwhile: rdq pause stops Rust clients; end the Java services that move. \
                 Multiply the due times by 1,000:",
            )
            .run(repair);
        let finding = SECONDS.worst(seconds, what, advice);
        findings.push(finding.example(census.seconds.example()));
    }
    let century = (exam.now_ms().await? + CENTURY_MS).to_string();
    let far: u64 = exam.ask(&["ZCOUNT", timeouts, &century, "+inf"]).await?;
    if far > huge {
        let far = far - huge;
        let what = format!(
            "{} due in more than 100 years.",
            count_of(far, "element is", "elements are")
        );
        let list = exam.command(&["ls"], &["--after", "+36500d"]);
        let advice = say("Look at them:").run(list).say(
            "Find out who offered them, and give them the due times that were meant, with rdq reschedule.",
        );
        findings.push(FAR.worst(far, what, advice));
    }
    Ok(findings)
}

/// How many elements have due times in seconds.
pub(super) async fn in_seconds(exam: &Exam<'_>) -> Result<u64> {
    let (first, last) = (IN_SECONDS.start().to_string(), IN_SECONDS.end().to_string());
    exam.ask(&["ZCOUNT", exam.keys.timeouts(), &first, &last])
        .await
}

const CENTURY_MS: u64 = 100 * 365 * 86_400_000;
