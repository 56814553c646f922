//! A queue of the same name in another database.

use redisson_delayed_queue::Result;

use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::screen::number::count_of;
use crate::session::database::database;

pub(super) static DATABASES: Kind = Kind {
    name: "databases",
    severity: Severity::Warning,
    proof: "`INFO keyspace` names another database, and the same keys are there",
    why: "Pub/sub knows no databases: queues of one name in several databases share Redisson's channel. \
          A due time that is published for the one makes Redisson sleep too long for the other.",
    issues: &[],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let Some(host) = exam.host() else {
        return Ok(Vec::new());
    };
    let own = database(exam.master()?).await;
    let mut found = Vec::new();
    for other in host.databases().filter(|it| *it != own) {
        // Only this script works in the other database.
        const LOOK: &str = "
            redis.call('SELECT', ARGV[1])
            return redis.call('ZCARD', KEYS[1]) + redis.call('LLEN', KEYS[2])";
        let (timeouts, ordering) = (exam.keys.timeouts(), exam.keys.ordering());
        let number = other.to_string();
        // Some providers do not allow it.
        let look = ["EVAL", LOOK, "2", timeouts, ordering, &number];
        if exam.ask::<u64>(&look).await.is_ok_and(|it| it > 0) {
            found.push(number);
        }
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let count = found.len() as u64;
    let what = format!(
        "A queue of this name is in {}, too: {}.",
        count_of(count, "other database", "other databases"),
        found.join(", ")
    );
    let advice = "Give one of them another name, or a server of its own.";
    Ok(vec![DATABASES.worst(count, what, advice)])
}
