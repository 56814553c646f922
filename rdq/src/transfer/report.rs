//! What the client reports, as lines.

use std::time::SystemTime;

use redisson_delayed_queue::{Event, Events};
use serde::Serialize;

use super::Health;
use crate::failure::{Result, with_sources};
use crate::screen::number::count_of;
use crate::screen::{Screen, absolute, clean};

/// Where the lines go.
#[derive(Clone, Copy)]
pub(crate) struct Report {
    screen: Screen,
}

/// A line.
#[derive(Serialize)]
struct Line<'a> {
    at_ms: u64,
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<&'a str>,
    /// How many elements were moved in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<u64>,
    text: &'a str,
}

impl Report {
    pub(crate) fn new(screen: Screen) -> Self {
        Self { screen }
    }

    /// Prints one line with the time of this machine.
    pub(crate) fn say(self, event: &str, queue: Option<&str>, text: &str) -> Result {
        self.line(event, queue, None, text)
    }

    /// Prints the last line.
    pub(crate) fn end(self, moved: u64) -> Result {
        let elements = count_of(moved, "element", "elements");
        let text = format!("moved {elements}, and gives back what it holds");
        self.line("ends", None, Some(moved), &text)
    }

    fn line(self, event: &str, queue: Option<&str>, moved: Option<u64>, text: &str) -> Result {
        let now = SystemTime::now();
        let since = now.duration_since(SystemTime::UNIX_EPOCH);
        let line = Line {
            at_ms: since.unwrap_or_default().as_millis() as u64,
            event,
            queue,
            moved,
            text,
        };
        let queue = queue.map(|it| format!(" {it}:")).unwrap_or_default();
        let text = format!("{} {event}:{queue} {text}", absolute(now));
        // An event is one line, whatever a queue is called.
        self.screen.say(&clean(&text), &line)
    }

    /// Prints what the client reports, until the client ends.
    pub(crate) async fn follow(self, mut events: Events, health: &Health) -> Result {
        while let Some(event) = events.next().await {
            health.note(&event);
            self.event(&event)?;
        }
        Ok(())
    }

    fn event(self, event: &Event) -> Result {
        match event {
            Event::Cluster { server, .. } => self.say("cluster", None, server),
            Event::Connected { server, .. } => self.say("connected", None, server),
            Event::Degraded {
                server,
                queue,
                cause,
                ..
            } => self.say("degraded", queue.as_deref(), &format!("{server}: {cause}")),
            Event::Denied { error, .. } => self.say("denied", None, &with_sources(error)),
            Event::Disconnected { server, cause, .. } => {
                self.say("disconnected", None, &format!("{server}: {cause}"))
            }
            Event::Expired { queue, .. } => self.say(
                "expired",
                Some(queue),
                "an element expired before it was moved",
            ),
            Event::Missed { count, .. } => {
                let reports = count_of(*count, "report is", "reports are");
                self.say("missed", None, &format!("{reports} missing here"))
            }
            Event::Quarantined {
                queue,
                count,
                dropped,
                ..
            } => {
                let members = count_of(*count, "member", "members");
                let text = format!("{members} that nobody can read, {dropped} of them dropped");
                self.say("quarantined", Some(queue), &text)
            }
            Event::Recovered { server, queue, .. } => {
                self.say("recovered", queue.as_deref(), server)
            }
            Event::Replica { server, .. } => {
                self.say("replica", None, &format!("{server} takes no writes"))
            }
            Event::TransferFailed { queue, error, .. } => {
                self.say("transfer failed", Some(queue), &with_sources(error))
            }
            Event::TransferResumed { queue, .. } => {
                self.say("transfer resumed", Some(queue), "elements are moved again")
            }
            Event::SubscriptionRefused { queue, error, .. } => {
                let text = format!(
                    "elements may be late by up to --safety-poll: {}",
                    with_sources(error)
                );
                self.say("notice", Some(queue), &text)
            }
            Event::SharedKeys { queue, other, .. } => {
                let text = format!("has the same keys as {other}: their elements get mixed up");
                self.say("notice", Some(queue), &text)
            }
            Event::TrackingRefused { error, .. } => self.say("notice", None, &with_sources(error)),
            Event::ScheduleFailed { queue, error, .. } => {
                self.say("notice", Some(queue), &with_sources(error))
            }
            other => self.say("notice", None, &format!("{other:?}")),
        }
    }
}
