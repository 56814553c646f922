//! `rdq quarantine`

use std::time::{Duration, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use futures::TryStreamExt;
use redisson_delayed_queue::{Quarantine as Members, QuarantinedMember};
use serde::Serialize;

use crate::element::quarantined::{Quarantined, beginning, name_of};
use crate::failure::{Failure, Result};
use crate::payload::Payloads;
use crate::payload::digest::hex_dump;
use crate::queue::printed::Printed;
use crate::queue::record::Record;
use crate::screen::absolute;
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
    ls: Option<Ls>,
}

#[derive(Debug, Subcommand)]
enum QuarantineVerb {
    Ls(Ls),
    Show(Show),
    Release(Release),
    Drop(Drop),
}

/// List the members, and why each cannot be read.
///
/// Redis: a script for each 500 members or 256 KiB. There are 10,000 members and 64 MiB at the most.
#[derive(Args, Debug)]
struct Ls {
    /// The queue's name in Redis.
    queue: String,
}

/// Show one member byte by byte, and what could be its payload.
///
/// Redis: as `ls`.
#[derive(Args, Debug)]
struct Show {
    /// The queue's name in Redis.
    queue: String,
    /// The member's name in `ls`, or its beginning.
    member: String,
    /// The most bytes to show.
    #[arg(long, default_value_t = 4_096)]
    bytes: usize,
}

/// Take one member, or all, out of the quarantine and put it where it belongs.
///
/// Without an option, it is pending again with the due time that it had: only if it can be read.
/// Otherwise say what to deliver to the end of the list of due elements: all its bytes, its bytes from
/// a place on, or a value that you write. --all leaves the members that cannot be released this way.
///
/// Redis: as `ls`, then one script for each member.
#[derive(Args, Debug)]
struct Release {
    /// The queue's name in Redis.
    queue: String,
    /// The member's name in `ls`, or its beginning.
    #[arg(required_unless_present = "all", value_parser = NonEmptyStringValueParser::new())]
    member: Option<String>,
    /// All members.
    #[arg(long, conflicts_with_all = ["member", "value"])]
    all: bool,
    /// Deliver all its bytes as a payload: a program wrote a payload without packing it.
    #[arg(long, group = "what")]
    as_payload: bool,
    /// Deliver its bytes from this place on as a payload; `show` proposes a place.
    #[arg(long, group = "what", value_name = "PLACE")]
    from: Option<usize>,
    /// Deliver this value instead, written as `ls` and `get` show values. Needs --codec.
    #[arg(long, group = "what", value_name = "JSON")]
    value: Option<String>,
}

/// Delete one member, or all. Prints them first.
///
/// Keep what it prints, `> members.jsonl`: `rdq import QUEUE members.jsonl` brings the members back.
///
/// Redis: as `ls`, then ZREM for each member, and UNLINK if --all also ends a count.
#[derive(Args, Debug)]
struct Drop {
    /// The queue's name in Redis.
    queue: String,
    /// The member's name in `ls`, or its beginning.
    #[arg(required_unless_present = "all", value_parser = NonEmptyStringValueParser::new())]
    member: Option<String>,
    /// All members, and the count of those that did not fit.
    #[arg(long, conflicts_with = "member")]
    all: bool,
}

/// A member as it is shown.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    member: Quarantined,
    /// In Base64.
    bytes: String,
}

/// What else a quarantine says.
#[derive(Serialize)]
struct Note {
    /// How many members did not fit.
    dropped: u64,
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

impl Ls {
    async fn run(&self, session: &Session) -> Result {
        let quarantine = session.queue(&self.queue)?.quarantine();
        let columns = [
            ("MEMBER", 12),
            ("DUE", 24),
            (">SIZE", 7),
            ("FAULT", 38),
            ("BYTES", 20),
        ];
        let mut table = session.screen.flow(&columns);
        let mut members = quarantine.iter();
        let mut count = 0;
        while let Some(member) = members.try_next().await? {
            count += 1;
            let row = Row::of(&member);
            table.row(&row, || row.cells(member.bytes()))?;
        }
        table.flush()?;
        let dropped = quarantine.dropped().await?;
        if dropped > 0 {
            let text = format!("{dropped} more were dropped because the quarantine was full");
            session.screen.say(&text, &Note { dropped })?;
        } else if count == 0 && !session.screen.is_json() {
            let queue = &self.queue;
            session
                .screen
                .note(&format!("the quarantine of {queue} is empty"));
        }
        Ok(())
    }
}

impl Show {
    async fn run(&self, session: &Session) -> Result {
        let member = find(session, &self.queue, &self.member).await?;
        let row = Row::of(&member);
        if session.screen.is_json() {
            return session.screen.say("", &row);
        }
        let payloads = session.payloads(&self.queue)?;
        let mut lines = vec![
            format!(
                "member {}, {}, due {}",
                row.member.member,
                count_of(row.member.size as u64, "byte", "bytes"),
                due(row.member.due_ms)
            ),
            hex_dump(member.bytes(), self.bytes),
        ];
        match member.fault() {
            None => lines.push("can be read: `release` makes it pending again".to_owned()),
            Some(fault) => {
                lines.push(fault.to_string());
                let places = [("--as-payload".to_owned(), 0)].into_iter();
                let cut = (fault.offset > 0).then_some(fault.offset);
                let places = places.chain(cut.map(|it| (format!("--from {it}"), it)));
                let seen = places.filter_map(|(option, place)| {
                    let value = value_from(&payloads, member.bytes(), place)?;
                    Some(format!("release {option} would deliver: {value}"))
                });
                lines.extend(seen);
            }
        }
        session.screen.say(&lines.join("\n"), &row)
    }
}

/// The value in these bytes from a place on. None if there is none.
fn value_from(payloads: &Payloads, bytes: &Bytes, place: usize) -> Option<String> {
    let payload = bytes.slice(place.min(bytes.len())..);
    let value = payloads.show(&payload).ok()?;
    Some(value.get().to_owned())
}

impl Release {
    async fn run(&self, session: &Session) -> Result {
        let quarantine = session.queue(&self.queue)?.quarantine();
        let Some(name) = &self.member else {
            return self.release_all(session, &quarantine).await;
        };
        let value = match &self.value {
            Some(value) => Some(session.payloads(&self.queue)?.read(value)?),
            None => None,
        };
        let member = find(session, &self.queue, name).await?;
        let way = match value {
            Some(value) => Way::Deliver(value),
            None => self.way(&member)?,
        };
        let text = way.text();
        match way.take(&quarantine, &member).await? {
            true => session.screen.say(text, &Row::of(&member)),
            false => Err(gone(name)),
        }
    }

    async fn release_all(&self, session: &Session, quarantine: &Members) -> Result {
        let members: Vec<_> = quarantine.iter().try_collect().await?;
        if members.is_empty() {
            return Err(empty(&self.queue));
        }
        session.confirm(&format!("Release {}?", count(members.len())))?;
        let (mut released, mut refusal) = (0, None);
        for member in &members {
            match self.way(member) {
                Ok(way) => {
                    let done = way.take(quarantine, member).await;
                    released += usize::from(done.map_err(|it| stopped(it, "released", released))?);
                }
                Err(refused) => refusal = Some(refused),
            }
        }
        session
            .screen
            .note(&format!("released {released} of {}", members.len()));
        match refusal {
            Some(refused) if released == 0 => Err(refused),
            _ => Ok(()),
        }
    }

    /// Reads from the options how a member is to leave.
    fn way(&self, member: &QuarantinedMember) -> Result<Way> {
        let place = self.as_payload.then_some(0).or(self.from);
        match place {
            Some(place) if place > member.bytes().len() => {
                let size = count_of(member.bytes().len() as u64, "byte", "bytes");
                Err(Failure::usage(format!("the member has {size} only")))
            }
            Some(place) => Ok(Way::Deliver(member.bytes().slice(place..))),
            None if member.fault().is_some() => Err(Failure::usage(
                "nobody could read it if it were pending: say what to deliver, with --as-payload, \
                 --from or --value",
            )),
            None => Ok(Way::Restore),
        }
    }
}

/// How a member leaves the quarantine.
enum Way {
    Deliver(Bytes),
    Restore,
}

impl Way {
    fn text(&self) -> &'static str {
        match self {
            Self::Deliver(_) => "delivered",
            Self::Restore => "pending again",
        }
    }

    /// False if the member is not there any more.
    async fn take(self, quarantine: &Members, member: &QuarantinedMember) -> Result<bool> {
        Ok(match self {
            Self::Deliver(payload) => quarantine.deliver(member, payload).await?,
            Self::Restore => quarantine.restore(member).await?,
        })
    }
}

impl Drop {
    async fn run(&self, session: &Session) -> Result {
        let quarantine = session.queue(&self.queue)?.quarantine();
        let members: Vec<_> = match &self.member {
            Some(name) => vec![find(session, &self.queue, name).await?],
            None => quarantine.iter().try_collect().await?,
        };
        if members.is_empty() && quarantine.dropped().await? == 0 {
            return Err(empty(&self.queue));
        }
        session.confirm(&format!("Delete {} for ever?", count(members.len())))?;
        let mut printed = Printed::begin(session, &self.queue).await?;
        let mut deleted = 0;
        let done = self.delete(&quarantine, &members, &mut printed, &mut deleted);
        done.await.map_err(|it| stopped(it, "deleted", deleted))?;
        session.screen.note(&format!("deleted: {}", count(deleted)));
        printed.end()
    }

    async fn delete(
        &self,
        quarantine: &Members,
        members: &[QuarantinedMember],
        printed: &mut Printed,
        deleted: &mut usize,
    ) -> Result {
        for member in members {
            // Before it is gone.
            printed.add(&Record::Quarantined {
                member: member.bytes().clone(),
                score: member.score().to_string(),
            })?;
            let is_deleted = quarantine.remove(member).await?;
            *deleted += usize::from(is_deleted);
            if !is_deleted && !self.all {
                return Err(gone(&name_of(member)));
            }
        }
        // Members that came meanwhile were not printed, so they stay, and the count with them.
        let ends_count = self.all && quarantine.dropped().await? > 0;
        if ends_count && quarantine.is_empty().await? {
            let cleared = quarantine.clear().await;
            cleared.map_err(|it| {
                Failure::from(it).after("the count of those that did not fit is not deleted")
            })?;
        }
        Ok(())
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

/// When it was due, if its score is a moment.
fn due(score: f64) -> String {
    match Duration::try_from_secs_f64(score / 1_000.0) {
        Ok(since) if score < 1e15 => absolute(UNIX_EPOCH + since),
        _ => score.to_string(),
    }
}

impl Row {
    fn of(member: &QuarantinedMember) -> Self {
        Self {
            member: Quarantined::of(member),
            bytes: STANDARD.encode(member.bytes()),
        }
    }

    fn cells(&self, bytes: &[u8]) -> [String; 5] {
        let Quarantined {
            member,
            due_ms,
            size,
            fault,
        } = &self.member;
        [
            member.clone(),
            due(*due_ms),
            size.to_string(),
            fault.clone().unwrap_or_else(|| "none".to_owned()),
            beginning(bytes, 40),
        ]
    }
}
