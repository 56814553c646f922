//! `/metrics`: the counts of all queues for Prometheus.
//!
//! A gauge that the library reports too has the library's name, because both say the same: how much
//! is in Redis. So take `max by (queue)` of it, not a sum.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use super::app::App;
use super::readings::QueueRow;
use super::refusal::Answer;
use crate::queue::stats::Stats;
use crate::watch::lateness::overdue_ms;

pub(super) async fn metrics(State(app): State<Arc<App>>) -> Answer<impl IntoResponse> {
    let overview = app.readings.overview().await?;
    let text = text(&overview.queues);
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text))
}

/// A gauge with its help, and its value for a queue.
type Gauge = (&'static str, &'static str, fn(&Stats) -> f64);

const GAUGES: [Gauge; 13] = [
    (
        "claimed_messages",
        "Elements that takers of Rust clients have claimed and not handed over yet.",
        |it| it.claimed as f64,
    ),
    (
        "dead_letters",
        "Dead letters in the queue of the default name.",
        |it| it.dead as f64,
    ),
    (
        "grouped_messages",
        "Elements that wait until another element of their group is done.",
        |it| it.grouped as f64,
    ),
    (
        "head_lateness_seconds",
        "For how long the first pending element has been due.",
        |it| overdue_ms(it) as f64 / 1_000.0,
    ),
    (
        "leased_messages",
        "Elements that consumers of all processes have.",
        |it| it.in_flight as f64,
    ),
    ("listed_messages", "Entries of the ordering list.", |it| {
        it.listed as f64
    }),
    (
        "overdue_messages",
        "Pending elements that are due and not moved yet.",
        |it| it.overdue as f64,
    ),
    ("paused", "1 while the queue is paused, else 0.", |it| {
        u8::from(it.paused).into()
    }),
    (
        "pending_messages",
        "Elements that wait to be moved to the target queue.",
        |it| it.pending as f64,
    ),
    (
        "quarantined_members",
        "Malformed members in the quarantine.",
        |it| it.quarantined as f64,
    ),
    (
        "ready_messages",
        "Elements in the target queue, ready to be taken.",
        |it| it.ready as f64,
    ),
    (
        "retrying_messages",
        "Elements that wait for another attempt.",
        |it| it.retrying as f64,
    ),
    (
        "subscribers",
        "Clients that listen to Redisson's channel, and so may move elements.",
        |it| it.subscribers as f64,
    ),
];

/// What the names begin with, as in the library.
const PREFIX: &str = "redisson_delayed_queue_";

fn text(rows: &[QueueRow]) -> String {
    let mut text = String::new();
    let counted = || rows.iter().filter_map(QueueRow::stats);
    for (name, help, value) in GAUGES {
        head(&mut text, name, help);
        for stats in counted() {
            line(&mut text, name, &stats.queue, value(stats));
        }
    }
    let name = "readable";
    head(
        &mut text,
        name,
        "1 if the counts of the queue could be read, else 0.",
    );
    for row in rows {
        let is_readable = row.stats().is_some();
        line(&mut text, name, row.queue(), u8::from(is_readable).into());
    }
    text
}

// Writing to a text cannot fail.
fn head(text: &mut String, name: &str, help: &str) {
    _ = writeln!(
        text,
        "# HELP {PREFIX}{name} {help}\n# TYPE {PREFIX}{name} gauge"
    );
}

fn line(text: &mut String, name: &str, queue: &str, value: f64) {
    let queue = escaped(queue);
    _ = writeln!(text, "{PREFIX}{name}{{queue=\"{queue}\"}} {value}");
}

/// A value of a label, as the text format wants it.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gauge_has_a_line_for_each_queue() {
        let stats = Stats {
            queue: "a\"b\\c\nd".to_owned(),
            at_ms: 5_000,
            pending: 7,
            next_due_ms: Some(3_500.0),
            ..Stats::default()
        };
        let failed = QueueRow::Failed {
            queue: "other".to_owned(),
            error: "WRONGTYPE".to_owned(),
        };
        let counted = QueueRow::Counted {
            note: stats.note(None),
            stats: Arc::new(stats),
            findings: None,
        };
        let text = text(&[counted, failed]);
        let queue = r#"{queue="a\"b\\c\nd"}"#;
        for line in [
            format!("redisson_delayed_queue_pending_messages{queue} 7"),
            format!("redisson_delayed_queue_head_lateness_seconds{queue} 1.5"),
            format!("redisson_delayed_queue_readable{queue} 1"),
            r#"redisson_delayed_queue_readable{queue="other"} 0"#.to_owned(),
            "# TYPE redisson_delayed_queue_paused gauge".to_owned(),
        ] {
            assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
        }
        assert!(GAUGES.is_sorted_by_key(|(name, ..)| *name));
    }
}
