//! A restart loses elements.

use crate::doctor::advice::set;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;

pub(super) static DISK: Kind = Kind {
    name: "disk",
    severity: Severity::Critical,
    proof: "`INFO persistence`: the last snapshot, write or rewrite failed",
    why: "What Redis cannot write is lost with its next restart, and Redis may refuse all writes.",
    issues: &["#1960"],
};

pub(super) static PERSISTENCE: Kind = Kind {
    name: "persistence",
    severity: Severity::Warning,
    proof: "`CONFIG GET appendonly` and `save`: neither is on; only snapshots are a note",
    why: "Redis holds queues in memory. Without an append-only file, a restart loses all that came \
          since the last snapshot; without snapshots, everything.",
    issues: &["#1960"],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let mut findings = Vec::new();
    let failed = [
        ("rdb_last_bgsave_status", "The last snapshot failed."),
        (
            "aof_last_write_status",
            "The last write to the append-only file failed.",
        ),
        (
            "aof_last_bgrewrite_status",
            "The last rewrite of the append-only file failed.",
        ),
    ];
    for (field, what) in failed {
        if host.info(field) == "err" {
            let advice = "Look at the disk and at the log of Redis: is the disk full?";
            findings.push(DISK.worst(1, what, advice));
        }
    }
    let (Some(appends), Some(save)) = (host.setting("appendonly"), host.setting("save")) else {
        return findings;
    };
    let (severity, what) = match (appends, save.is_empty()) {
        ("yes", _) => return findings,
        (_, true) => (
            Severity::Warning,
            "Nothing is kept on disk: a restart loses all queues.",
        ),
        (_, false) => (
            Severity::Note,
            "There are only snapshots: a restart loses what came since the last one.",
        ),
    };
    let since = host.number("rdb_changes_since_last_save");
    let example = format!("{since} changes since the last snapshot");
    let command = host.command(&["CONFIG", "SET", "appendonly", "yes"]);
    let advice = set("Turn the append-only file on", command)
        .say("Replicas keep copies, too, but not when all servers lose power.");
    findings.push(
        PERSISTENCE
            .finding(severity, since.max(1), what, advice)
            .example(Some(example)),
    );
    findings
}
