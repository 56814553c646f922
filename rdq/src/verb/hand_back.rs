//! `rdq hand-back`

use std::sync::LazyLock;

use bytes::Bytes;
use clap::Args;
use futures::TryStreamExt;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::script::Script;
use redisson_delayed_queue::{DelayedQueue, LeasedElement, Master};
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::queue::listeners::listeners;
use crate::queue::script::{MOST_BYTES, PORTION, lua, run};
use crate::queue::{scored, stats::Stats, unleased};
use crate::screen::clean;
use crate::screen::number::count_of;
use crate::screen::shell::{command_line, with_command};
use crate::session::Session;
use crate::session::database::database;
use crate::verb::leases::is_running;

/// Bring what only Rust clients see back to Java's keys, before Java goes on alone.
///
/// First shut down all Rust clients of the queues; rdq refuses if it sees one that moves elements.
/// These elements go to the head of the list, where Java pops: what take() and consumers hold, what
/// waits for another attempt or for its group, and what was claimed and has lost its lease. All of it is
/// due at once, and the count of its attempts ends.
/// Members of the quarantine that can be read are pending again. A pause and a rate limit end. Then
/// rdq says what Java's keys cannot hold: schedules, and members that nobody can read. It deletes none
/// of these, and no key.
///
/// Redis: a script for each 500 elements or 256 KiB of payload, and one for each member of the
/// quarantine. If leases are gone, also one of 1 ms for each 1,000 claimed elements. Each script is
/// atomic, and an interrupted run can be repeated.
#[derive(Args, Debug)]
pub(crate) struct HandBack {
    /// The queues' names in Redis.
    #[arg(required = true, value_name = "QUEUE")]
    queues: Vec<String>,
}

/// What was done to a queue, and what stays.
#[derive(Serialize)]
struct HandedBack<'a> {
    queue: &'a str,
    /// How many elements went to the list.
    brought: u64,
    /// How many members of the quarantine are pending again.
    restored: u64,
    /// The schedules, which Java does not know.
    schedules: Vec<String>,
    /// How many members nobody can read.
    quarantined: usize,
    /// How many pending elements the ordering list lacks.
    unlisted: u64,
    /// How many dead letters there are, in a list that Java reads.
    dead: u64,
}

static UNGROUP: LazyLock<Script> = lua!("ungroup");

impl HandBack {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        for queue in &self.queues {
            hand_back(session, queue).await?;
        }
        Ok(())
    }
}

async fn hand_back(session: &Session, name: &str) -> Result {
    let queue = session.queue(name)?;
    let keys = QueueKeys::new(name)?;
    let master = session.client.master_of(name)?;
    refuse_if_rust_works(session, &master, &keys).await?;
    let running = held(&queue).await?;
    let running = running.iter().filter(|it| is_running(it)).count();
    if running > 0 {
        let leases = count_of(running as u64, "lease", "leases");
        let have = if running == 1 { "has" } else { "have" };
        session.confirm(&format!(
            "{leases} of {name} {have} not run out. If a process that has one still runs, elements may \
             be handled twice. Hand it back?"
        ))?;
    }

    let quarantine = queue.quarantine();
    // Before the first change: a refusal leaves all as it is.
    let members: Vec<_> = quarantine.iter().try_collect().await?;
    let (mut brought, mut restored) = (0, 0);
    let work = async {
        bring(&queue, &master, &keys, &mut brought).await?;
        for member in &members {
            restored += u64::from(quarantine.restore(member).await?);
        }
        queue.resume().await?;
        queue.set_rate_limit(None).await?;
        Stats::read(&session.client, name).await
    };
    let stats = work.await;
    let stats = stats.map_err(|failure| {
        failure.after_some(brought + restored, |count| {
            let count = count_of(count, "element was", "elements were");
            format!("{count} brought home to {name} before it failed, and another run goes on")
        })
    })?;
    let left = stats.claimed + stats.in_flight + stats.retrying + stats.grouped;
    if left > 0 {
        return Err(Failure::Unfinished(format!(
            "brought {brought} home, and {name} still has {}: a client took more, or rdq cannot read \
             them; see rdq leases ls and rdq doctor",
            count_of(left, "element that Rust holds", "elements that Rust holds")
        )));
    }
    let schedules = scored::fields(master, keys.periodic(), keys.periodic_due());
    let schedules = schedules.map_ok(|(name, ..)| String::from_utf8_lossy(&name).into_owned());
    let mut schedules: Vec<String> = schedules.try_collect().await?;
    schedules.sort();
    let done = HandedBack {
        queue: name,
        brought,
        restored,
        schedules,
        quarantined: quarantine.len().await?,
        unlisted: stats.pending.saturating_sub(stats.listed),
        dead: stats.dead,
    };
    session.screen.say(&done.text(), &done)
}

/// Rust clients would take again what has just gone home. Those that transfer listen to each other;
/// of others only the leases tell.
async fn refuse_if_rust_works(session: &Session, master: &Master, keys: &QueueKeys) -> Result {
    let channel = keys.moved(database(master).await);
    let mut listening = 0;
    for master in session.client.masters() {
        listening += listeners(&master, &[&channel]).await?.first().unwrap_or(&0);
    }
    match listening {
        0 => Ok(()),
        clients => Err(Failure::Unfinished(format!(
            "{} on {}: shut it down first, rdq watch and serve too; nothing was changed",
            count_of(clients, "Rust client works", "Rust clients work"),
            keys.target()
        ))),
    }
}

/// Brings what is claimed to the head of the list. Counts it in `brought`.
async fn bring(
    queue: &DelayedQueue<Bytes>,
    master: &Master,
    keys: &QueueKeys,
    brought: &mut u64,
) -> Result {
    unleased::lease(master, keys).await?;
    loop {
        // Those that wait for a group come behind the one that holds it.
        ungroup(master, keys, brought).await?;
        let held = held(queue).await?;
        let held: Vec<_> = held.iter().collect();
        match queue.leases().release_to_target(&held).await? {
            0 => return Ok(()),
            released => *brought += released as u64,
        }
    }
}

/// What has a lease or waits for another attempt.
async fn held(queue: &DelayedQueue<Bytes>) -> Result<Vec<LeasedElement<Bytes>>> {
    Ok(queue.leases().iter_without_values().try_collect().await?)
}

/// Moves what waits for its group to the head of the list. Counts it in `brought`.
async fn ungroup(master: &Master, keys: &QueueKeys, brought: &mut u64) -> Result {
    let mut call = UNGROUP.of(keys);
    call.arg("most", PORTION).arg("most_bytes", MOST_BYTES);
    loop {
        let (taken_out, moved): (u64, u64) = run(master, &mut call).await?;
        *brought += moved;
        if taken_out == 0 {
            return Ok(());
        }
    }
}

impl HandedBack<'_> {
    fn text(&self) -> String {
        let queue = self.queue;
        let brought = count_of(self.brought, "element", "elements");
        let mut lines = vec![format!("{queue}: {brought} brought home")];
        if self.restored > 0 {
            let restored = count_of(self.restored, "member", "members");
            lines.push(format!("{restored} of the quarantine pending again"));
        }
        if self.dead > 0 {
            let dead = count_of(self.dead, "dead letter stays", "dead letters stay");
            lines.push(format!("{dead} in a list that Java reads"));
        }
        if self.unlisted > 0 {
            let unlisted = count_of(self.unlisted, "element", "elements");
            lines.push(format!(
                "{unlisted} not in the ordering list: Java delivers them on time, and its size(), \
                 contains() and remove() do not see them"
            ));
        }
        if self.quarantined > 0 {
            let left = count_of(self.quarantined as u64, "member", "members");
            lines.push(with_command(
                &format!("{left} that nobody can read:"),
                &command_line(&["quarantine", "ls"], queue, &[]),
            ));
        }
        if !self.schedules.is_empty() {
            let names = clean(&self.schedules.join(", "));
            lines.push(format!(
                "schedules that no Java client knows, make them there: {names}"
            ));
        }
        lines.join("\n  ")
    }
}
