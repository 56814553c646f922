//! Users lack rights.

use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Error, Result};

use crate::doctor::advice::{Advice, grant, say};
use crate::doctor::clients::users_of_others;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;
use crate::doctor::refusals::Refusal;
use crate::failure::missing_right;
use crate::screen::number::count_of;

/// Why a missing right doubles elements.
const WRITES_FIRST: &str = "Redisson's scripts write first and find out afterwards: without the right to the channel, an offer \
     fails after it was written, and the application offers again. Redisson passes the channel as a key, \
     too, so its users need a key right to it.";

pub(super) static REFUSED: Kind = Kind {
    name: "refused",
    severity: Severity::Critical,
    proof: "`ACL LOG`: keys or the channel of the queue, refused in the last day",
    why: WRITES_FIRST,
    issues: &[],
};

pub(super) static REFUSED_COMMANDS: Kind = Kind {
    name: "refused-commands",
    severity: Severity::Note,
    proof: "`ACL LOG`: commands refused in the last day, to whomever",
    why: "The log does not say which queue the command was about.",
    issues: &[],
};

pub(super) static RIGHTS: Kind = Kind {
    name: "rights",
    severity: Severity::Warning,
    proof: "`ACL DRYRUN` of what Redisson does, for the users of connections that are not Rust",
    why: WRITES_FIRST,
    issues: &[],
};

pub(super) static UNREAD: Kind = Kind {
    name: "unread",
    severity: Severity::Warning,
    proof: "a command of rdq about the queue that was refused",
    why: "rdq has the rights of the user in its address or profile. Nobody knows whether the part that \
          it could not read is well.",
    issues: &[],
};

/// Finds refusals of commands, which name no queue.
pub(super) fn check_host(host: &Host) -> Vec<Finding> {
    let of_commands = host.refusals.iter().filter(|it| it.reason == "command");
    let findings = of_commands.map(|it| {
        let what = format!(
            "Redis refused the command {} to the user {}.",
            it.object, it.user
        );
        let right = format!("+{}", it.object);
        let right = host.command(&["ACL", "SETUSER", &it.user, &right]);
        let right = grant("If the user works with queues, grant the right", right);
        let advice = forget(host, right);
        REFUSED_COMMANDS.worst(it.count, what, advice)
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
    for refusal in &host.refusals {
        if own.contains(&&*refusal.object) {
            let sign = if refusal.reason == "channel" {
                '&'
            } else {
                '~'
            };
            let Refusal { user, object, .. } = refusal;
            let what = format!(
                "Redis refused {user} the {} {object}, {}.",
                refusal.reason,
                count_of(refusal.count, "time", "times")
            );
            let rule = format!("{sign}{}", pattern(object));
            let right = host.command(&["ACL", "SETUSER", user, &rule]);
            let right = grant("If the user works with the queue, grant the right", right);
            let advice = forget(host, right);
            findings.push(REFUSED.worst(refusal.count, what, advice));
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
    let may = [timeouts, ordering, target, channel].map(pattern);
    let [may_timeouts, may_ordering, may_target, may_channel] = &may;
    let needs: [(&[&str], String); 6] = [
        (
            &["ZADD", timeouts, "0", "x"],
            format!("~{may_timeouts} +zadd"),
        ),
        (&["RPUSH", ordering, "x"], format!("~{may_ordering} +rpush")),
        (&["RPUSH", target, "x"], format!("~{may_target} +rpush")),
        (
            &["EVAL", "return 0", "1", channel],
            format!("~{may_channel} +eval"),
        ),
        (
            &["PUBLISH", channel, "0"],
            format!("&{may_channel} +publish"),
        ),
        (
            &["SUBSCRIBE", channel],
            format!("&{may_channel} +subscribe"),
        ),
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
    let rules = missing.iter().flat_map(|it| it.rsplitn(2, ' '));
    let words: Vec<&str> = ["ACL", "SETUSER", user].into_iter().chain(rules).collect();
    let advice = grant("Grant them", exam.redis(&words));
    let finding = RIGHTS.worst(missing.len() as u64, what, advice);
    Some(finding.example(Some(format!("it lacks {example}"))))
}

/// A right that the user of this run lacks.
pub(super) fn denied(exam: &Exam<'_>, error: &Error) -> Finding {
    let what = "The user of this run lacks a right: a part of the queue was not examined.";
    let said = std::error::Error::source(error).map(ToString::to_string);
    let user = exam.host().and_then(|it| it.user.as_deref());
    let advice = match (user, missing_right(error)) {
        (Some(user), Some(right)) => {
            let right = exam.redis(&["ACL", "SETUSER", user, &right]);
            grant("Grant the right", right)
        }
        _ => say("Give the user of rdq the right to look."),
    };
    let finding = UNREAD.worst(1, what, advice);
    finding.example(said).of_queue(&exam.name)
}

/// A key or a channel as a rule of ACL has it: some characters have a meaning there, and blanks cannot
/// stand there.
fn pattern(name: &str) -> String {
    let mut pattern = String::new();
    for it in name.chars() {
        match it {
            '*' | '?' | '[' | ']' | '\\' => pattern.extend(['\\', it]),
            _ if it.is_whitespace() || it.is_control() => pattern.push('?'),
            _ => pattern.push(it),
        }
    }
    pattern
}

/// The same, and then to empty the log, of which a day counts here.
fn forget(host: &Host, advice: Advice) -> Advice {
    advice
        .say("Then forget all refusals:")
        .run(host.command(&["ACL", "LOG", "RESET"]))
}

/// So many users are asked about for each queue.
const MOST_USERS: usize = 8;
