//! `rdq tail`

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::Args;
use redisson_delayed_queue::Error;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::packed::Packed;
use serde::Serialize;
use tokio::time::{Instant, sleep_until};

use crate::argument::length::{bounded, positive};
use crate::failure::{Failure, Result};
use crate::payload::{Payloads, Shown};
use crate::queue::lookout::{Left, Lookout};
use crate::screen::number;
use crate::session::Session;

/// Show elements as they become due and are moved, and how late. Takes none.
///
/// Looks at the first members of the timeout set again and again. An element that was there, and is
/// gone after its due time, was moved to the target queue, or it expired. The lateness lies between
/// the two looks; it is shown as the most that it can be.
///
/// It does not see an element that comes and goes between two looks, because its delay is shorter than
/// --interval; nor some elements while more than 1,000, or 256 KiB, are due at a time. An element that is
/// cancelled after its due time looks as if it was moved.
///
/// Redis: a script for each look, of up to 1,000 members or 256 KiB: each --interval, and each 10 ms
/// while an element is due.
#[derive(Args, Debug)]
pub(crate) struct Tail {
    /// The queue's name in Redis.
    queue: String,
    /// The longest time between two looks.
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = positive)]
    interval: Duration,
    /// Also show elements that leave before they are due: cancelled, taken early, or replaced.
    #[arg(long)]
    withdrawn: bool,
    /// Stop after this many elements.
    #[arg(short = 'n', long, value_name = "COUNT")]
    count: Option<u64>,
    /// Stop after this time, with a last look. If Redis is away then, that is a failure.
    #[arg(long = "for", value_name = "TIME", value_parser = bounded)]
    length: Option<Duration>,
}

/// An element that left.
#[derive(Serialize)]
struct Row {
    queue: String,
    #[serde(serialize_with = "number::ms")]
    due_ms: f64,
    /// By Redis's clock, when it was seen to be gone.
    seen_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    late_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    late_at_least_ms: Option<f64>,
    withdrawn: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<String>,
    #[serde(flatten)]
    shown: Option<Shown>,
    /// The size of a large member, which is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    member_size: Option<usize>,
}

/// How long to look often for an element that is due and does not go.
const PATIENCE_MS: f64 = 1_000.0;

impl Tail {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let end = self.length.map(|it| Instant::now() + it);
        let is_over = || end.is_some_and(|it| it <= Instant::now());
        let rest = |length| {
            let next = Instant::now() + length;
            sleep_until(end.map_or(next, |it| it.min(next)))
        };
        let payloads = session.payloads(&self.queue)?;
        let keys = QueueKeys::new(&self.queue)?;
        // What is due within two looks, and some more, because looks are slow at times.
        let ahead_ms = (2 * self.interval.as_millis() as u64).max(1_000);
        let mut lookout = Lookout::new(keys, ahead_ms);
        let columns = [("DUE", 24), (">LATE MS", 9), ("VALUE", 20)];
        let mut table = session.screen.flow(&columns);
        let mut count = 0;
        let mut is_away = false;
        loop {
            // On a cluster, it may be another master by now.
            let master = session.client.master_of(&self.queue)?;
            let look = match lookout.look(&master).await {
                Ok(look) => look,
                Err(Failure::Queue(error)) if will_pass(&error) && !is_over() => {
                    if !is_away {
                        session.screen.note(&format!("{error}; looking again"));
                    }
                    is_away = true;
                    rest(Duration::from_secs(1)).await;
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            is_away = false;
            let now_us = look.now_us;
            for left in lookout.compare(look) {
                if left.was_due() || self.withdrawn {
                    let row = Row::of(&left, &self.queue, &payloads);
                    table.row(&row, || row.cells())?;
                    count += 1;
                }
                if self.count.is_some_and(|most| count >= most) {
                    return table.flush();
                }
            }
            table.flush()?;
            if is_over() {
                return Ok(());
            }
            rest(self.pause(&lookout, now_us)).await;
        }
    }

    /// How long until the next look.
    fn pause(&self, lookout: &Lookout, now_us: u64) -> Duration {
        let often = Duration::from_millis(10).min(self.interval);
        match lookout.next_due_ms(now_us) {
            Some(0.0) if lookout.overdue_ms(now_us) < PATIENCE_MS => often,
            Some(ms) if ms > 0.0 => {
                let until_due = Duration::from_secs_f64(ms.min(1e6) / 1_000.0);
                self.interval.min(until_due + Duration::from_millis(1))
            }
            _ => self.interval,
        }
    }
}

/// True for errors that end by themselves: the server is away, or another one is the master by now.
fn will_pass(error: &Error) -> bool {
    match error {
        Error::Connect { .. } | Error::Lost { .. } => true,
        Error::Refused { source, .. } => {
            let passing = [
                "CLUSTERDOWN",
                "LOADING",
                "MASTERDOWN",
                "MOVED",
                "READONLY",
                "TRYAGAIN",
            ];
            source.code().is_some_and(|it| passing.contains(&it))
        }
        _ => false,
    }
}

impl Row {
    fn of(left: &Left, queue: &str, payloads: &Payloads) -> Self {
        let was_due = left.was_due();
        let (at_least, at_most) = left.late_ms();
        let packed = left.member.clone().and_then(|it| Packed::parse(it).ok());
        Self {
            queue: queue.to_owned(),
            due_ms: left.due_ms,
            seen_ms: left.gone_us / 1_000,
            late_ms: was_due.then_some(at_most),
            late_at_least_ms: was_due.then_some(at_least),
            withdrawn: !was_due,
            ticket: left.member.as_ref().map(|it| URL_SAFE_NO_PAD.encode(it)),
            shown: packed.map(|it| Shown::new(payloads, &it.payload)),
            member_size: left.member.is_none().then_some(left.bytes),
        }
    }

    fn cells(&self) -> [String; 3] {
        let late = self.late_ms.map(|it| format!("{it:.1}"));
        let due = std::time::UNIX_EPOCH + Duration::from_millis(self.due_ms.max(0.0) as u64);
        let value = match (&self.shown, self.member_size) {
            (Some(shown), _) => shown.text(),
            (None, Some(size)) => format!("({size} bytes)"),
            (None, None) => "(malformed)".to_owned(),
        };
        [
            crate::screen::absolute(due),
            late.unwrap_or_else(|| "withdrawn".to_owned()),
            value,
        ]
    }
}
