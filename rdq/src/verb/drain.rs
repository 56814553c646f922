//! `rdq drain`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::drain::{Drain as Work, Sink};
use crate::failure::{Failure, Result};
use crate::queue::stats::Stats;
use crate::screen::number::{count_of, grouped};
use crate::session::Session;

/// Take all elements out of a queue, as lines of JSON that `rdq offer --lines=elements` reads.
///
/// Writes to a new file that only you can read, or to stdout if that is a file. An element is removed
/// after its line is on the disk, so nothing is lost, whatever ends the run. `--output -` also writes
/// to a pipe or a terminal, and a line counts as written once it is in the pipe: what stands there is
/// lost if the reader ends early, as `| head` does.
///
/// After a kill, or if Redis is lost, up to 500 of the last lines may be of elements that are still in
/// the queue. Whoever offers that file again doubles them.
///
/// A line whose element went to a consumer in the meantime is taken back from the file of --output; on
/// stdout it stays, and the exit code is 1. Lines keep due time, expiry and payload, but no keys.
/// Elements that consumers have claimed, and periodic offers, are not touched. Members that nobody can read
/// stay, too, and a note tells how many.
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
    /// Write to this file, which must not exist; - for stdout, whatever reads it. Default: stdout, if
    /// it is a file.
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
        let output = self.output.as_deref();
        Sink::check(output)?;
        let stats = Stats::read(&session.client, &self.queue).await?;
        let pending = if self.ready { 0 } else { stats.pending };
        let ready = if self.pending { 0 } else { stats.ready };
        if pending + ready == 0 {
            return Err(Failure::Nothing(format!("nothing is in {}", self.queue)));
        }
        let question = format!(
            "Take {} out of {}?",
            Drained { pending, ready }.text(),
            self.queue
        );
        session.confirm(&question)?;
        let sink = Sink::open(output)?;
        let is_stdout = sink.is_stdout();
        let mut work = Work::new(session, &self.queue, sink, pending + ready)?;
        let drained = self.take_out(&mut work, ready).await;
        let drained = drained.map_err(|failure| {
            // Even after nothing: a reader that leaves early would otherwise end it well.
            failure.after(match work.removed() {
                0 => "it failed before it took an element out".to_owned(),
                removed => {
                    let removed = count_of(removed, "element was", "elements were");
                    format!("{removed} taken out before it failed, and the others are still in the queue")
                }
            })
        })?;
        work.end()?;
        let text = format!("taken out: {}", drained.text());
        match is_stdout {
            false => session.screen.say(&text, &drained),
            // The lines go to stdout.
            true => {
                session.screen.note(&text);
                Ok(())
            }
        }
    }

    /// Takes out what is pending, and up to `ready` elements of the target queue.
    async fn take_out(&self, work: &mut Work<'_>, ready: u64) -> Result<Drained> {
        Ok(Drained {
            pending: if self.ready { 0 } else { work.pending().await? },
            ready: if self.pending {
                0
            } else {
                work.ready(ready).await?
            },
        })
    }
}

impl Drained {
    fn text(&self) -> String {
        let Self { pending, ready } = self;
        let ready = count_of(*ready, "ready element", "ready elements");
        format!("{} pending and {ready}", grouped(*pending))
    }
}
