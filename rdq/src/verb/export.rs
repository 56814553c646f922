//! `rdq export`

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use futures::{Stream, TryStreamExt};
use redisson_delayed_queue::Master;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;

use crate::element::list;
use crate::failure::{Failure, Result};
use crate::private_file::{self, Provisional};
use crate::queue::record::{Header, Record};
use crate::queue::{scored, unleased};
use crate::screen::number::count_of;
use crate::screen::progress::Progress;
use crate::screen::shell::{command_line, with_command};
use crate::session::Session;

/// Write a queue to a file of JSON lines, from which `rdq import` makes it again on any server.
///
/// The file has the pending elements with their exact bytes, due times and order, the ready elements,
/// the keys of keyed offers, periodic offers, the quarantine and the dead letters. It lacks what
/// processes hold at the moment (see `rdq leases`), and entries of the ordering list without due times
/// (see `rdq repair`). A note says how many are missing.
///
/// This is a copy of a live queue, read in portions. What becomes due meanwhile may stand in it twice,
/// what is offered or taken meanwhile may or may not stand in it. With --pause, Rust clients move and
/// take nothing from then on; stop Java clients and producers yourself.
///
/// Redis: reads each collection in portions of 500 entries or 256 KiB, and keyed and periodic offers in
/// portions of some 100, whatever their size. rdq holds 8 bytes of memory for
/// each pending element.
#[derive(Args, Debug)]
pub(crate) struct Export {
    /// The queue's name in Redis.
    queue: String,
    /// The file to write, which must not exist. Only you can read it. Default: stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Pause the queue first. It stays paused: `rdq resume` ends that.
    #[arg(long)]
    pause: bool,
    /// The name of the dead-letter queue. Default: {QUEUE}-dead, with the braces.
    #[arg(long, value_name = "NAME")]
    dead: Option<String>,
}

/// Where the lines go.
struct Lines {
    out: Box<dyn Write>,
    what: String,
    /// How many records were written, without the first and the last line.
    count: u64,
    progress: Progress,
    /// The file, if the lines go to one. It is closed before.
    file: Option<Provisional>,
}

/// One queue that is read.
struct Reader {
    master: Master,
    keys: QueueKeys,
    lines: Lines,
    /// How many entries of the ordering list had no due time.
    unscored: u64,
}

impl Export {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let queue = session.queue(&self.queue)?;
        let keys = QueueKeys::new(&self.queue)?;
        let dead = queue.dead_letters(self.dead.as_deref())?;
        let dead = QueueKeys::new(dead.name())?;
        let now = session.now(&self.queue).await?;
        let mut reader = Reader {
            master: session.client.master_of(&self.queue)?,
            keys,
            lines: Lines::open(self.output.as_ref(), session)?,
            unscored: 0,
        };
        if self.pause {
            queue.pause().await?;
            // Now, for whatever ends the run early.
            let resume = command_line(&["resume"], &self.queue, &[]);
            let paused = with_command("the queue is paused, until this ends it:", &resume);
            session.screen.note(&paused);
        }
        let header = Header::new(&self.queue, now);
        reader.lines.write(&Record::Queue(header))?;
        reader.read_all(&dead).await?;
        let records = reader.lines.count;
        reader.lines.write(&Record::End { records })?;
        reader.lines.finish()?;
        let held = reader.held().await?;
        let written = count_of(records, "record", "records");
        session.screen.note(&format!("{written} written"));
        if records == 0 {
            let queue = &self.queue;
            session
                .screen
                .note(&format!("nothing is in {queue}: the file has no elements"));
        }
        if reader.unscored > 0 {
            let left = format!(
                "not in the file: {} of the ordering list without a due time, moved meanwhile or left over:",
                count_of(reader.unscored, "entry", "entries"),
            );
            let list = command_line(&["repair"], &self.queue, &["-n", "100"]);
            session.screen.note(&with_command(&left, &list));
        }
        if held > 0 {
            let held = count_of(held, "element", "elements");
            session.screen.note(&format!(
                "not in the file: {held} that processes hold, see rdq leases"
            ));
        }
        let unleased = unleased::count_soon(&reader.master, &reader.keys).await?;
        let unleased = unleased.text("element that was claimed", "elements that were claimed");
        if let Some(count) = unleased {
            let left = format!("not in the file: {count} without a lease:");
            let doctor = command_line(&["doctor"], &self.queue, &[]);
            session.screen.note(&with_command(&left, &doctor));
        }
        Ok(())
    }
}

impl Reader {
    /// Writes everything, the dead letters of this queue, too.
    async fn read_all(&mut self, dead: &QueueKeys) -> Result {
        self.pending().await?;
        self.keyed().await?;
        self.periodic().await?;
        // Behind the pending elements: what becomes due meanwhile comes twice rather than not at
        // all.
        self.ready().await?;
        self.quarantined().await?;
        self.dead(dead).await
    }

    async fn pending(&mut self) -> Result {
        let hasher = RandomState::new();
        let mut listed = HashSet::new();
        let entries = self.entries(self.keys.ordering());
        let mut entries = std::pin::pin!(entries);
        while let Some(entry) = entries.try_next().await? {
            // An entry without a score is a ghost, or it has been moved.
            let Some(score) = entry.score else {
                self.unscored += 1;
                continue;
            };
            if listed.insert(hasher.hash_one(&entry.entry)) {
                self.lines.add(&Record::Pending {
                    ticket: entry.entry,
                    score: spelled(score),
                    listed: true,
                })?;
            }
        }
        let members = scored::members(self.master.clone(), self.keys.timeouts());
        let mut members = std::pin::pin!(members);
        while let Some((member, score)) = members.try_next().await? {
            if !listed.contains(&hasher.hash_one(&member)) {
                self.lines.add(&Record::Pending {
                    ticket: member,
                    score,
                    listed: false,
                })?;
            }
        }
        Ok(())
    }

    async fn keyed(&mut self) -> Result {
        let (keyed, due) = (
            self.keys.keyed().to_owned(),
            self.keys.keyed_due().to_owned(),
        );
        let keep_ms: i64 = self.master.query(cmd("PTTL").arg(&keyed)).await?;
        let fields = scored::fields(self.master.clone(), &keyed, &due);
        let mut fields = std::pin::pin!(fields);
        while let Some((key, ticket, score)) = fields.try_next().await? {
            self.lines.add(&Record::Keyed {
                key,
                ticket,
                score,
                keep_ms: keep_ms.max(0) as u64,
            })?;
        }
        Ok(())
    }

    async fn periodic(&mut self) -> Result {
        let (offers, due) = (self.keys.periodic(), self.keys.periodic_due());
        let fields = scored::fields(self.master.clone(), offers, due);
        let mut fields = std::pin::pin!(fields);
        while let Some((name, offer, score)) = fields.try_next().await? {
            self.lines.add(&Record::Periodic { name, offer, score })?;
        }
        Ok(())
    }

    async fn ready(&mut self) -> Result {
        let entries = self.entries(self.keys.target());
        let mut entries = std::pin::pin!(entries);
        while let Some(entry) = entries.try_next().await? {
            let payload = entry.entry;
            self.lines.add(&Record::Ready { payload })?;
        }
        Ok(())
    }

    async fn quarantined(&mut self) -> Result {
        let members = scored::members(self.master.clone(), self.keys.quarantine());
        let mut members = std::pin::pin!(members);
        while let Some((member, score)) = members.try_next().await? {
            self.lines.add(&Record::Quarantined { member, score })?;
        }
        Ok(())
    }

    async fn dead(&mut self, dead: &QueueKeys) -> Result {
        let letters = self.entries(dead.target());
        let mut letters = std::pin::pin!(letters);
        while let Some(letter) = letters.try_next().await? {
            let payload = letter.entry;
            self.lines.add(&Record::Dead { payload })?;
        }
        let notes = self.entries(dead.dead_notes());
        let mut notes = std::pin::pin!(notes);
        while let Some(note) = notes.try_next().await? {
            let note = note.entry;
            self.lines.add(&Record::DeadNote { note })?;
        }
        Ok(())
    }

    /// The entries of a list, with what their scores are in the timeout set of the queue.
    fn entries(&self, key: &str) -> impl Stream<Item = Result<list::Listed>> + Send + use<> {
        list::entries(self.master.clone(), &self.keys, key, 0)
    }

    /// How many elements processes hold or retry.
    async fn held(&self) -> Result<u64> {
        let keys = &self.keys;
        let mut held = 0;
        for key in [
            keys.leases(),
            keys.delivery_leases(),
            keys.retries(),
            keys.grouped(),
        ] {
            let count: u64 = self.master.query(cmd("ZCARD").arg(key)).await?;
            held += count;
        }
        Ok(held)
    }
}

impl Lines {
    fn open(path: Option<&PathBuf>, session: &Session) -> Result<Self> {
        let (out, what): (Box<dyn Write>, _) = match path {
            Some(path) => {
                let file = private_file::create(path)?;
                (Box::new(file), format!("cannot write {}", path.display()))
            }
            None => (Box::new(io::stdout()), "cannot write to stdout".to_owned()),
        };
        Ok(Self {
            out: Box::new(BufWriter::with_capacity(64 * 1_024, out)),
            what,
            count: 0,
            progress: session.screen.progress("elements", path.is_some()),
            file: path.map(|it| Provisional::new(it)),
        })
    }

    fn add(&mut self, record: &Record) -> Result {
        self.write(record)?;
        self.count += 1;
        self.progress.add(1);
        self.file.iter_mut().for_each(Provisional::keep);
        Ok(())
    }

    fn write(&mut self, record: &Record) -> Result {
        // Records have texts for keys.
        let line = serde_json::to_string(record).expect("records are plain values");
        let written = writeln!(self.out, "{line}");
        written.map_err(|source| self.failed(source))
    }

    fn finish(&mut self) -> Result {
        self.progress.finish();
        let flushed = self.out.flush();
        flushed.map_err(|source| self.failed(source))?;
        self.file.iter_mut().for_each(Provisional::keep);
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Failure {
        Failure::Io {
            what: self.what.clone(),
            source,
        }
    }
}

/// A score as Redis takes it, with all of its digits.
fn spelled(score: f64) -> String {
    match score {
        f64::INFINITY => "+inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        score => score.to_string(),
    }
}
