//! `rdq quarantine`

mod drop;
mod ls;
mod release;
mod row;
mod show;

use clap::{Args, Subcommand};
use futures::TryStreamExt;
use redisson_delayed_queue::QuarantinedMember;

use crate::element::quarantined::name_of;
use crate::failure::{Failure, Result};
use crate::screen::number::count_of;
use crate::session::Session;

/// Show the members that nobody could read, and deliver or delete them.
///
/// Another program wrote them where packed members belong. A Rust client that moves elements sets
/// them aside, because they would stop every Redisson client of the queue.
/// `rdq quarantine QUEUE` is short for `rdq quarantine ls QUEUE`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Quarantine {
    #[command(subcommand)]
    verb: Option<QuarantineVerb>,
    #[command(flatten)]
    ls: Option<ls::Ls>,
}

#[derive(Debug, Subcommand)]
enum QuarantineVerb {
    Ls(ls::Ls),
    Show(show::Show),
    Release(release::Release),
    Drop(drop::DropMembers),
}

impl Quarantine {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        match (&self.verb, &self.ls) {
            (Some(QuarantineVerb::Ls(verb)), _) | (None, Some(verb)) => verb.run(session).await,
            (Some(QuarantineVerb::Show(verb)), _) => verb.run(session).await,
            (Some(QuarantineVerb::Release(verb)), _) => verb.run(session).await,
            (Some(QuarantineVerb::Drop(verb)), _) => verb.run(session).await,
            (None, None) => Err(Failure::usage("name a queue")),
        }
    }
}

/// The only member whose name begins so.
async fn find(session: &Session, queue: &str, name: &str) -> Result<QuarantinedMember> {
    let members = session.queue(queue)?.quarantine().iter();
    let begins = |it: &QuarantinedMember| name_of(it).starts_with(name);
    let found = members.try_filter(|it| futures::future::ready(begins(it)));
    let found: Vec<_> = found.try_collect().await?;
    match <[_; 1]>::try_from(found) {
        Ok([member]) => Ok(member),
        Err(none) if none.is_empty() => Err(gone(name)),
        Err(many) => Err(Failure::usage(format!(
            "{name} names {} members",
            many.len()
        ))),
    }
}

fn count(members: usize) -> String {
    count_of(members as u64, "member", "members")
}

fn empty(queue: &str) -> Failure {
    Failure::Nothing(format!("the quarantine of {queue} is empty"))
}

/// Adds to a failure how many members were done with before.
fn stopped(failure: Failure, what: &str, done: usize) -> Failure {
    failure.after_some(done as u64, |_| {
        format!("{what} before it failed: {}", count(done))
    })
}

fn gone(name: &str) -> Failure {
    Failure::Nothing(format!("the quarantine has no member {name}"))
}
