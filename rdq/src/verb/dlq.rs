//! `rdq dlq`

mod ls;
mod purge;
mod requeue;
mod which;

use bytes::Bytes;
use clap::{Args, Subcommand};
use redisson_delayed_queue::{DeadLetter, DeadLetters};

use crate::failure::{Failure, Result};
use crate::screen::number::count_of;
use crate::session::Session;

/// Show the dead letters of a queue, offer them again, or delete them.
///
/// Dead letters are elements that consumers of this Rust library could not handle. They stand in an
/// ordinary list, which Java reads, too. Beside it stand notes: why each is there, and since when.
/// `rdq dlq QUEUE` is short for `rdq dlq ls QUEUE`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Dlq {
    #[command(subcommand)]
    verb: Option<DlqVerb>,
    #[command(flatten)]
    ls: Option<ls::Ls>,
}

#[derive(Debug, Subcommand)]
enum DlqVerb {
    Ls(ls::Ls),
    Requeue(requeue::Requeue),
    Purge(purge::Purge),
}

/// Which dead letters.
#[derive(Args, Debug)]
struct Letterbox {
    /// The name of the queue whose consumers could not handle them.
    queue: String,
    /// The name of the dead-letter queue. Default: {QUEUE}-dead, with the braces.
    #[arg(long, value_name = "NAME")]
    dead: Option<String>,
}

type Letters = DeadLetters<Bytes>;
type Letter = DeadLetter<Bytes>;

impl Dlq {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        match (&self.verb, &self.ls) {
            (Some(DlqVerb::Ls(verb)), _) | (None, Some(verb)) => verb.run(session).await,
            (Some(DlqVerb::Requeue(verb)), _) => verb.run(session).await,
            (Some(DlqVerb::Purge(verb)), _) => verb.run(session).await,
            (None, None) => Err(Failure::usage("name a queue")),
        }
    }
}

impl Letterbox {
    fn letters(&self, session: &Session) -> Result<Letters> {
        let queue = session.queue(&self.queue)?;
        Ok(queue.dead_letters(self.dead.as_deref())?)
    }
}

/// The failure at a letter, after so many.
fn stopped(failure: impl Into<Failure>, what: &str, done: usize) -> Failure {
    let failure: Failure = failure.into();
    failure.after_some(done as u64, |_| {
        format!("{what} before it failed: {}", letters(done))
    })
}

fn letters(count: usize) -> String {
    count_of(count as u64, "dead letter", "dead letters")
}
