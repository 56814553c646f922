//! Due times that Redisson cannot read or never reaches.

use redisson_delayed_queue::Result;

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::queue::census::{Census, LATEST_MS};
use crate::screen::number::count_of;

pub(crate) const ABOUT: About = About {
    check: "scores",
    severity: Severity::Critical,
    why: "Redisson looks for due members from 0 on: it never moves one with a negative score, and \
          sends scripts without pause while such a member is the head. It reads the score of the \
          head as a whole number: a fraction, or a score such as 4.6e+18, makes it fail every 5 s. \
          offer(x, Long.MAX_VALUE, MILLISECONDS) overflows to such scores.",
    issues: &["#1744"],
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
            "{} no whole number of ms from 0 to 2^53: {negative} negative, {huge} above, \
             {fractions} between two ms.",
            count_of(count, "due time is", "due times are")
        );
        let advice = format!(
            "`rdq repair {}` gives each the nearest due time that Redisson can read: a negative one is \
             due at once, and a Rust client delivers it at once even now.",
            exam.name
        );
        let finding = ABOUT.finding(Severity::Critical, count, what, advice);
        findings.push(finding.example(census.scores.example()));
    }

    let century = (exam.now_ms().await? + CENTURY_MS).to_string();
    let far: u64 = exam.ask(&["ZCOUNT", timeouts, &century, "+inf"]).await?;
    if far > huge {
        let far = far - huge;
        let what = format!(
            "{} due in more than 100 years.",
            count_of(far, "element is", "elements are")
        );
        let advice = format!(
            "Did somebody offer with nanoseconds for milliseconds? `rdq ls {}` shows them.",
            exam.name
        );
        findings.push(ABOUT.finding(Severity::Warning, far, what, advice));
    }
    Ok(findings)
}

const CENTURY_MS: u64 = 100 * 365 * 86_400_000;
