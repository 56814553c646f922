//! `rdq quarantine ls`

use clap::Args;
use futures::TryStreamExt;
use serde::Serialize;

use super::row::Row;
use crate::argument::count;
use crate::failure::Result;
use crate::session::Session;

/// List the members, and why each cannot be read.
///
/// Redis: a script for each 500 members or 256 KiB. There are 10,000 members and 64 MiB at the most.
#[derive(Args, Debug)]
pub(super) struct Ls {
    /// The queue's name in Redis.
    queue: String,
    /// The most rows; 0 for all.
    #[arg(short = 'n', long, value_name = "COUNT", default_value = "1000", value_parser = count::most)]
    limit: usize,
}

/// Says that members are missing, because the quarantine was full.
#[derive(Serialize)]
struct Note {
    /// How many members did not fit.
    dropped: u64,
}

impl Ls {
    pub(super) async fn run(&self, session: &Session) -> Result {
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
        let mut shown = 0;
        while let Some(member) = members.try_next().await? {
            if shown == self.limit {
                table.flush()?;
                session.screen.note(&count::has_more(shown));
                break;
            }
            shown += 1;
            let row = Row::of(&member);
            table.row(&row, || row.cells(member.bytes()))?;
        }
        table.flush()?;
        let dropped = quarantine.dropped().await?;
        if dropped > 0 {
            let text = format!("{dropped} more were dropped because the quarantine was full");
            session.screen.say(&text, &Note { dropped })?;
        } else if shown == 0 && !session.screen.is_json() {
            let queue = &self.queue;
            session
                .screen
                .note(&format!("the quarantine of {queue} is empty"));
        }
        Ok(())
    }
}
