//! `rdq quarantine drop`

use std::sync::Arc;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use futures::TryStreamExt;
use redisson_delayed_queue::{Quarantine as Members, QuarantinedMember};

use super::{count, empty, find, gone, stopped};
use crate::element::quarantined::name_of;
use crate::failure::{Failure, Result};
use crate::queue::printed::Printed;
use crate::queue::record::Record;
use crate::session::Session;

/// Delete one member, or all. Prints them first.
///
/// Keep what it prints, `> members.jsonl`: `rdq import QUEUE members.jsonl` brings the members back.
///
/// Redis: as `ls`, then ZREM for each member, and UNLINK if --all also ends a count.
#[derive(Args, Debug)]
pub(super) struct DropMembers {
    /// The queue's name in Redis.
    queue: String,
    /// The member's name in `ls`, or its beginning.
    #[arg(required_unless_present = "all", value_parser = NonEmptyStringValueParser::new())]
    member: Option<String>,
    /// All members, and the count of those that did not fit.
    #[arg(long, conflicts_with = "member")]
    all: bool,
}

impl DropMembers {
    pub(super) async fn run(&self, session: &Session) -> Result {
        let quarantine = Arc::new(session.queue(&self.queue)?.quarantine());
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
        let done = self.delete(session, &quarantine, members, &mut printed, &mut deleted);
        done.await.map_err(|it| stopped(it, "deleted", deleted))?;
        session.screen.note(&format!("deleted: {}", count(deleted)));
        printed.end()
    }

    async fn delete(
        &self,
        session: &Session,
        quarantine: &Arc<Members>,
        members: Vec<QuarantinedMember>,
        printed: &mut Printed,
        deleted: &mut usize,
    ) -> Result {
        for member in members {
            // Before it is gone.
            printed.add(&Record::Quarantined {
                member: member.bytes().clone(),
                score: member.score().to_string(),
            })?;
            let name = name_of(&member);
            let quarantine = Arc::clone(quarantine);
            // An import would double what was printed and not deleted.
            let removal = session.finish(async move { quarantine.remove(&member).await });
            let is_deleted = removal.await.map_err(|it| {
                Failure::from(it).after("printed, and perhaps still there: 1 member")
            })?;
            *deleted += usize::from(is_deleted);
            if !is_deleted && !self.all {
                return Err(gone(&name));
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
