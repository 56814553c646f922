//! Queues that were not examined, because nobody finds them, or not where they belong.

use crate::doctor::advice::say;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;
use crate::queue::names::Stray;
use crate::screen::number::count_of;
use crate::screen::shell::{command_line, rdq_line, redis_line};
use crate::session::Session;

pub(super) static CLUSTER_NODE: Kind = Kind {
    name: "cluster-node",
    severity: Severity::Warning,
    proof: "`INFO cluster` and `CLUSTER INFO`: a node of a cluster of several, and the address names only it",
    why: "An address that begins with redis:// is about one server. The queues of the other nodes were \
          not found, and a queue that is named answers only if this node has it.",
    issues: &[],
};

pub(super) static STRAY: Kind = Kind {
    name: "stray",
    severity: Severity::Critical,
    proof: "a key of the queue at a master that does not own its slot, and to which the owner does not \
            send it",
    why: "Somebody gave the slot away and not its keys. Every client asks the new owner, which has none \
          of these elements.",
    issues: &[],
};

pub(super) static NAMES: Kind = Kind {
    name: "names",
    severity: Severity::Warning,
    proof: "keys of queues whose names are not UTF-8",
    why: "Redisson writes names in UTF-8. Another program wrote these, or a name mapper. Neither rdq nor \
          a Rust client can name such a queue.",
    issues: &[],
};

pub(super) static LISTS: Kind = Kind {
    name: "lists",
    severity: Severity::Note,
    proof: "`SCAN … TYPE list`: lists that belong to no queue that was found",
    why: "A queue with nothing but ready elements, whose services are gone, looks like any other list.",
    issues: &[],
};

/// Says that only a part of a cluster is looked at.
pub(in crate::doctor) fn cluster_node(host: &Host) -> Option<Finding> {
    let nodes = host.cluster_size.filter(|it| *it > 1)?;
    let what = format!("This is one of {nodes} masters of a cluster, and only it was examined.");
    let address = host.address();
    let all = format!("redis+cluster://{address}");
    let all = rdq_line(&["doctor", "--server", &all]);
    let advice = say("Examine all of them:").run(all);
    Some(CLUSTER_NODE.worst(nodes - 1, what, advice).at(&address))
}

/// Says where keys of a queue stand, and how they come to the owner of their slot.
pub(in crate::doctor) fn stray(session: &Session, stray: &Stray) -> Finding {
    let (holder, owner) = (stray.holder.address(), stray.owner.address());
    let count = stray.keys.len() as u64;
    let what = format!(
        "{} at {holder}, and every client asks {owner}, which owns the slot.",
        count_of(count, "key of the queue stands", "keys of the queue stand")
    );
    let from = session.redis_cli(&holder, 0);
    let (host, port) = owner.rsplit_once(':').unwrap_or((&owner, "6379"));
    let advice = match stray.is_doubled {
        false => say("Bring them to the owner, in this order:")
            .run_all(handed_over(&from, stray, host, port)),
        true => {
            let scratch = format!("redis://{SCRATCH}:6379");
            let output = ["--output", FILE];
            let home = command_line(&["--server", &scratch, "hand-back"], &stray.queue, &[]);
            let export = command_line(&["--server", &scratch, "export"], &stray.queue, &output);
            let import = format!("{} {FILE}", command_line(&["import"], &stray.queue, &[]));
            say(format!(
                "The owner has keys of the queue already, and MIGRATE overwrites none. Start an \
                 empty Redis outside the cluster, {SCRATCH} here, and bring them there, in this order:"
            ))
            .run_all(handed_over(&from, stray, SCRATCH, "6379"))
            .say("Then put the elements, also claimed ones, among those of the owner:")
            .run_all([home, export, import])
        }
    };
    STRAY.worst(count, what, advice).of_queue(&stray.queue)
}

/// How the holder of stray keys, which `redis-cli` reaches by these options, hands them over to a server.
fn handed_over(from: &[String], stray: &Stray, host: &str, port: &str) -> [String; 3] {
    let slot = stray.slot.to_string();
    let set = ["CLUSTER", "SETSLOT", &slot];
    let import = [&set[..], &["IMPORTING", &stray.owner_id]].concat();
    let mut migrate = vec!["MIGRATE", host, port, "", "0", "5000", "KEYS"];
    migrate.extend(stray.keys.iter().map(String::as_str));
    let stable = [&set[..], &["STABLE"]].concat();
    [&import, &migrate, &stable].map(|it| redis_line(from, it))
}

/// Says that some queues have names that nobody can write.
pub(in crate::doctor) fn names(server: &str, unreadable: &[Vec<u8>]) -> Option<Finding> {
    let first = unreadable.first()?;
    let count = unreadable.len() as u64;
    let what = format!(
        "{} to queues whose names are not UTF-8. They were not examined.",
        count_of(count, "key belongs", "keys belong")
    );
    let advice = "Find out who wrote them. redis-cli shows such names with escapes.";
    let example = first.escape_ascii().to_string();
    let finding = NAMES.worst(count, what, advice).at(server);
    Some(finding.example(Some(example)))
}

/// Says that some lists may be queues.
pub(in crate::doctor) fn lists(server: &str, lists: &[String]) -> Option<Finding> {
    let first = lists.first()?;
    let count = lists.len() as u64;
    let what = format!(
        "{} to no queue that was found.",
        count_of(count, "list belongs", "lists belong")
    );
    let doctor = command_line(&["doctor"], first, &[]);
    let advice = say("If it is a queue, name it:").run(doctor);
    let some: Vec<_> = lists.iter().take(5).cloned().collect();
    let finding = LISTS.worst(count, what, advice).at(server);
    Some(finding.example(Some(some.join(", "))))
}

/// The name in the advice for a server that the user starts.
const SCRATCH: &str = "SCRATCH";

/// The name in the advice for the file of an export.
const FILE: &str = "stray.jsonl";
