//! A server or a queue could not be examined.

use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::report::Examined;
use crate::failure::{Failure, with_sources};
use crate::queue::masters::Silent;

pub(in crate::doctor) static SILENT: Kind = Kind {
    name: "silent",
    severity: Severity::Critical,
    proof: "a master that does not tell the time, or that could not be searched",
    why: "Services get no other answer. A script that takes long keeps the server busy, or its process \
          is frozen or gone.",
    issues: &[],
};

pub(in crate::doctor) static UNEXAMINED: Kind = Kind {
    name: "unexamined",
    severity: Severity::Critical,
    proof: "a command about the queue that failed",
    why: "Services get no other answer. Its server is busy, frozen or gone, its slot has no node or is \
          on its way to another, or a cluster refuses all commands while any slot has no master.",
    issues: &[],
};

/// A server that does not answer. Its queues were not found.
pub(in crate::doctor) fn unanswered(silent: &Silent) -> Finding {
    let what = format!(
        "The server does not answer, so neither it nor its queues were examined: {}.",
        silent.reason
    );
    let advice = "Look at its process and at its log first: is it there, stopped, or busy? Only when it answers \
                  again can SLOWLOG GET show a command that took long. A larger --timeout waits longer.";
    let finding = SILENT.worst(1, what, advice);
    finding.at(&silent.server)
}

/// A queue whose server gives no answer that helps.
pub(in crate::doctor) fn not_examined(queue: &str, failure: &Failure) -> Examined {
    let reason = with_sources(failure);
    let what = match on_its_way(&reason) {
        Some(slot) => format!("The queue was not examined. {slot}"),
        None => format!("The queue was not examined: {reason}."),
    };
    let advice = match reason.contains("CLUSTERDOWN") {
        true => {
            "Start the master that is gone again, let a replica take its place (CLUSTER FAILOVER FORCE), or \
             give its slots to another master: CLUSTER NODES names it. Until then, CONFIG SET \
             cluster-require-full-coverage no on each node lets the other slots work."
        }
        false => {
            "Look at the server that has it; in a cluster, CLUSTER SLOTS says which one that is. If its \
             slot is on its way to another node, wait until it is there."
        }
    };
    let finding = UNEXAMINED.worst(1, what, advice);
    let mut examined = Examined::new(queue);
    examined.findings.push(finding.of_queue(queue));
    examined
}

/// What Redis means by `ASK`, which names a slot and the node to which the slot goes.
fn on_its_way(reason: &str) -> Option<String> {
    let (_, asked) = reason.split_once(": ASK ")?;
    let (slot, host) = asked.split_once(' ')?;
    Some(format!("Slot {slot} is on its way to {host}."))
}
