//! `rdq dlq`

use std::collections::HashSet;
use std::time::SystemTime;

use bytes::Bytes;
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use futures::TryStreamExt;
use redisson_delayed_queue::{DeadLetter, DeadLetters};
use serde::Serialize;

use crate::element::letter::name_of;
use crate::element::unix_ms;
use crate::failure::{Failure, Result};
use crate::payload::{Payloads, Shown};
use crate::queue::printed::Printed;
use crate::queue::record::Record;
use crate::screen::number::count_of;
use crate::screen::relative;
use crate::session::Session;

/// Show the dead letters of a queue, offer them again, or delete them.
///
/// Dead letters are elements that consumers of this Rust library could not handle. They stand in an
/// ordinary list, which Java reads, too. Beside it stand notes: why each is there, and since when.
#[derive(Args, Debug)]
pub(crate) struct Dlq {
    #[command(subcommand)]
    verb: DlqVerb,
}

#[derive(Debug, Subcommand)]
enum DlqVerb {
    Ls(Ls),
    Requeue(Requeue),
    Purge(Purge),
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

/// List dead letters with their notes, the newest first.
///
/// Redis: a script for each 100 letters or 256 KiB.
#[derive(Args, Debug)]
struct Ls {
    #[command(flatten)]
    place: Letterbox,
    /// Only those whose value or reason has this text in it.
    #[arg(long, value_name = "TEXT")]
    matching: Option<String>,
    /// At most this many.
    #[arg(short = 'n', long, default_value_t = 1_000)]
    limit: usize,
}

/// Offer dead letters again: they are due, and start with their first attempt.
///
/// Each goes to the end of the list of the queue that it came from. Letters without a note go to QUEUE.
///
/// Redis: as `ls`, then a script for each letter, O(N), N letters. With --all, a script for each 100
/// letters, unless letters of other queues stand there, too.
#[derive(Args, Debug)]
#[command(
    override_usage = "rdq dlq requeue <QUEUE> <LETTER>... [OPTIONS]\n       \
        rdq dlq requeue <QUEUE> --matching <TEXT>|--all [OPTIONS]"
)]
struct Requeue {
    #[command(flatten)]
    place: Letterbox,
    #[command(flatten)]
    which: Which,
}

/// Delete dead letters. Prints them first, with their notes.
///
/// Keep what it prints, `> letters.jsonl`: `rdq import QUEUE letters.jsonl` brings the letters back.
///
/// Redis: as `requeue`.
#[derive(Args, Debug)]
#[command(
    override_usage = "rdq dlq purge <QUEUE> <LETTER>... [OPTIONS]\n       \
        rdq dlq purge <QUEUE> --matching <TEXT>|--all [OPTIONS]"
)]
struct Purge {
    #[command(flatten)]
    place: Letterbox,
    #[command(flatten)]
    which: Which,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct Which {
    /// The letters' names in `ls`, or their beginnings, or the ids of their deliveries.
    #[arg(
        value_name = "LETTER",
        value_parser = NonEmptyStringValueParser::new()
    )]
    letters: Vec<String>,
    /// Those whose value or reason has this text in it.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    matching: Option<String>,
    /// All letters.
    #[arg(long)]
    all: bool,
}

/// A dead letter as it is shown.
#[derive(Serialize)]
struct Row {
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

/// What was done.
#[derive(Serialize)]
struct Done {
    done: usize,
}

type Letters = DeadLetters<Bytes>;
type Letter = DeadLetter<Bytes>;

impl Dlq {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        match &self.verb {
            DlqVerb::Ls(verb) => verb.run(session).await,
            DlqVerb::Requeue(verb) => verb.run(session).await,
            DlqVerb::Purge(verb) => verb.run(session).await,
        }
    }
}

impl Letterbox {
    fn letters(&self, session: &Session) -> Result<Letters> {
        let queue = session.queue(&self.queue)?;
        Ok(queue.dead_letters(self.dead.as_deref())?)
    }
}

impl Ls {
    async fn run(&self, session: &Session) -> Result {
        let payloads = session.payloads(&self.place.queue)?;
        let dead = self.place.letters(session)?;
        let now = session.now(&self.place.queue).await?;
        let columns = [
            ("LETTER", 12),
            (">DIED", 14),
            (">ATTEMPTS", 8),
            ("QUEUE", 12),
            ("REASON", 24),
            ("VALUE", 20),
        ];
        let mut table = session.screen.flow(&columns);
        let mut letters = dead.iter();
        let mut count = 0;
        while let Some(letter) = letters.try_next().await? {
            let row = Row::of(&letter, &payloads);
            if !row.matches(self.matching.as_deref()) {
                continue;
            }
            if count == self.limit {
                table.flush()?;
                session
                    .screen
                    .note(&format!("only {count} shown: see --limit"));
                break;
            }
            table.row(&row, || row.cells(now))?;
            count += 1;
            if count % 100 == 1 {
                table.flush()?;
            }
        }
        table.flush()?;
        if count == 0 && !session.screen.is_json() {
            let such = match self.matching {
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

impl Requeue {
    async fn run(&self, session: &Session) -> Result {
        let dead = self.place.letters(session)?;
        let queue = &self.place.queue;
        if self.which.all && is_of_one_queue(&dead, queue).await? {
            let count = match dead.len().await? {
                0 => return Err(Failure::Nothing(format!("{queue} has no dead letters"))),
                count => letters(count),
            };
            session.confirm(&format!("Offer {count} to {queue} again?"))?;
            let done = dead.requeue_all().await?;
            return say(session, "offered again", done);
        }
        let found = self.which.find(session, &self.place, &dead).await?;
        if self.which.letters.is_empty() {
            session.confirm(&format!("Offer {} again?", letters(found.len())))?;
        }
        let mut done = 0;
        // The oldest first, as they came.
        for letter in found.iter().rev() {
            let requeued = dead.requeue(letter).await;
            done += usize::from(requeued.map_err(|it| stopped(it, "offered again", done))?);
        }
        say(session, "offered again", done)
    }
}

impl Purge {
    async fn run(&self, session: &Session) -> Result {
        let dead = self.place.letters(session)?;
        let found = self.which.find(session, &self.place, &dead).await?;
        session.confirm(&format!("Delete {} for ever?", letters(found.len())))?;
        let mut printed = Printed::begin(session, &self.place.queue).await?;
        let mut done = 0;
        // The oldest first, as `rdq import` brings them back.
        for letter in found.iter().rev() {
            let purge = async {
                let mut records = Record::of_letter(letter).into_iter();
                records.try_for_each(|it| printed.add(&it))?;
                Ok::<_, Failure>(dead.purge(letter).await?)
            };
            done += usize::from(purge.await.map_err(|it| stopped(it, "deleted", done))?);
        }
        session.screen.note(&format!("deleted: {}", letters(done)));
        printed.end()
    }
}

/// The failure at a letter, after so many.
fn stopped(failure: impl Into<Failure>, what: &str, done: usize) -> Failure {
    match done {
        0 => failure.into(),
        _ => failure
            .into()
            .after(format!("{what} before it failed: {}", letters(done))),
    }
}

fn letters(count: usize) -> String {
    count_of(count as u64, "dead letter", "dead letters")
}

fn say(session: &Session, what: &str, done: usize) -> Result {
    match done {
        0 => Err(Failure::Nothing("no such dead letter any more".to_owned())),
        _ => session
            .screen
            .say(&format!("{done} {what}"), &Done { done }),
    }
}

/// True if all letters came from this queue, or have no note.
async fn is_of_one_queue(dead: &Letters, queue: &str) -> Result<bool> {
    let mut letters = dead.iter();
    while let Some(letter) = letters.try_next().await? {
        if letter.queue().is_some_and(|it| it != queue) {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Which {
    /// The letters that are meant, the newest first. At least one.
    async fn find(
        &self,
        session: &Session,
        place: &Letterbox,
        dead: &Letters,
    ) -> Result<Vec<Letter>> {
        let payloads = session.payloads(&place.queue)?;
        let mut letters = dead.iter();
        let mut found: Vec<(Option<usize>, Letter)> = Vec::new();
        while let Some(letter) = letters.try_next().await? {
            let row = Row::of(&letter, &payloads);
            let named = self.letters.iter().position(|it| row.is_called(it));
            if self.all
                || named.is_some()
                || self.matching.is_some() && row.matches(self.matching.as_deref())
            {
                found.push((named, letter));
            }
        }
        for (place, name) in self.letters.iter().enumerate() {
            let mut bytes = found.iter().filter(|(named, _)| *named == Some(place));
            let Some((_, first)) = bytes.next() else {
                return Err(Failure::Nothing(format!("no dead letter is called {name}")));
            };
            // Equal letters without notes have one name, and any of them will do.
            if bytes.any(|(_, it)| name_of(it) != name_of(first)) {
                return Err(Failure::usage(format!("{name} names several dead letters")));
            }
        }
        if !self.letters.is_empty() {
            let mut seen = HashSet::new();
            found.retain(|(named, _)| seen.insert(*named));
        }
        if found.is_empty() {
            return Err(Failure::Nothing("no such dead letter".to_owned()));
        }
        Ok(found.into_iter().map(|(_, letter)| letter).collect())
    }
}

impl Row {
    fn of(letter: &Letter, payloads: &Payloads) -> Self {
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

    fn is_called(&self, name: &str) -> bool {
        self.letter.starts_with(name) || self.id.as_deref() == Some(name)
    }

    fn matches(&self, text: Option<&str>) -> bool {
        text.is_none_or(|text| {
            let in_reason = self.reason.as_ref().is_some_and(|it| it.contains(text));
            in_reason || self.shown.contains(text)
        })
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
