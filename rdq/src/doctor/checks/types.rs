//! A key of a queue holds another type.

use redisson_delayed_queue::Result;

use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::types::{self, Held};
use crate::screen::shell::shell_line;

pub(super) static TYPES: Kind = Kind {
    name: "types",
    severity: Severity::Critical,
    proof: "`TYPE` of the keys that Java knows, and of the default dead letters",
    why: "Something else uses the name of the key. Redisson's transfer fails with WRONGTYPE and \
          tries again every 5 s, for ever. The elements stay where they are meanwhile.",
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
    let finding = |Held { key, held, wanted }| {
        let what = format!("The key {key} holds a {held}, and should hold a {wanted}.");
        let rename = shell_line(&["RENAMENX", &key, &aside(&key)]);
        let advice = say("Find out who writes it. To let the queue go on: ")
            .run(rename)
            .say(".");
        let kind = match key.starts_with("rdq1_") {
            true => &RUST_TYPES,
            false => &TYPES,
        };
        kind.worst(1, what, advice)
    };
    Ok(wrong.into_iter().map(finding).collect())
}

/// A name in the same slot of a cluster that no queue's key has.
fn aside(key: &str) -> String {
    match key.contains('{') {
        true => format!("foreign:{key}"),
        false => format!("foreign:{{{key}}}"),
    }
}
