//! Elements are ready, and nobody takes them.

use std::time::Duration;

use redisson_delayed_queue::Result;
use tokio::time::sleep;

use crate::doctor::advice::say;
use crate::doctor::clients::{self, Connected};
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::screen::number::count_of;

pub(super) static CONSUMERS: Kind = Kind {
    name: "consumers",
    severity: Severity::Warning,
    proof: "ready elements that do not get fewer in half a second, no Rust client, no connection in `CLIENT LIST` whose last command took from a list, and no such command in `INFO commandstats` meanwhile",
    why: "After an outage, take() of Redisson may wait on a dead connection for ever while other \
          threads work, or was not sent again. A consumer may also hang, or watch another name: \
          pollFromAny() ignores the names of the other queues.",
    issues: &["#6757", "#5670", "#2832", "#7256"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    if exam.is_dead_letters() {
        return Ok(Vec::new());
    }
    let ready = || async { exam.ask::<u64>(&["LLEN", exam.keys.target()]).await };
    let before = ready().await?;
    let Some((host, clients)) = exam.host().and_then(|it| Some((it, it.clients.as_ref()?))) else {
        return Ok(Vec::new());
    };
    if before == 0 || clients.iter().any(Connected::takes) {
        return Ok(Vec::new());
    }
    if exam.listeners(&exam.keys.moved(host.database)).await? > 0 {
        return Ok(Vec::new());
    }
    sleep(WATCHED).await;
    let after = ready().await?;
    // As many may come as are taken, and a connection may have other work between two takes.
    let takes = clients::takes(&host.master).await;
    if after < before || host.takes.is_some_and(|it| takes > Some(it)) {
        return Ok(Vec::new());
    }
    let what = format!(
        "{} ready, and no client of this server takes from a list.",
        count_of(after, "element is", "elements are")
    );
    let list = exam.command(&["ls"], &["--ready"]);
    let advice = say("Start a consumer, or look why it hangs. This shows the elements:").run(list);
    Ok(vec![CONSUMERS.finding(
        Severity::Warning,
        after,
        what,
        advice,
    )])
}

/// How long to watch whether somebody takes.
const WATCHED: Duration = Duration::from_millis(500);
