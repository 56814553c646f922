//! Users lack rights.

use std::collections::BTreeMap;

use redisson_delayed_queue::redis::{Value, cmd, from_redis_value};
use redisson_delayed_queue::{Error, Result};

use crate::doctor::clients::users_of_others;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::doctor::host::Host;
use crate::screen::number::count_of;

pub(crate) const ABOUT: About = About {
    check: "rights",
    severity: Severity::Critical,
    why: "Redisson's scripts write first and find out afterwards: without the right to the channel, \
          an offer fails after it was written, and the application offers again. Redisson passes \
          the channel as a key, too, so its users need a key right to it.",
    issues: &[],
};

/// About what rdq itself may not read.
const NOT_EXAMINED: About = About {
    check: "rights",
    severity: Severity::Warning,
    why: "rdq has the rights of the user in its address or profile. Nobody knows whether the part \
          that it could not read is well.",
    issues: &[],
};

/// Finds refusals of commands, which name no queue.
pub(super) async fn check_host(host: &Host) -> Vec<Finding> {
    let refused = refusals(host).await;
    let of_commands = refused.iter().filter(|it| it.reason == "command");
    let findings = of_commands.map(|it| {
        let what = format!(
            "Redis refused the command {} to the user {}.",
            it.object, it.user
        );
        let advice = format!(
            "If the user works with queues, see the roles of docs/acl.md: ACL SETUSER {} +{}.",
            it.user, it.object
        );
        ABOUT.finding(Severity::Note, it.count, what, advice)
    });
    findings.collect()
}

/// Finds refusals of keys and channels of the queue, and what users of Java services lack.
pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let Some(host) = exam.host() else {
        return Ok(Vec::new());
    };
    let keys = &exam.keys;
    let own = [
        keys.target(),
        keys.timeouts(),
        keys.ordering(),
        keys.channel(),
    ];
    let mut findings = Vec::new();
    for refusal in refusals(host).await {
        if own.contains(&&*refusal.object) {
            let sign = if refusal.reason == "channel" {
                '&'
            } else {
                '~'
            };
            let Refusal { user, object, .. } = &refusal;
            let what = format!(
                "Redis refused {user} the {} {object}, {}.",
                refusal.reason,
                count_of(refusal.count, "time", "times")
            );
            let advice = format!("ACL SETUSER {user} {sign}{object}; see docs/acl.md.");
            findings.push(ABOUT.finding(Severity::Critical, refusal.count, what, advice));
        }
    }
    for user in host
        .clients
        .iter()
        .flat_map(|it| users_of_others(it))
        .take(MOST_USERS)
    {
        findings.extend(lacks(exam, user).await);
    }
    Ok(findings)
}

/// What a user of Java services lacks, if it uses the queue at all.
async fn lacks(exam: &Exam<'_>, user: &str) -> Option<Finding> {
    let keys = &exam.keys;
    let (target, timeouts, ordering) = (keys.target(), keys.timeouts(), keys.ordering());
    let channel = keys.channel();
    let needs: [(&[&str], String); 6] = [
        (&["ZADD", timeouts, "0", "x"], format!("~{timeouts} +zadd")),
        (&["RPUSH", ordering, "x"], format!("~{ordering} +rpush")),
        (&["RPUSH", target, "x"], format!("~{target} +rpush")),
        (
            &["EVAL", "return 0", "1", channel],
            format!("~{channel} +eval"),
        ),
        (&["PUBLISH", channel, "0"], format!("&{channel} +publish")),
        (&["SUBSCRIBE", channel], format!("&{channel} +subscribe")),
    ];
    let mut missing = Vec::new();
    let mut may_offer = false;
    for (words, rule) in needs {
        let mut run = cmd("ACL");
        run.arg("DRYRUN").arg(user).arg(words);
        // An older server, or one that does not let this user ask, says nothing.
        let said: String = exam.master().ok()?.query(&run).await.ok()?;
        match said == "OK" {
            true => may_offer |= words[0] == "ZADD",
            false => missing.push(rule),
        }
    }
    if missing.is_empty() || !may_offer {
        return None;
    }
    let what =
        format!("The user {user} may schedule elements, and lacks other rights of a Java service.");
    let example = missing.join(", ");
    let advice = format!("ACL SETUSER {user} {}", missing.join(" "));
    let finding = ABOUT.finding(Severity::Warning, missing.len() as u64, what, advice);
    Some(finding.example(Some(format!("it lacks {example}"))))
}

/// A right that the user of this run lacks.
pub(super) fn denied(exam: &Exam<'_>, error: &Error) -> Finding {
    let what = "The user of this run lacks a right: a part of the queue was not examined.";
    let said = std::error::Error::source(error).map(ToString::to_string);
    let advice = "Give the user the rights to look: docs/operating/rights.md.";
    let finding = NOT_EXAMINED.finding(Severity::Warning, 1, what, advice);
    finding.example(said).of_queue(&exam.name)
}

/// Something that Redis refused to a user.
struct Refusal {
    user: String,
    /// `command`, `key` or `channel`.
    reason: String,
    /// What was refused.
    object: String,
    count: u64,
}

/// The refusals of the last day in `ACL LOG`. Those of rdq itself do not count.
async fn refusals(host: &Host) -> Vec<Refusal> {
    let log: Result<Vec<Value>> = host.master.query(cmd("ACL").arg("LOG").arg(128)).await;
    let entries = log.unwrap_or_default().into_iter();
    let fields =
        entries.filter_map(|entry| from_redis_value::<BTreeMap<String, Value>>(entry).ok());
    let mut refused: BTreeMap<(String, String, String), u64> = BTreeMap::new();
    for entry in fields {
        let text = |name: &str| {
            let value = entry.get(name).cloned().unwrap_or(Value::Nil);
            from_redis_value::<String>(value).unwrap_or_default()
        };
        let age: f64 = text("age-seconds").parse().unwrap_or(0.0);
        if age > DAY_S || text("client-info").contains("name=rdq-cli") || text("reason") == "auth" {
            continue;
        }
        let count = text("count").parse().unwrap_or(1);
        *refused
            .entry((text("username"), text("reason"), text("object")))
            .or_default() += count;
    }
    let refusal = |((user, reason, object), count)| Refusal {
        user,
        reason,
        object,
        count,
    };
    refused.into_iter().map(refusal).collect()
}

/// So many users are asked about for each queue.
const MOST_USERS: usize = 8;

const DAY_S: f64 = 86_400.0;
