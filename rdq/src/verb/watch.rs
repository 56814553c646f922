//! `rdq watch`

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use tokio::time::sleep_until;

use crate::argument::length::bounded;
use crate::failure::{Failure, Result};
use crate::queue::stats::Stats;
use crate::session::Session;
use crate::watch::flow::{Flow, Meter};
use crate::watch::lateness::overdue_ms;
use crate::watch::reading::Reader;
use crate::watch::run;

/// Show a queue live: what is in it, when it becomes due, how fast it moves, and who moves it.
///
/// Needs a terminal. q, Esc and Ctrl-C end it. With --json it prints a line each time instead,
/// until Ctrl-C; the first line has no rates. While Redis gives no answer, it says so on stderr, and
/// tries again.
///
/// Redis: each time one script of up to about 100 cheap commands and PUBSUB NUMSUB; each second one script
/// that reads the next 20 elements, fewer if they are large; every 5 s CLIENT LIST TYPE pubsub; one
/// connection with a subscription.
#[derive(Args, Debug)]
pub(crate) struct Watch {
    /// The queue's name in Redis.
    queue: String,
    /// How often to read.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    every: Duration,
}

/// What `--json` prints.
#[derive(Serialize)]
pub(crate) struct Sample<'a> {
    #[serde(flatten)]
    pub(crate) stats: &'a Stats,
    /// By how much the first element is overdue.
    pub(crate) late_ms: u64,
    #[serde(flatten)]
    pub(crate) flow: Option<Flow>,
}

impl Watch {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        if !session.screen.is_json() {
            return run::run(session, Some(self.queue.clone()), self.every).await;
        }
        let payloads = Arc::new(session.payloads(&self.queue)?);
        let client = session.client.clone();
        let mut reader = Reader::new(client, self.queue.clone(), payloads, self.every);
        let mut meter = Meter::default();
        loop {
            let began = Instant::now();
            match reader.read(meter.last()).await {
                Ok(reading) => {
                    let sample = Sample::new(&reading.stats, &mut meter);
                    session.screen.say("", &sample)?;
                }
                Err(failure) => note_unless_refused(session, failure)?,
            }
            sleep_until((began + self.every).into()).await;
        }
    }
}

impl<'a> Sample<'a> {
    pub(crate) fn new(stats: &'a Stats, meter: &mut Meter) -> Self {
        Self {
            stats,
            late_ms: overdue_ms(stats),
            flow: meter.note(stats, 0),
        }
    }
}

/// Tells that nothing could be read now. What Redis refuses ends the run.
pub(crate) fn note_unless_refused(session: &Session, failure: Failure) -> Result {
    match failure.is_refusal() {
        true => Err(failure),
        false => {
            session.screen.note(&format!("rdq: {}", failure.text()));
            Ok(())
        }
    }
}

/// Reads how often to read.
pub(crate) fn interval(text: &str) -> Result<Duration, String> {
    let every = bounded(text)?;
    if every < LEAST {
        return Err("at least 100ms".to_owned());
    }
    Ok(every)
}

const LEAST: Duration = Duration::from_millis(100);
