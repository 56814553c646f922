//! `rdq import`

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::LazyLock;

use bytes::Bytes;
use clap::Args;
use futures::stream::{self, LocalBoxStream, StreamExt, TryStreamExt};
use redisson_delayed_queue::Master;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::script::Script;
use serde::Serialize;

use crate::argument::input;
use crate::failure::{Failure, Result};
use crate::queue::letters::renamed;
use crate::queue::record::{Header, Record, fresh_id};
use crate::queue::script::{lua, run};
use crate::screen::number::count_of;
use crate::screen::progress::Progress;
use crate::session::Session;

/// Make a queue from a file of `rdq export`, or add the file to a queue that exists.
///
/// Members keep their bytes, due times and order. A member that is pending there already stays as it
/// is. Redis remembers for a week how far the file has come, so an interrupted import goes on where it
/// stopped, and a second one changes nothing, even if elements were moved and taken since.
///
/// In a queue of another name, the dead letters of the old one belong to the new one.
///
/// Clients that wait for the queue hear of it once, at the end.
///
/// Redis: a script for at most 500 records and 256 KiB, or for one record that is larger. Each is atomic.
#[derive(Args, Debug)]
pub(crate) struct Import {
    /// The queue's name in Redis. It may differ from the one in the file.
    queue: String,
    /// The file to read; - for stdin.
    file: PathBuf,
    /// The name of the dead-letter queue. Default: {QUEUE}-dead, with the braces.
    #[arg(long, value_name = "NAME")]
    dead: Option<String>,
    /// Begin anew although Redis remembers this file: for a queue that was deleted since.
    #[arg(long)]
    again: bool,
}

/// What an import did.
#[derive(Serialize)]
struct Imported {
    /// How many records the file has.
    records: u64,
    /// How many were there already, or written by an earlier run.
    known: u64,
    /// How many this run wrote.
    written: u64,
}

/// How long Redis remembers an import.
const KEEP_MS: u64 = 7 * 86_400_000;

/// The most records in one script, and the most bytes. A record with more has a script of its own.
const MOST: usize = 500;
const MOST_BYTES: usize = 256 * 1_024;

static IMPORT: LazyLock<Script> = lua!("import");
static ANNOUNCE: LazyLock<Script> = lua!("announce");

/// The queue that is written.
struct Writer {
    master: Master,
    keys: QueueKeys,
    dead: QueueKeys,
    /// The name of the queue that was exported.
    old_name: String,
    /// The import's name among what Redis remembers.
    id: Bytes,
    /// How many records earlier runs have written.
    done: u64,
    /// How many records were read.
    read: u64,
    /// What goes into the next script.
    portion: Vec<Bytes>,
    bytes: usize,
    written: u64,
    lowest: Option<f64>,
    /// How long the keys of keyed offers live at least, ms.
    keyed_ms: u64,
    progress: Progress,
}

impl Import {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let mut lines = Lines::open(self.file.clone())?;
        let header = match lines.next().await {
            Ok(Some(Record::Queue(header))) => header,
            Err(failure @ Failure::Io { .. }) => return Err(failure),
            _ => {
                return Err(lines.wrong(
                    "this is no file of rdq export; what rdq drain wrote, \
                     rdq offer --lines=elements reads",
                ));
            }
        };
        if header.version != Header::VERSION {
            let reason = format!("version {} of the layout is not known", header.version);
            return Err(lines.wrong(&reason));
        }
        let queue = session.queue(&self.queue)?;
        let dead = queue.dead_letters(self.dead.as_deref())?;
        let id = match self.again {
            true => fresh_id(),
            false => header.id,
        };
        let mut writer = Writer {
            master: session.client.master_of(&self.queue)?,
            keys: QueueKeys::new(&self.queue)?,
            dead: QueueKeys::new(dead.name())?,
            old_name: header.queue,
            done: 0,
            read: 0,
            id,
            portion: Vec::new(),
            bytes: 0,
            written: 0,
            lowest: None,
            keyed_ms: 0,
            progress: session.screen.progress("records", true),
        };
        writer.done = writer.find_done().await?;
        let done = writer.write(&mut lines).await;
        let announced = match (&done, writer.written) {
            (Err(_), 0) => Ok(()),
            _ => writer.announce().await,
        };
        writer.progress.finish();
        // The first failure is the one to report.
        if let Err(failure) = done.and(announced) {
            return Err(failure.after_some(writer.written, |written| {
                let written = count_of(written, "record was written", "records were written");
                format!("{written} before it failed, and another run goes on behind them")
            }));
        }
        let (records, written) = (writer.read, writer.written);
        let known = records - written;
        let text = format!(
            "{written} of {} written, {known} there already",
            count_of(records, "record", "records")
        );
        if written == 0 && known > 0 && !session.screen.is_json() {
            let note = "Redis remembers this file: if the queue was deleted since, say --again";
            session.screen.note(note);
        }
        let imported = Imported {
            records,
            known,
            written,
        };
        session.screen.say(&text, &imported)
    }
}

impl Writer {
    /// Writes the records of the file.
    async fn write(&mut self, lines: &mut Lines) -> Result {
        let mut is_whole = false;
        while let Some(record) = lines.next().await? {
            if let Record::End { records } = record {
                is_whole = records == self.read;
                break;
            }
            if matches!(record, Record::Queue(_)) {
                return Err(lines.wrong("another file begins here"));
            }
            let score = lines.score(&record)?;
            self.add(record, score).await?;
        }
        self.flush().await?;
        match is_whole {
            true => Ok(()),
            false => Err(lines.wrong("the file ends early, and records are missing")),
        }
    }

    /// How many records of the file earlier runs have written.
    async fn find_done(&self) -> Result<u64> {
        // Each byte behind a backslash stands for itself.
        let mut pattern: Vec<u8> = self.id.iter().flat_map(|byte| [b'\\', *byte]).collect();
        pattern.push(b'*');
        let mut cursor = 0_u64;
        loop {
            let mut command = cmd("ZSCAN");
            command.arg(self.keys.settled()).arg(cursor).arg("MATCH");
            command.arg(&pattern[..]).arg("COUNT").arg(1_000);
            let (next, tokens): (u64, Vec<(Vec<u8>, f64)>) = self.master.query(&command).await?;
            let counts = tokens.iter().filter_map(|(token, _)| {
                let rest = token.strip_prefix(&self.id[..])?.strip_suffix(b"i")?;
                Some(u64::from_be_bytes(rest.try_into().ok()?))
            });
            if let Some(count) = counts.max() {
                return Ok(count);
            }
            cursor = next;
            if cursor == 0 {
                return Ok(0);
            }
        }
    }

    async fn add(&mut self, record: Record, number: Option<f64>) -> Result {
        let none = Bytes::new;
        let (kind, fields) = match record {
            Record::Pending {
                ticket,
                score,
                listed,
            } => {
                self.lowest = match (self.lowest, number) {
                    (Some(lowest), Some(number)) => Some(lowest.min(number)),
                    (lowest, number) => lowest.or(number),
                };
                let kind = if listed { "l" } else { "u" };
                (kind, [ticket, score.into(), none()])
            }
            Record::Keyed {
                key,
                ticket,
                score,
                keep_ms,
            } => {
                self.keyed_ms = self.keyed_ms.max(keep_ms);
                ("k", [key, ticket, score.into()])
            }
            Record::Periodic { name, offer, score } => ("p", [name, offer, score.into()]),
            Record::Ready { payload } => ("r", [payload, none(), none()]),
            Record::Quarantined { member, score } => ("q", [member, score.into(), none()]),
            Record::Dead { payload } => ("d", [payload, none(), none()]),
            Record::DeadNote { note } => {
                let note = renamed(note, &self.old_name, self.keys.target());
                ("n", [note, none(), none()])
            }
            Record::Queue(_) | Record::End { .. } => {
                unreachable!("the caller keeps the first line and the last")
            }
        };
        let bytes = fields.iter().map(Bytes::len).sum::<usize>();
        if self.bytes + bytes > MOST_BYTES {
            self.flush().await?;
        }
        self.read += 1;
        self.progress.add(1);
        if self.read <= self.done {
            return Ok(());
        }
        self.bytes += bytes;
        self.portion.push(Bytes::from_static(kind.as_bytes()));
        self.portion.extend(fields);
        match self.portion.len() == 4 * MOST || self.bytes >= MOST_BYTES {
            true => self.flush().await,
            false => Ok(()),
        }
    }

    /// Writes what was read.
    async fn flush(&mut self) -> Result {
        if self.portion.is_empty() {
            return Ok(());
        }
        let before = match self.done {
            0 => Vec::new(),
            done => self.token(done),
        };
        let mut call = IMPORT.of_both(&self.keys, &self.dead);
        call.arg("before", before)
            .arg("after", self.token(self.read))
            .arg("keep_ms", KEEP_MS)
            .arg("keyed_ms", self.keyed_ms);
        for field in self.portion.drain(..) {
            call.more(&field[..]);
        }
        self.bytes = 0;
        let written: i64 = run(&self.master, &mut call).await?;
        let Ok(written) = u64::try_from(written) else {
            return Err(Failure::usage(
                "another run imports this file at the moment, or the queue was deleted meanwhile",
            ));
        };
        self.done = self.read;
        self.written += written;
        Ok(())
    }

    /// Tells clients that wait when the head is due, if this import wrote it.
    async fn announce(&self) -> Result {
        let Some(lowest) = self.lowest.filter(|it| it.is_finite()) else {
            return Ok(());
        };
        let mut call = ANNOUNCE.of(&self.keys);
        call.arg("lowest", lowest.to_string())
            .arg("channel", self.keys.channel());
        let _: u64 = run(&self.master, &mut call).await?;
        Ok(())
    }

    /// What Redis remembers once so many records are written.
    fn token(&self, count: u64) -> Vec<u8> {
        [&self.id[..], &count.to_be_bytes(), b"i"].concat()
    }
}

/// The lines of the file.
struct Lines {
    path: PathBuf,
    lines: LocalBoxStream<'static, Result<(u64, String)>>,
    /// The number of the line that was read last.
    number: u64,
}

impl Lines {
    fn open(path: PathBuf) -> Result<Self> {
        let lines = match path.as_os_str() == "-" {
            true => input::long_lines().boxed_local(),
            false => lines_of(path.clone())?,
        };
        Ok(Self {
            path,
            lines,
            number: 0,
        })
    }

    /// The next record.
    async fn next(&mut self) -> Result<Option<Record>> {
        let Some((number, line)) = self.lines.try_next().await? else {
            return Ok(None);
        };
        self.number = number;
        let record = serde_json::from_str(&line).map_err(|it| self.wrong(&it.to_string()))?;
        Ok(Some(record))
    }

    /// The score of the record that was read last; an error if Redis would refuse it.
    fn score(&self, record: &Record) -> Result<Option<f64>> {
        let Some(score) = record.score() else {
            return Ok(None);
        };
        match score.parse::<f64>() {
            Ok(number) if !number.is_nan() => Ok(Some(number)),
            _ => Err(self.wrong("the score is no number")),
        }
    }

    fn wrong(&self, reason: &str) -> Failure {
        let (path, number) = (self.path.display(), self.number);
        Failure::usage(format!("{path}, line {number}: {reason}"))
    }
}

/// The lines of a file with their numbers from 1 on.
fn lines_of(path: PathBuf) -> Result<LocalBoxStream<'static, Result<(u64, String)>>> {
    let file = File::open(&path).map_err(|it| Failure::read(&path, it))?;
    let lines = BufReader::with_capacity(64 * 1_024, file).lines();
    let lines = (1..).zip(lines).map(move |(number, line)| match line {
        Ok(line) => Ok((number, line)),
        Err(source) => Err(Failure::read(&path, source)),
    });
    Ok(stream::iter(lines).boxed_local())
}
