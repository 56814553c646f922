//! `rdq quarantine release`

use bytes::Bytes;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use futures::TryStreamExt;
use redisson_delayed_queue::{Quarantine as Members, QuarantinedMember};

use super::row::Row;
use super::{count, empty, find, gone, stopped};
use crate::failure::{Failure, Result};
use crate::screen::number::count_of;
use crate::session::Session;

/// Take one member, or all, out of the quarantine and put it where it belongs.
///
/// Without an option, it is pending again with the due time that it had: only if it can be read.
/// Otherwise say what to deliver to the end of the target queue: all its bytes, its bytes from a
/// place on, or a value that you write. --all leaves the members that cannot be released this way.
///
/// Redis: as `ls`, then one script for each member.
#[derive(Args, Debug)]
pub(super) struct Release {
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

impl Release {
    pub(super) async fn run(&self, session: &Session) -> Result {
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
