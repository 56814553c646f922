//! Replicas: a server that is one, or has too few, or has some that are behind.

use crate::doctor::advice::say;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;
use crate::screen::number::count_of;

pub(super) static REPLICA: Kind = Kind {
    name: "replica",
    severity: Severity::Critical,
    proof: "`INFO replication`: the role is `slave`",
    why: "A replica refuses every write, so nothing can be offered, moved or taken there. Redisson \
          clients that still know the old master after a failover retry against it.",
    issues: &["#2553", "#6946", "#6026"],
};

pub(super) static FEW_REPLICAS: Kind = Kind {
    name: "few-replicas",
    severity: Severity::Critical,
    proof: "`CONFIG GET min-replicas-to-write` is above the number of good replicas in `INFO replication`",
    why: "A master that has too few replicas refuses every write, so nothing can be offered, moved or \
          taken.",
    issues: &[],
};

pub(super) static REPLICA_LAG: Kind = Kind {
    name: "replica-lag",
    severity: Severity::Warning,
    proof: "`INFO replication`: a replica that is not in sync, or confirmed nothing for 10 s",
    why: "A failover to a replica that is behind loses what it has not got: elements that were \
          offered since are gone, and those that were taken since come again.",
    issues: &["#1960"],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    if host.info("role") == "slave" {
        let master = format!("{}:{}", host.info("master_host"), host.info("master_port"));
        let advice = format!("Use the address of the master, {master}, or that of the Sentinels.");
        return vec![REPLICA.worst(1, "This server is a replica.", advice)];
    }
    let needed: u64 = host
        .setting("min-replicas-to-write")
        .and_then(|it| it.parse().ok())
        .unwrap_or(0);
    let good = host.number("min_slaves_good_slaves");
    let mut findings = Vec::new();
    if needed > good {
        let what = format!(
            "The master needs {} to take a write, and has {good}.",
            count_of(needed, "replica", "replicas")
        );
        let fewer = good.to_string();
        let lower = host.command(&["CONFIG", "SET", "min-replicas-to-write", &fewer]);
        let advice = say("Bring the replicas back. Until then, allow writes:").run(lower);
        findings.push(FEW_REPLICAS.worst(needed - good, what, advice));
    }
    findings.extend(behind(host));
    findings
}

/// The replicas that are behind.
fn behind(host: &Host) -> Option<Finding> {
    let replicas = (0..host.number("connected_slaves")).map(|it| host.info(&format!("slave{it}")));
    let replicas: Vec<_> = replicas.filter(|it| is_behind(it)).collect();
    let first = replicas.first()?;
    let count = replicas.len() as u64;
    let what = format!(
        "{} behind the master.",
        count_of(count, "replica is", "replicas are")
    );
    let advice = "Look at the replica, its disk and the network between the two. Until it has caught up, do \
                  not fail over to it.";
    let finding = REPLICA_LAG.worst(count, what, advice);
    Some(finding.example(Some((*first).to_owned())))
}

/// True if this line of `INFO replication` is about a replica that is behind.
fn is_behind(replica: &str) -> bool {
    let mut fields = replica.split(',').filter_map(|it| it.split_once('='));
    fields.any(|(name, value)| match name {
        "state" => value != "online",
        "lag" => value.parse().is_ok_and(|it: i64| it >= LONG_S),
        _ => false,
    })
}

/// A replica says every second how far it is.
const LONG_S: i64 = 10;

#[cfg(test)]
mod tests {
    use super::is_behind;

    #[test]
    fn a_replica_says_each_second_how_far_it_is() {
        let line = |state, lag| format!("ip=127.0.0.1,port=6380,state={state},offset=9,lag={lag}");
        assert!(!is_behind(&line("online", 1)));
        assert!(is_behind(&line("online", 10)));
        assert!(is_behind(&line("wait_bgsave", 0)));
        assert!(!is_behind(""));
    }
}
