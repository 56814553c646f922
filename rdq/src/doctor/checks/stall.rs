//! Elements are overdue, and nobody moves them.

use std::time::Duration;

use redisson_delayed_queue::Result;
use tokio::time::sleep;

use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::screen::brief;
use crate::screen::number::count_of;

pub(crate) const ABOUT: About = About {
    check: "stall",
    severity: Severity::Critical,
    why: "Redisson moves due elements only in a process that has called getDelayedQueue and not \
          destroyed it; getBlockingQueue alone moves nothing. It looks when a message or a timer \
          wakes it, and has no other poll: a lost subscription or a lost timer stops the queue \
          without an error.",
    issues: &[
        "#2432", "#3835", "#3720", "#5575", "#6946", "#6371", "#6020", "#5172",
    ],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let timeouts = exam.keys.timeouts();
    let pending: u64 = exam.ask(&["ZCARD", timeouts]).await?;
    if pending == 0 {
        return Ok(Vec::new());
    }
    let now_ms = exam.now_ms().await?;
    let before = |ms: u64| (now_ms - ms).to_string();
    let listeners = exam.listeners(exam.keys.channel()).await?;
    let silent = silent(exam);
    let of = |late_ms: u64| count(exam, before(late_ms));
    let start = format!(
        "Start a service that creates the delayed queue, or run `rdq transfer {}`.",
        exam.name
    );
    if exam
        .ask::<u64>(&["HEXISTS", exam.keys.state(), "paused"])
        .await?
        == 1
    {
        let what = format!(
            "The queue is paused, with {}.",
            count_of(pending, "pending element", "pending elements")
        );
        let advice = format!("`rdq resume {}` when consumers are ready.", exam.name);
        return Ok(vec![ABOUT.finding(Severity::Note, pending, what, advice)]);
    }
    if listeners == 0 {
        let overdue = of(BRIEFLY_MS).await?;
        if overdue > 0 {
            let overdue = of(0).await?;
            let what = format!(
                "{} overdue, and no client listens to the channel.{silent}",
                count_of(overdue, "element is", "elements are")
            );
            let late = late(exam, now_ms).await?;
            return Ok(vec![
                ABOUT
                    .finding(Severity::Critical, overdue, what, start)
                    .example(late),
            ]);
        }
        let what = format!(
            "{} pending, none is overdue, and no client listens to the channel.{silent}",
            count_of(pending, "element is", "elements are")
        );
        let next = late(exam, now_ms).await?;
        return Ok(vec![
            ABOUT
                .finding(Severity::Warning, pending, what, start)
                .example(next),
        ]);
    }

    let overdue = of(LONG_MS).await?;
    if overdue == 0 {
        return Ok(Vec::new());
    }
    sleep(WATCHED).await;
    let later: u64 = of(LONG_MS).await?;
    let count = count_of(later, "element has", "elements have");
    let listen = count_of(listeners, "client listens", "clients listen");
    if later >= overdue {
        let what = format!("{count} been overdue for over 10 s. {listen}, but nothing moves.");
        let advice = format!(
            "Look at the other findings: a malformed member, a foreign score or a key of another \
             type stops Redisson. Otherwise restart the Java services, or run `rdq transfer {}`.",
            exam.name
        );
        let late = late(exam, now_ms).await?;
        return Ok(vec![
            ABOUT
                .finding(Severity::Critical, later, what, advice)
                .example(late),
        ]);
    }
    if later == 0 {
        return Ok(Vec::new());
    }
    let rate = (overdue - later) * 1_000 / WATCHED.as_millis() as u64;
    let what =
        format!("{count} been overdue for over 10 s. The backlog shrinks by {rate} a second.");
    let advice = format!(
        "Wait, or let a Rust client move, which does not search the ordering list: `rdq transfer {}`.",
        exam.name
    );
    Ok(vec![ABOUT.finding(Severity::Warning, later, what, advice)])
}

/// How late the first element is, or when it is due.
async fn late(exam: &Exam<'_>, now_ms: u64) -> Result<Option<String>> {
    // ZRANGE would send the member, too, which may be large.
    const FIRST: &str = "return redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]";
    let first: Option<f64> = exam
        .ask(&["EVAL", FIRST, "1", exam.keys.timeouts()])
        .await?;
    Ok(first.map(|due_ms| {
        let length = brief(Duration::from_millis((due_ms - now_ms as f64).abs() as u64));
        match due_ms <= now_ms as f64 {
            true => format!("the first has been due for {length}"),
            false => format!("the first is due in {length}"),
        }
    }))
}

/// Which servers could not be asked for subscribers.
fn silent(exam: &Exam<'_>) -> String {
    match &exam.nodes.silent[..] {
        [] => String::new(),
        silent => format!(" These replicas could not be asked: {}.", silent.join(", ")),
    }
}

/// How long an element may be overdue although somebody moves the queue's elements.
const BRIEFLY_MS: u64 = 1_000;

/// Redisson tries again after 5 s if a script fails.
const LONG_MS: u64 = 10_000;

/// How long to watch whether a backlog shrinks.
const WATCHED: Duration = Duration::from_millis(1_500);

async fn count(exam: &Exam<'_>, score: String) -> Result<u64> {
    exam.count_up_to(exam.keys.timeouts(), &score).await
}
