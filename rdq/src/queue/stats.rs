//! Counts what is in a queue.

use std::sync::LazyLock;
use std::time::Duration;

use futures::{TryFutureExt, try_join};
use redisson_delayed_queue::Client;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::script::Script;
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::queue::listeners::listeners;
use crate::queue::script::{lua, run};
use crate::queue::unleased;
use crate::screen::number::{self, count_of, grouped};

/// Counts what is in a queue at one moment.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Stats {
    pub(crate) queue: String,
    /// The time by Redis's clock when the script counted, in Unix ms.
    pub(crate) at_ms: u64,
    /// Counts the elements that are not transferred yet.
    pub(crate) pending: u64,
    /// Counts the pending elements that are due, and so should have been transferred.
    pub(crate) overdue: u64,
    /// Counts the pending elements whose due times are in seconds, as if they were due in 1970. They count in
    /// `pending` alone.
    pub(crate) in_seconds: u64,
    /// Counts the entries of the ordering list. There is one for each pending element, unless some
    /// are unlisted.
    pub(crate) listed: u64,
    /// Counts the elements in the target queue.
    pub(crate) ready: u64,
    /// Counts the elements that `take()` of Rust clients claimed and has not handed over yet.
    pub(crate) claimed: u64,
    /// Counts the elements that consumers hold a lease for.
    pub(crate) in_flight: u64,
    /// Counts the elements that wait for another attempt.
    pub(crate) retrying: u64,
    /// Counts the elements that wait until another element of their group is done.
    pub(crate) grouped: u64,
    /// Counts the elements that Rust clients claimed, and whose leases are gone. None if too many are
    /// claimed to look for these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unleased: Option<u64>,
    /// Counts the letters in the dead-letter queue of the default name.
    pub(crate) dead: u64,
    pub(crate) quarantined: u64,
    /// Counts the leases that have run out, and the attempts that are due, for more than 10 s: nobody looks
    /// after them.
    pub(crate) expired: u64,
    pub(crate) paused: bool,
    /// The least time from one element to the next. None without a rate limit.
    pub(crate) rate_interval_us: Option<u64>,
    /// The number of elements that may come at once after a quiet time. None without a rate limit.
    pub(crate) rate_burst: Option<u64>,
    /// Counts those who listen to Redisson's channel: each Java service and each Rust client that
    /// transfers.
    pub(crate) subscribers: u64,
    /// The due time of the first pending element, in Unix ms, rounded up.
    #[serde(serialize_with = "number::ms_or_null")]
    pub(crate) next_due_ms: Option<f64>,
    /// Counts the pending elements that become due within each of [`AHEAD`], and later.
    pub(crate) due_ahead: Vec<u64>,
    #[serde(skip)]
    pub(crate) marks: Marks,
}

/// The upper ends of the due-ahead histogram. Its last count is of elements that are due later.
pub(crate) const AHEAD: [Duration; 6] = [
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(600),
    Duration::from_secs(3_600),
    Duration::from_secs(86_400),
];

static COUNT: LazyLock<Script> = lua!("count");

/// Compares two successive counts by a moment, the mark. A count says how many pending elements are
/// due by the mark that the count before chose. The difference between the two numbers left the
/// queue meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    /// The mark that the count before chose, in Unix ms, and the number of pending elements that are
    /// due by it.
    pub(crate) last: Option<(u64, u64)>,
    /// The mark for the next count, in Unix ms.
    pub(crate) next_ms: u64,
    /// Counts the pending elements that are due by the next mark.
    pub(crate) due_by_next: u64,
}

/// Holds what a count needs of the count before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last {
    pub(crate) mark_ms: u64,
    pub(crate) head_ms: Option<u64>,
}

/// Holds what one run of the script found.
type Counted = (
    u64,
    [u64; 10],
    i64,
    Vec<u64>,
    (Option<String>, Option<u64>, Option<u64>),
    u64,
    u64,
);

impl Stats {
    /// Counts what is in the queue `name`.
    ///
    /// # Redis
    ///
    /// A script and `PUBSUB NUMSUB`. The script reads no payloads, and takes O(log N). If more elements
    /// are claimed than have leases, and at most 10,000, a second script counts those without.
    pub(crate) async fn read(client: &Client, name: &str) -> Result<Self> {
        Self::read_marked(client, name, None, Duration::ZERO).await
    }

    /// As [`read`](Self::read), with the [marks](Marks) of the last count and of the next, which
    /// comes after `interval`. Where the head was at the last count, it is found sooner.
    pub(crate) async fn read_marked(
        client: &Client,
        name: &str,
        last: Option<Last>,
        interval: Duration,
    ) -> Result<Self> {
        let master = client.master_of(name)?;
        let keys = QueueKeys::new(name)?;
        let channels = [keys.channel()];
        let (stats, listeners) = try_join!(
            Self::count(client, name, last, interval),
            listeners(&master, &channels).map_err(Failure::from),
        )?;
        let subscribers = listeners.first().copied().unwrap_or(0);
        Ok(Self {
            subscribers,
            ..stats
        })
    }

    /// Returns what the next count needs of this one.
    pub(crate) fn as_last(&self) -> Last {
        Last {
            mark_ms: self.marks.next_ms,
            head_ms: self.next_due_ms.map(|it| it as u64),
        }
    }

    /// As [`read_marked`](Self::read_marked), without `subscribers`.
    pub(crate) async fn count(
        client: &Client,
        name: &str,
        last: Option<Last>,
        interval: Duration,
    ) -> Result<Self> {
        let keys = QueueKeys::new(name)?;
        let master = client.master_of(name)?;
        let dead = QueueKeys::new(keys.default_dead_letters())?;
        let text = |number: Option<u64>| number.map(|it| it.to_string()).unwrap_or_default();
        let interval_ms = interval.as_millis() as u64;
        let mut call = COUNT.of_both(&keys, &dead);
        call.arg("ahead_ms", interval_ms)
            .arg("last_mark_ms", text(last.map(|it| it.mark_ms)))
            .arg("last_head_ms", text(last.and_then(|it| it.head_ms)));
        for ahead in AHEAD {
            call.more(ahead.as_millis() as u64);
        }
        let counted: Counted = run(&master, &mut call).await?;

        let (at_ms, counts, head_ms, due, (paused, interval_us, burst), in_seconds, expired) =
            counted;
        let [
            pending,
            listed,
            ready,
            claimed,
            in_flight,
            retrying,
            grouped,
            dead,
            quarantined,
            deliveries,
        ] = counts;
        let named = claimed + in_flight + retrying + grouped;
        let unleased = unleased::count_beyond(&master, &keys, deliveries, named).await?;
        let [overdue, due_by_next, due_by_last, ahead @ ..] = &due[..] else {
            unreachable!("the script counts up to each mark");
        };
        Ok(Self {
            queue: name.to_owned(),
            at_ms,
            pending,
            overdue: *overdue,
            in_seconds,
            listed,
            ready,
            claimed,
            in_flight,
            retrying,
            grouped,
            unleased,
            dead,
            quarantined,
            expired,
            paused: paused.is_some(),
            rate_interval_us: interval_us.filter(|it| *it > 0),
            rate_burst: burst.filter(|it| *it > 0),
            subscribers: 0,
            next_due_ms: (head_ms >= 0).then_some(head_ms as f64),
            due_ahead: each_alone(*overdue, ahead, pending - in_seconds),
            marks: Marks {
                last: last.map(|it| (it.mark_ms, *due_by_last)),
                next_ms: at_ms + interval_ms,
                due_by_next: *due_by_next,
            },
        })
    }

    /// Counts the elements that Rust clients have.
    pub(crate) fn held(&self) -> u64 {
        self.claimed + self.in_flight + self.unleased.unwrap_or(0)
    }

    /// Returns what is remarkable about the queue at first sight, with what else is odd. The text is empty
    /// if nothing is.
    pub(crate) fn note(&self, odd: Option<&str>) -> String {
        let mut parts = Vec::new();
        if self.paused {
            parts.push("paused".to_owned());
        }
        // Movers would deliver at once what has a due time in seconds.
        if self.overdue > 0 && self.subscribers == 0 && self.in_seconds == 0 {
            parts.push("stalled: nobody listens".to_owned());
        }
        let mut explained: Vec<String> = odd.map(str::to_owned).into_iter().collect();
        let mut add = |is_there: bool, text: String| explained.extend(is_there.then_some(text));
        add(self.in_seconds > 0, "due times in seconds".to_owned());
        add(
            self.unleased > Some(0),
            "claimed elements without leases".to_owned(),
        );
        let expired = count_of(self.expired, "lease ran out", "leases ran out");
        add(self.expired > 0, expired);
        // Ghosts, orphans, or elements that are listed twice.
        add(
            self.listed > self.pending,
            "more entries than elements".to_owned(),
        );
        let quarantined = format!("{} in quarantine", grouped(self.quarantined));
        add(self.quarantined > 0, quarantined);
        if !explained.is_empty() {
            parts.push(format!("{}: see rdq doctor", explained.join(", ")));
        }
        parts.join("; ")
    }
}

/// Turns counts up to each end into counts between two ends. Elements that come or go meanwhile
/// make none negative.
fn each_alone(overdue: u64, up_to: &[u64], all: u64) -> Vec<u64> {
    let ends = up_to.iter().chain([&all]);
    let mut before = overdue;
    let count = |end: &u64| {
        let between = end.saturating_sub(before);
        before = before.max(*end);
        between
    };
    ends.map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::each_alone;

    #[test]
    fn each_element_is_counted_in_one_place() {
        assert_eq!(each_alone(1, &[1, 4, 4], 10), [0, 3, 0, 6]);
        // Some were transferred between two counts.
        assert_eq!(each_alone(3, &[2, 5], 4), [0, 2, 0]);
    }
}
