//! `rdq dlq ls`

use std::time::SystemTime;

use clap::Args;
use futures::TryStreamExt;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use serde::Serialize;

use super::{Letter, Letterbox, Letters};
use crate::argument::count;
use crate::element::letter::name_of;
use crate::element::unix_ms;
use crate::failure::Result;
use crate::payload::{Payloads, Shown};
use crate::screen::{Flow, relative, width};
use crate::session::Session;

/// List dead letters with their notes, the newest first.
///
/// Redis: a script for each 100 letters or 256 KiB.
#[derive(Args, Debug)]
// Without those of the letterbox, `rdq dlq QUEUE` would look as if nothing was said.
#[group(args = ["queue", "dead"])]
pub(super) struct Ls {
    #[command(flatten)]
    place: Letterbox,
    /// Only those whose value or reason has this text in it.
    #[arg(short, long = "match", alias = "matching", value_name = "TEXT")]
    text: Option<String>,
    /// The most rows; 0 for all.
    #[arg(short = 'n', long, value_name = "COUNT", default_value = "1000", value_parser = count::most)]
    limit: usize,
}

/// A dead letter as it is shown.
#[derive(Serialize)]
pub(super) struct Row {
    letter: String,
    /// What named the element in all of its attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    died_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_claimed_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<u16>,
    /// The queue that it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(flatten)]
    shown: Shown,
}

impl Ls {
    pub(super) async fn run(&self, session: &Session) -> Result {
        let payloads = session.payloads(&self.place.queue)?;
        let dead = self.place.letters(session)?;
        let now = session.now(&self.place.queue).await?;
        let form = match width() {
            Some(_) if !has_notes(session, &dead).await? => Form::Short,
            Some(..NARROW) => Form::Narrow,
            Some(..ROOMY) => Form::Tall,
            None | Some(_) => Form::Wide,
        };
        let mut table = session.screen.flow(form.columns());
        let mut letters = dead.iter();
        let mut shown = 0;
        while let Some(letter) = letters.try_next().await? {
            let row = Row::of(&letter, &payloads);
            if !row.matches(self.text.as_deref()) {
                continue;
            }
            if shown == self.limit {
                table.flush()?;
                session.screen.note(&count::has_more(shown));
                break;
            }
            row.put(&mut table, form, &self.place.queue, now)?;
            shown += 1;
            if shown % 100 == 1 {
                table.flush()?;
            }
        }
        table.flush()?;
        if shown == 0 && !session.screen.is_json() {
            let such = match self.text {
                Some(_) => "no such dead letter",
                None => "no dead letters",
            };
            session
                .screen
                .note(&format!("{} has {such}", self.place.queue));
        }
        Ok(())
    }
}

/// How letters are shown.
#[derive(Clone, Copy)]
enum Form {
    /// With a column for everything.
    Wide,
    /// Without notes.
    Short,
    /// With the reason below each letter: beside it, there would be no room for the value.
    Tall,
    /// With the value below, too.
    Narrow,
}

/// A terminal with so many columns has room for a reason and a value side by side.
const ROOMY: u16 = 130;

/// One with fewer has no room for a value beside the rest.
const NARROW: u16 = 58;

impl Form {
    fn columns(self) -> &'static [(&'static str, usize)] {
        match self {
            Self::Wide => &[
                ("LETTER", 12),
                (">DIED", 14),
                (">ATTEMPTS", 8),
                ("QUEUE", 12),
                ("REASON", 24),
                ("VALUE", 20),
            ],
            Self::Short => &[("LETTER", 12), ("VALUE", 20)],
            Self::Tall => &[
                ("LETTER", 12),
                (">DIED", 12),
                (">ATTEMPTS", 8),
                ("VALUE", 20),
            ],
            Self::Narrow => &[("LETTER", 12), (">DIED", 12), (">ATTEMPTS", 8)],
        }
    }
}

/// True if any of the letters has a note.
async fn has_notes(session: &Session, dead: &Letters) -> Result<bool> {
    let keys = QueueKeys::new(dead.name())?;
    let master = session.client.master_of(dead.name())?;
    let count: u64 = master.query(cmd("LLEN").arg(keys.dead_notes())).await?;
    Ok(count > 0)
}

impl Row {
    pub(super) fn of(letter: &Letter, payloads: &Payloads) -> Self {
        Self {
            letter: name_of(letter),
            id: letter.id().map(|it| it.to_string()),
            died_ms: letter.died_at().map(unix_ms),
            first_claimed_ms: letter.first_claimed().map(unix_ms),
            attempts: letter.attempts(),
            queue: letter.queue().map(str::to_owned),
            reason: letter.reason().map(str::to_owned),
            shown: Shown::new(payloads, letter.payload()),
        }
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.letter.starts_with(name) || self.id.as_deref() == Some(name)
    }

    pub(super) fn matches(&self, text: Option<&str>) -> bool {
        text.is_none_or(|text| {
            let in_reason = self.reason.as_ref().is_some_and(|it| it.contains(text));
            in_reason || self.shown.contains(text)
        })
    }

    /// Prints the letter in the list of this queue.
    fn put(&self, table: &mut Flow, form: Form, queue: &str, now: SystemTime) -> Result {
        let [letter, died, attempts, from, reason, value] = self.cells(now);
        match form {
            Form::Wide => {
                return table.row(self, || [letter, died, attempts, from, reason, value]);
            }
            Form::Short => return table.row(self, || [letter, value]),
            Form::Tall => table.row(self, || [letter, died, attempts, value])?,
            Form::Narrow => {
                table.row(self, || [letter, died, attempts])?;
                table.below(&value)?;
            }
        }
        match (&*reason, &*from) {
            ("", _) => Ok(()),
            (reason, from) if from == queue => table.below(reason),
            (reason, from) => table.below(&format!("from {from}: {reason}")),
        }
    }

    fn cells(&self, now: SystemTime) -> [String; 6] {
        let died = self.died_ms.map(|it| relative(it as f64, unix_ms(now)));
        [
            self.letter.clone(),
            died.unwrap_or_default(),
            self.attempts.map(|it| it.to_string()).unwrap_or_default(),
            self.queue.clone().unwrap_or_default(),
            self.reason.clone().unwrap_or_default(),
            self.shown.text(),
        ]
    }
}
