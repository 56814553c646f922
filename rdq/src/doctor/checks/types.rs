//! A key of a queue holds another type.

use redisson_delayed_queue::Result;

use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::types::{self, Held};

pub(super) static TYPES: Kind = Kind {
    name: "types",
    severity: Severity::Critical,
    proof: "`TYPE` of the keys that Java knows, and of the default dead letters",
    why: "Something else uses the name of the key. Redisson's transfer fails with WRONGTYPE and \
          tries again every 5 s, for ever. It writes the target queue first, then the ordering list, \
          and removes what it has moved from the timeout set last.",
    issues: &["#3062", "#3520"],
};

pub(super) static RUST_TYPES: Kind = Kind {
    name: "rust-types",
    severity: Severity::Critical,
    proof: "`TYPE` of the keys that only Rust knows, `rdq1_…`",
    why: "Something else uses the name of the key. Java does not know it and goes on. Rust clients \
          refuse to move and take, so that they destroy nothing.",
    issues: &[],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let wrong = types::wrong(exam.master()?, &exam.keys).await?;
    let (of_rust, of_java): (Vec<_>, Vec<_>) = wrong
        .into_iter()
        .partition(|it| it.key.starts_with("rdq1_"));
    let found = [
        finding(exam, &TYPES, of_java),
        finding(exam, &RUST_TYPES, of_rust),
    ];
    Ok(found.into_iter().flatten().collect())
}

fn finding(exam: &Exam<'_>, kind: &'static Kind, wrong: Vec<Held>) -> Option<Finding> {
    let is_wrong = |key: &str| wrong.iter().any(|it| it.key == key);
    let keys = &exam.keys;
    // Otherwise the transfer fails before it pushes anything.
    let is_doubling =
        is_wrong(keys.ordering()) && !is_wrong(keys.target()) && !is_wrong(keys.timeouts());
    let mut said: Vec<String> = wrong
        .iter()
        .map(|Held { key, held, wanted }| {
            format!("The key {key} holds a {held}, and should hold a {wanted}.")
        })
        .collect();
    if is_doubling {
        let again = "Java pushes the first due element into the target queue again every 5 s.";
        said.push(again.to_owned());
    }
    if is_wrong(keys.timeouts()) {
        said.push("The due times that stood in the timeout set are lost.".to_owned());
    }
    let count = wrong.len() as u64;
    let first = match is_doubling {
        true => {
            "Stop the Java services that move, then find out who writes it. To let the queue go on:"
        }
        false => "Find out who writes it. To let the queue go on:",
    };
    let renames = wrong
        .iter()
        .map(|it| exam.redis(&["RENAMENX", &it.key, &aside(&it.key)]));
    let advice = say(first).run_all(renames);
    (count > 0).then(|| kind.worst(count, said.join(" "), advice))
}

/// A name in the same slot of a cluster that no queue's key has.
fn aside(key: &str) -> String {
    match key.contains('{') {
        true => format!("foreign:{key}"),
        false => format!("foreign:{{{key}}}"),
    }
}
