//! `rdq migrate`

use clap::Args;
use redisson_delayed_queue::keys::QueueKeys;
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::migrate::{Pass, Places};
use crate::queue::census::Members;
use crate::queue::nodes::Nodes;
use crate::screen::number::count_of;
use crate::session::Session;

/// Turn the members that Redisson 3.21.0 and older wrote into those of newer versions.
///
/// The queue may go on working. Each element keeps its payload, its due time and its place in the
/// ordering list. Redisson 3.21.0 and older fails at the new members, so replace all of its movers
/// first; processes that only offer may still run, and leave members for the next run. While a queue has
/// old members, a mover with Redisson 3.21.1 or later fails at those that become due, so rdq changes
/// first what is due next.
///
/// Can be interrupted, and run again at any time.
///
/// Redis: reads both keys in portions of about a MiB at most. Then scripts of some 5 ms, with rests as
/// long as they take.
#[derive(Args, Debug)]
pub(crate) struct Migrate {
    /// The queue's name in Redis.
    queue: String,
}

/// What was done.
#[derive(Debug, Default, Serialize)]
struct Done {
    queue: String,
    migrated: u64,
    /// Elements that were delivered or removed before their turn.
    gone: u64,
    /// Old members that are still there.
    left: u64,
    passes: u64,
}

impl Migrate {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let keys = QueueKeys::new(&*self.queue)?;
        let master = session.client.master_of(&self.queue)?;
        let members = Members {
            master: &master,
            keys: &keys,
        };
        let mut done = Done {
            queue: self.queue.clone(),
            ..Done::default()
        };
        while done.passes < MOST_PASSES {
            let places = Places::find(members).await?;
            if done.passes == 0 {
                if places.count() == 0 && !has_old(members).await? {
                    return self.report(session, &done);
                }
                session.confirm(&question(session, keys.channel()).await?)?;
            }
            let bar = session.screen.progress("members", true);
            let mut pass = Pass::default();
            let ended = pass.run(members, &places, |count| bar.add(count)).await;
            bar.finish();
            done.passes += 1;
            done.migrated += pass.migrated;
            done.gone += pass.gone;
            ended.map_err(|failure| {
                failure.after_some(done.migrated, |migrated| {
                    let migrated = count_of(migrated, "member was", "members were");
                    format!("{migrated} migrated before it failed: run this again")
                })
            })?;
            done.left = pass.found - pass.migrated - pass.gone;
            if pass.found == 0 {
                break;
            }
        }
        self.report(session, &done)?;
        match done.left {
            0 => Ok(()),
            left => Err(Failure::Unfinished(format!(
                "{left} old members were not found again: run this once more"
            ))),
        }
    }

    fn report(&self, session: &Session, done: &Done) -> Result {
        let text = match (done.migrated, done.passes) {
            (_, 0) => format!("{} has no members of Redisson 3.21.0 or older.", done.queue),
            (migrated, _) => {
                let turned = count_of(
                    migrated,
                    "old member was turned into a new one",
                    "old members were turned into new ones",
                );
                format!("{}: {turned}.", done.queue)
            }
        };
        session.screen.say(&text, done)
    }
}

/// Asks about those who listen to the channel.
async fn question(session: &Session, channel: &str) -> Result<String> {
    let nodes = Nodes::find(session, session.client.masters()).await;
    let listening = nodes.listening(channel).await?;
    let text = listening.text;
    Ok(match listening.is_rust {
        true => {
            format!("{text} Rust clients read both layouts. Turn the old members into new ones?")
        }
        false => format!(
            "Redisson 3.21.0 and older fails at the new members. {text} Are all movers newer, or written in \
             Rust?"
        ),
    })
}

/// Whether the timeout set has old members that are not listed.
async fn has_old(members: Members<'_>) -> Result<bool> {
    let mut scheduled = members.scheduled();
    while let Some(page) = scheduled.next().await? {
        if page
            .iter()
            .any(|(member, _)| crate::migrate::modern(member).is_some())
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Each pass leaves only what moved meanwhile.
const MOST_PASSES: u64 = 10;
