//! Redis may drop keys of queues when its memory is full.

use crate::doctor::advice::set;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;

pub(super) static EVICTION: Kind = Kind {
    name: "eviction",
    severity: Severity::Critical,
    proof: "`CONFIG GET maxmemory-policy`: not `noeviction`",
    why: "A policy other than noeviction lets Redis delete whole keys when its memory is full. One \
          such key holds all pending elements of a queue, or all that are ready. Nobody is told.",
    issues: &["#1960", "#5653"],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let Some(policy) = host.setting("maxmemory-policy") else {
        return Vec::new();
    };
    if policy == "noeviction" {
        return Vec::new();
    }
    let is_limited = host.setting("maxmemory").is_some_and(|it| it != "0");
    let drops_all = policy.starts_with("allkeys");
    let severity = match (is_limited, drops_all) {
        (true, true) => Severity::Critical,
        (true, false) | (false, true) => Severity::Warning,
        (false, false) => Severity::Note,
    };
    let when = match (is_limited, drops_all) {
        (true, true) => "it drops any key when its memory is full",
        (true, false) => "it drops keys that expire when its memory is full",
        (false, _) => "it would drop keys if maxmemory were set",
    };
    let what = format!("maxmemory-policy is {policy}: {when}.");
    let dropped = host.number("evicted_keys");
    let example = (dropped > 0).then(|| format!("{dropped} keys were dropped since the start"));
    let policy = ["CONFIG", "SET", "maxmemory-policy", "noeviction"];
    let advice = set("Keep all keys", host.command(&policy)).say("Keep caches on another server.");
    vec![
        EVICTION
            .finding(severity, dropped.max(1), what, advice)
            .example(example),
    ]
}
