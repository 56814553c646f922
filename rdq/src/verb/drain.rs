//! `rdq drain`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::drain::{Drain as Work, Sink};
use crate::failure::{Failure, Result};
use crate::queue::stats::Stats;
use crate::session::Session;

/// Take all elements out of a queue, as lines of JSON that `rdq offer --lines=elements` reads.
///
/// An element is removed after its line was written, so nothing is lost, whatever ends the run. On
/// stdout, a line is written once it is in the pipe: use --output rather than a pipe whose reader may
/// end early, as `| head` does. A line whose element went to a consumer in the meantime is taken back
/// from a file; on stdout it stays, and the exit code is 1. Lines keep due time, expiry and payload,
/// but no keys. Elements that consumers have claimed, and periodic offers, are not touched.
///
/// Redis: short scripts, one for each 500 elements to read and one for each element to remove.
#[derive(Args, Debug)]
pub(crate) struct Drain {
    /// The queue's name in Redis.
    queue: String,
    /// Take only elements that are not moved yet.
    #[arg(long, conflicts_with = "ready")]
    pending: bool,
    /// Take only elements of the target queue.
    #[arg(long)]
    ready: bool,
    /// Write to this file, which must not exist. Default: stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How many elements were taken out.
#[derive(Serialize)]
struct Drained {
    pending: u64,
    ready: u64,
}

impl Drain {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let stats = Stats::read(&session.client, &self.queue).await?;
        let pending = if self.ready { 0 } else { stats.pending };
        let ready = if self.pending { 0 } else { stats.ready };
        if pending + ready == 0 {
            return Err(Failure::Nothing(format!("nothing is in {}", self.queue)));
        }
        let question = format!(
            "Take {pending} pending and {ready} ready elements out of {}?",
            self.queue
        );
        session.confirm(&question)?;
        let sink = Sink::open(self.output.as_deref())?;
        let mut work = Work::new(session, &self.queue, sink, pending + ready)?;
        let drained = Drained {
            pending: if self.ready { 0 } else { work.pending().await? },
            ready: if self.pending {
                0
            } else {
                work.ready(ready).await?
            },
        };
        work.end()?;
        let Drained { pending, ready } = drained;
        let text = format!("{pending} pending and {ready} ready elements were taken out");
        match self.output {
            Some(_) => session.screen.say(&text, &drained),
            // The lines go to stdout.
            None => {
                session.screen.note(&text);
                Ok(())
            }
        }
    }
}
