//! Elements are overdue, and nobody moves them.

use std::time::Duration;

use redisson_delayed_queue::Result;
use tokio::time::sleep;

use super::scores::in_seconds;
use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::census::IN_SECONDS;
use crate::queue::home::Home;
use crate::screen::brief;
use crate::screen::number::count_of;

pub(super) static STALL: Kind = Kind {
    name: "stall",
    severity: Severity::Critical,
    proof: "overdue elements that nobody listens for, or that do not get fewer in 1.5 s although somebody does",
    why: "Redisson moves due elements only in a process that has called getDelayedQueue and not \
          destroyed it; getBlockingQueue alone moves nothing. It looks when a message or a timer \
          wakes it, and has no other poll: a lost subscription or a lost timer stops the queue \
          without an error.",
    issues: &[
        "#2432", "#3835", "#3720", "#5575", "#6946", "#6371", "#6020", "#5172",
    ],
};

pub(super) static WAITING: Kind = Kind {
    name: "waiting",
    severity: Severity::Warning,
    proof: "pending elements, none due for more than a second, and no subscriber of the channel on any server",
    why: "Only a process that has called getDelayedQueue and not destroyed it moves the elements when \
          they become due. No such process is connected.",
    issues: &["#2432", "#3835", "#3720"],
};

pub(super) static PAUSED: Kind = Kind {
    name: "paused",
    severity: Severity::Warning,
    proof: "the mark of `rdq pause`, and pending elements: a warning if some are overdue, else a note",
    why: "Somebody paused the queue: Rust clients move and take nothing. Java knows no pauses.",
    issues: &[],
};

pub(super) static BACKLOG: Kind = Kind {
    name: "backlog",
    severity: Severity::Warning,
    proof: "elements that are overdue for 10 s, and get fewer in 1.5 s",
    why: "More becomes due than the movers move. Redisson searches the ordering list for each element \
          that it moves, so a long queue slows it down.",
    issues: &["#5104", "#5654"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let timeouts = exam.keys.timeouts();
    let all: u64 = exam.ask(&["ZCARD", timeouts]).await?;
    // The check of scores tells of these. Whoever moves delivers them too early.
    let odd = exam.count_up_to(timeouts, "(0").await? + in_seconds(exam).await?;
    let pending = all.saturating_sub(odd);
    if pending == 0 {
        return Ok(Vec::new());
    }
    let now_ms = exam.now_ms().await?;
    let overdue_by = |late_ms: u64| overdue(exam, now_ms.saturating_sub(late_ms));
    let is_paused = ["HEXISTS", exam.keys.state(), "paused"];
    if exam.ask::<u64>(&is_paused).await? == 1 {
        let overdue = overdue_by(BRIEFLY_MS).await?;
        let severity = match overdue {
            0 => Severity::Note,
            _ => Severity::Warning,
        };
        let what = format!(
            "The queue is paused, with {}, {overdue} of them overdue.",
            count_of(pending, "pending element", "pending elements")
        );
        let resume = exam.command(&["resume"], &[]);
        let advice = say("When consumers are ready, go on:").run(resume);
        return Ok(vec![PAUSED.finding(severity, pending, what, advice)]);
    }
    let listeners = exam.listeners(exam.keys.channel()).await?;
    let first = || first(exam, now_ms);
    let transfer = exam.command(&["transfer"], &[]);
    let doubt = doubt(exam);
    let move_them = |words: &str| match odd {
        0 => say(format!("{words}{doubt}:")).run(&transfer),
        _ => say(ODD_FIRST),
    };
    if listeners == 0 {
        let silent = silent(exam);
        let start = "Start a service that creates the delayed queue, or move the elements";
        let due = overdue_by(0).await?;
        let finding = match overdue_by(BRIEFLY_MS).await? {
            0 => {
                let overdue = match due {
                    0 => "none is due".to_owned(),
                    _ => format!("{} just due", count_of(due, "is", "are")),
                };
                let what = format!(
                    "{} pending, {overdue}, and no client listens to the channel.{silent}",
                    count_of(pending, "element is", "elements are")
                );
                WAITING.worst(pending, what, move_them(start))
            }
            _ => {
                let what = format!(
                    "{} overdue, and no client listens to the channel.{silent}",
                    count_of(due, "element is", "elements are")
                );
                STALL.worst(due, what, move_them(start))
            }
        };
        return Ok(vec![finding.example(first().await?)]);
    }

    let before = overdue_by(LONG_MS).await?;
    if before == 0 {
        return Ok(Vec::new());
    }
    sleep(WATCHED).await;
    let later = overdue_by(LONG_MS).await?;
    let count = count_of(later, "element has", "elements have");
    if later == 0 {
        return Ok(Vec::new());
    }
    if later >= before {
        let listen = count_of(listeners, "client listens", "clients listen");
        let what = format!("{count} been overdue for over 10 s. {listen}, but nothing moves.");
        let advice = "Look at the other findings: a malformed member, a foreign score or a key of another type stops \
             Redisson. Otherwise restart the Java services, or move the elements";
        let finding = STALL.worst(later, what, move_them(advice));
        return Ok(vec![finding.example(first().await?)]);
    }
    let rate = (before - later) * 1_000 / WATCHED.as_millis() as u64;
    let what =
        format!("{count} been overdue for over 10 s. The backlog shrinks by {rate} a second.");
    let advice = "Wait, or let a Rust client move, which does not search the ordering list";
    Ok(vec![BACKLOG.worst(later, what, move_them(advice))])
}

/// How many elements are due by this time. Those with negative due times, and with due times in seconds,
/// are not counted.
async fn overdue(exam: &Exam<'_>, by_ms: u64) -> Result<u64> {
    let by = by_ms.to_string();
    let due: u64 = exam
        .ask(&["ZCOUNT", exam.keys.timeouts(), "0", &by])
        .await?;
    Ok(due.saturating_sub(in_seconds(exam).await?))
}

/// How late the first element is, or when it is due.
async fn first(exam: &Exam<'_>, now_ms: u64) -> Result<Option<String>> {
    // ZRANGE would send the member, too, which may be large.
    const FIRST: &str = "
        local function first(after, last)
            return redis.call('ZRANGEBYSCORE', KEYS[1], after, last, 'WITHSCORES', 'LIMIT', 0, 1)[2]
        end
        return first('0', '(' .. ARGV[1]) or first('(' .. ARGV[2], '+inf')";
    let (from, until) = (IN_SECONDS.start().to_string(), IN_SECONDS.end().to_string());
    let look = ["EVAL", FIRST, "1", exam.keys.timeouts(), &from, &until];
    let first: Option<f64> = exam.ask(&look).await?;
    Ok(first.map(|due_ms| {
        let length = brief(Duration::from_millis((due_ms - now_ms as f64).abs() as u64));
        match due_ms <= now_ms as f64 {
            true => format!("the first has been due for {length}"),
            false => format!("the first is due in {length}"),
        }
    }))
}

/// When not to move the elements to the target queue of this name.
fn doubt(exam: &Exam<'_>) -> String {
    match &exam.home {
        Home::Sure(_) => String::new(),
        Home::Both([name, twin]) | Home::Unknown([name, twin]) => {
            let other = if exam.name == *name { twin } else { name };
            format!(", unless your services call the queue {other}, which has the same keys")
        }
    }
}

/// Which servers could not be asked for subscribers.
fn silent(exam: &Exam<'_>) -> String {
    match &exam.nodes.silent[..] {
        [] => String::new(),
        silent => format!(" These replicas could not be asked: {}.", silent.join(", ")),
    }
}

/// Instead of a mover, which would deliver at once what is due later.
const ODD_FIRST: &str = "First give the elements that other findings name the due times that were meant: any mover \
    delivers them now. Then call the doctor again.";

/// How long an element may be overdue although somebody moves the queue's elements.
const BRIEFLY_MS: u64 = 1_000;

/// Redisson tries again after 5 s if a script fails.
const LONG_MS: u64 = 10_000;

/// How long to watch whether a backlog shrinks.
const WATCHED: Duration = Duration::from_millis(1_500);
