//! Elements are ready, and nobody takes them.

use std::time::Duration;

use redisson_delayed_queue::Result;
use tokio::time::sleep;

use crate::doctor::clients::Connected;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{About, Finding, Severity};
use crate::screen::number::count_of;

pub(crate) const ABOUT: About = About {
    check: "consumers",
    severity: Severity::Warning,
    why: "After an outage, take() of Redisson may wait on a dead connection for ever while other \
          threads work, or was not sent again. A consumer may also hang, or watch another name: \
          pollFromAny() ignores the names of the other queues.",
    issues: &["#6757", "#5670", "#2832", "#7256"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let ready = || async { exam.ask::<u64>(&["LLEN", exam.keys.target()]).await };
    let before = ready().await?;
    if before == 0
        || exam
            .listeners(&exam.keys.moved(database(exam).await))
            .await?
            > 0
    {
        return Ok(Vec::new());
    }
    let Some(clients) = exam.host().and_then(|host| host.clients.as_ref()) else {
        return Ok(Vec::new());
    };
    if clients.iter().any(Connected::takes) {
        return Ok(Vec::new());
    }
    sleep(WATCHED).await;
    let after = ready().await?;
    if after < before {
        return Ok(Vec::new());
    }
    let what = format!(
        "{} ready, and no client of this server takes from a list.",
        count_of(after, "element is", "elements are")
    );
    let advice = format!(
        "Start a consumer, or look why it hangs. `rdq ls {} --ready` shows them.",
        exam.name
    );
    Ok(vec![ABOUT.finding(Severity::Warning, after, what, advice)])
}

/// The number of the database: the channel of Rust clients carries it.
async fn database(exam: &Exam<'_>) -> i64 {
    let info: String = exam.ask(&["CLIENT", "INFO"]).await.unwrap_or_default();
    let number = info.split(' ').find_map(|field| field.strip_prefix("db="));
    number.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// How long to watch whether somebody takes.
const WATCHED: Duration = Duration::from_millis(500);
