//! A queue of the same name in another database.

use redisson_delayed_queue::Result;

use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::{elsewhere, types};

pub(super) static DATABASES: Kind = Kind {
    name: "databases",
    severity: Severity::Warning,
    proof: "`INFO keyspace` names another database, and keys of the queue are both there and here",
    why: "Pub/sub knows no databases: queues of one name in several databases share Redisson's channel. \
          A due time that is published for the one makes Redisson sleep too long for the other.",
    issues: &[],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let Some(host) = exam.host() else {
        return Ok(Vec::new());
    };
    let master = exam.master()?;
    let others = host.other_databases();
    if others.is_empty() || !types::is_any_there(master, &exam.keys).await? {
        return Ok(Vec::new());
    }
    let found = elsewhere::with_queue(master, &exam.keys, &others).await;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let count = found.len() as u64;
    let numbers: Vec<_> = found.iter().map(i64::to_string).collect();
    let what = match &numbers[..] {
        [only] => format!("Database {only} has a queue of this name, too."),
        some => format!(
            "Databases {} have queues of this name, too.",
            some.join(", ")
        ),
    };
    let advice = "Give one of them another name, or a server of its own.";
    Ok(vec![DATABASES.worst(count, what, advice)])
}
