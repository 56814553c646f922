//! `rdq repair`

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use redisson_delayed_queue::keys::QueueKeys;
use serde::Serialize;

use crate::argument::count;
use crate::element::SHORT_ID;
use crate::failure::{Failure, Result};
use crate::queue::census::{Census, Depth, Members};
use crate::queue::nodes::Nodes;
use crate::repair::{
    Backup, Choices, Fix, Ghosts, Header, Origin, Plan, Tallies, Tally, Unlisted, apply, list,
    plan, read_backup, undo,
};
use crate::screen::number::count_of;
use crate::screen::shell::{command_line, with_command};
use crate::session::Session;
use crate::session::clock::now_us;

/// Put right what `rdq doctor` finds among the members of a queue.
///
/// Without `--apply`, changes nothing, and prints what it would do; with `-n`, each member with its value.
/// With `--apply`, each change is in a file on the disk before Redis gets it, and `--undo FILE` takes the
/// changes back. The queue may go on working: each step is atomic, and changes a member only if it still
/// stands where it was seen.
///
/// `rdq migrate` changes the members of Redisson 3.21.0 and older. Keys of a wrong type are left to you.
///
/// Redis: reads the queue twice, as `rdq doctor --full` does. Then scripts of some 5 ms, with rests as
/// long as they take.
#[derive(Args, Debug)]
pub(crate) struct Repair {
    /// The queue's name in Redis.
    queue: String,
    /// Make the changes.
    #[arg(long)]
    apply: bool,
    /// List what stands where it does not belong, with its id and its value: at most so many rows; 0 for
    /// all. Changes nothing. --json has the tickets, too.
    #[arg(
        short = 'n',
        long,
        value_name = "COUNT",
        value_parser = count::most,
        conflicts_with_all = ["apply", "undo"]
    )]
    limit: Option<usize>,
    /// Put right only these.
    #[arg(long, value_delimiter = ',', value_name = "WHAT")]
    only: Vec<Fix>,
    /// What to do with entries of the ordering list that have no due time, and may be all that is left of
    /// elements.
    ///
    /// Default: leave them. Entries whose elements were delivered or removed for certain are removed in any
    /// case: an older and a newer element are pending still, so the timeout set was not lost.
    ///
    /// Stop all movers before `deliver`: Java services that call getDelayedQueue, and Rust clients. When a
    /// mover has just delivered an element that was listed twice, its second entry has no due time either,
    /// and the element would come again. `rdq pause` does not stop Java.
    #[arg(long, value_name = "WHAT")]
    ghosts: Option<Ghosts>,
    /// What to do with elements that the ordering list lacks.
    #[arg(long, value_name = "WHAT", default_value = "list")]
    unlisted: Unlisted,
    /// The file for what is changed. Default: rdq-repair-QUEUE-TIME.jsonl in this directory.
    #[arg(long, value_name = "FILE")]
    backup: Option<PathBuf>,
    /// Take back the changes that are in this file, and note in it which ones are taken back.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["apply", "only", "backup", "ghosts", "unlisted"]
    )]
    undo: Option<PathBuf>,
    /// Take them back although this server, or this database, is not the one of the repair.
    #[arg(long, requires = "undo")]
    other_server: bool,
}

/// What is to be done.
#[derive(Serialize)]
struct Planned {
    fix: Fix,
    count: u64,
    example: Option<String>,
}

/// What was done.
#[derive(Serialize)]
struct Row {
    fix: Fix,
    done: u64,
    changed_meanwhile: u64,
    not_found: u64,
    no_room: u64,
    backup: Option<PathBuf>,
}

impl Repair {
    /// True if it takes a repair back. The queue may have vanished since.
    pub(crate) fn is_undo(&self) -> bool {
        self.undo.is_some()
    }

    pub(crate) async fn run(&self, session: &Session) -> Result {
        let keys = QueueKeys::new(&*self.queue)?;
        let master = session.client.master_of(&self.queue)?;
        let members = Members {
            master: &master,
            keys: &keys,
        };
        let now_ms = now_us(&master).await? / 1_000;
        if let Some(path) = &self.undo {
            return self.undo(session, members, path, now_ms).await;
        }
        let choices = Choices {
            fixes: self.fixes(),
            ghosts: self.ghosts,
            unlisted: self.unlisted,
            now_ms,
        };
        let census = Census::take(members, Depth::Full, MOST_BYTES).await?;
        if let Some(limit) = self.limit {
            return self.list(session, &census, &choices.fixes, limit);
        }
        let planned = plan(&census, &choices);
        let choose = (planned.left > 0).then(|| choose(planned.left));
        if planned.changes.is_empty() {
            return match choose {
                Some(choose) if self.apply => Err(Failure::usage(choose)),
                choose => {
                    let nothing = "There is nothing to repair.".to_owned();
                    session.screen.note(&choose.unwrap_or(nothing));
                    Ok(())
                }
            };
        }
        if let Some(choose) = choose {
            session.screen.note(&choose);
        }
        if !self.apply {
            self.print(session, &planned)?;
            let again = self.again(&["--apply"]);
            let said = "Nothing was changed. This does it:";
            session.screen.note(&with_command(said, &again));
            return Ok(());
        }
        self.make(session, members, &planned, now_ms).await
    }

    /// Prints each member that does not belong where it stands.
    fn list(&self, session: &Session, census: &Census, fixes: &[Fix], limit: usize) -> Result {
        let payloads = session.payloads(&self.queue)?;
        let columns = [
            ("FINDING", 9),
            ("ID", SHORT_ID),
            (">PLACE", 7),
            (">SCORE", 16),
            ("VALUE", 20),
        ];
        let mut table = session.screen.flow(&columns);
        let mut rows = list(census, fixes, &payloads);
        let mut shown = 0;
        for row in rows.by_ref().take(limit) {
            table.row(&row, || row.cells())?;
            shown += 1;
        }
        table.flush()?;
        if shown == 0 && !session.screen.is_json() {
            session.screen.note("There is nothing to repair.");
        }
        if rows.next().is_some() {
            session.screen.note(&count::has_more(shown));
        }
        Ok(())
    }

    /// Makes the changes after a question, each after it is in the backup.
    async fn make(
        &self,
        session: &Session,
        members: Members<'_>,
        planned: &Plan,
        now_ms: u64,
    ) -> Result {
        let what: Vec<String> = planned
            .found
            .iter()
            .map(|(fix, (count, _))| fix.counted(*count))
            .collect();
        let mut question = format!("Repair {} in {}?", what.join(", "), self.queue);
        if self.ghosts == Some(Ghosts::Deliver) {
            let nodes = Nodes::find(session, session.client.masters()).await;
            let listening = nodes.listening(members.keys.channel()).await?;
            let java = match listening.is_rust {
                true => "",
                false => ", and a pause does not stop Java",
            };
            question = format!(
                "{} While a client moves elements, some come twice{java}. Are all movers stopped? {question}",
                listening.text
            );
        }
        session.confirm(&question)?;
        let path = self
            .backup
            .clone()
            .unwrap_or_else(|| self.default_path(now_ms));
        let origin = Origin::of(session, members.master).await?;
        let header = Header::new(&self.queue, origin, now_ms);
        let mut backup = Backup::create(path, &header)?;
        let path = backup.path().display();
        session.screen.note(&format!(
            "Each change is written to {path} before it is made."
        ));
        let bar = session.screen.progress("changes", true);
        let mut done = Tallies::new();
        let progress = |count| bar.add(count as u64);
        let applied = apply(members, &planned.changes, &mut backup, &mut done, progress);
        let applied = applied.await;
        bar.finish();
        let path = backup.path().display();
        let undo = command_line(&["repair"], &self.queue, &["--undo", &path.to_string()]);
        let back = with_command("This takes back what was done:", &undo);
        if let Err(failure) = applied {
            return Err(failure.after_some(made(&done), |made| {
                session.screen.note(&back);
                let made = count_of(made, "change was made", "changes were made");
                format!("{made} before it failed")
            }));
        }
        self.report(session, &done, Some(backup.path()))?;
        if done.values().any(|it| it.lost > 0) {
            session.screen.note(
                "What was not found has left the list since: a mover or another repair has removed it. In a list \
                 of more than 200,000 entries it may still be there: run this again.",
            );
        }
        session.screen.note(&back);
        if planned.is_cut {
            session
                .screen
                .note("There is more than fits into one run: run this again.");
        }
        Ok(())
    }

    async fn undo(
        &self,
        session: &Session,
        members: Members<'_>,
        path: &Path,
        now_ms: u64,
    ) -> Result {
        let recorded = read_backup(path)?;
        let (header, changes) = (recorded.header, recorded.changes);
        if header.queue != self.queue {
            let reason = format!("{} is about the queue {}", path.display(), header.queue);
            return Err(Failure::usage(reason));
        }
        let here = Origin::of(session, members.master).await?;
        let ago_ms = now_ms.saturating_sub(header.at_ms);
        if !self.other_server && !header.origin.is(&here, ago_ms) {
            return Err(Failure::usage(format!(
                "{} is about {}, and this is {here}: if it has the same elements, say \
                 --other-server",
                path.display(),
                header.origin
            )));
        }
        let shown = path.display();
        if recorded.undone > 0 {
            let (undone, left) = (recorded.undone, changes.len());
            session.screen.note(&match left {
                0 => format!("All changes of {shown} are taken back already."),
                _ => {
                    format!("{undone} changes of {shown} are taken back already, {left} are not.")
                }
            });
        }
        if changes.is_empty() {
            return Ok(());
        }
        let question = format!("Take back {} changes in {}?", changes.len(), self.queue);
        session.confirm(&question)?;
        let mut backup = Backup::append(path.to_owned())?;
        let bar = session.screen.progress("changes", true);
        let mut done = Tallies::new();
        let progress = |count| bar.add(count as u64);
        let undone = undo(members, changes, &mut backup, &mut done, progress).await;
        bar.finish();
        undone.map_err(|failure| {
            failure.after_some(made(&done), |made| {
                let made = count_of(made, "change was taken back", "changes were taken back");
                format!("{made} before it failed: run this again")
            })
        })?;
        self.report(session, &done, None)?;
        if made(&done) == 0 && done.values().all(|it| it.full == 0) {
            let text = "Nothing was taken back: the elements were moved since.";
            session.screen.note(text);
        }
        if done.values().any(|it| it.lost > 0) {
            session.screen.note(
                "What was not found has left the list since, or an undo that was killed has taken it \
                 back. In a list of more than 200,000 entries it may still be there: run this again.",
            );
        }
        Ok(())
    }

    fn print(&self, session: &Session, planned: &Plan) -> Result {
        let rows: Vec<Planned> = planned
            .found
            .iter()
            .map(|(fix, (count, example))| Planned {
                fix: *fix,
                count: *count,
                example: example.clone(),
            })
            .collect();
        session
            .screen
            .rows(&["FIX", ">COUNT", "WHAT", "SUCH AS"], &rows, |row| {
                vec![
                    spelled(&row.fix),
                    row.count.to_string(),
                    self.what(row.fix).to_owned(),
                    row.example.clone().unwrap_or_default(),
                ]
            })
    }

    fn report(&self, session: &Session, done: &Tallies, backup: Option<&Path>) -> Result {
        let row = |(fix, tally): (&Fix, &Tally)| Row {
            fix: *fix,
            done: tally.done,
            changed_meanwhile: tally.changed,
            not_found: tally.lost,
            no_room: tally.full,
            backup: backup.map(Path::to_owned),
        };
        let rows: Vec<Row> = done.iter().map(row).collect();
        let headings = [
            "FIX",
            ">DONE",
            ">CHANGED MEANWHILE",
            ">NOT FOUND",
            ">NO ROOM",
        ];
        session.screen.rows(&headings, &rows, |row| {
            let counts = [row.done, row.changed_meanwhile, row.not_found, row.no_room];
            let counts = counts.iter().map(u64::to_string);
            [spelled(&row.fix)].into_iter().chain(counts).collect()
        })?;
        if done.values().any(|it| it.full > 0) {
            let text = "The quarantine is full: read it, empty it with rdq quarantine, and run this again.";
            session.screen.note(text);
        }
        Ok(())
    }

    /// This run once more, with more options.
    fn again(&self, more: &[&str]) -> String {
        let only: Vec<String> = self.only.iter().map(spelled).collect();
        let only = only.join(",");
        let ghosts = self.ghosts.as_ref().map(spelled);
        let backup = self.backup.as_ref().map(|it| it.display().to_string());
        let mut options = Vec::new();
        if !only.is_empty() {
            options.extend(["--only", &only]);
        }
        if let Some(ghosts) = &ghosts {
            options.extend(["--ghosts", ghosts]);
        }
        if self.unlisted == Unlisted::Drop {
            options.extend(["--unlisted", "drop"]);
        }
        if let Some(backup) = &backup {
            options.extend(["--backup", backup]);
        }
        options.extend(more);
        command_line(&["repair"], &self.queue, &options)
    }

    fn fixes(&self) -> Vec<Fix> {
        match &self.only[..] {
            [] => Fix::value_variants().to_vec(),
            some => some.to_vec(),
        }
    }

    fn what(&self, fix: Fix) -> &'static str {
        match (fix, self.ghosts, self.unlisted) {
            (Fix::Malformed, ..) => "put into the quarantine",
            (Fix::Scores, ..) => "give the nearest due time from 0 to 2^53 ms",
            (Fix::Seconds, ..) => "multiply the due time by 1,000",
            (Fix::Repeats, ..) => "remove the second entry from the ordering list",
            (Fix::Ghosts, Some(Ghosts::Deliver), _) => "make due now, or remove if delivered",
            (Fix::Ghosts, ..) => "remove from the ordering list",
            (Fix::Unlisted, _, Unlisted::List) => "append to the ordering list",
            (Fix::Unlisted, _, Unlisted::Drop) => "remove",
        }
    }

    fn default_path(&self, now_ms: u64) -> PathBuf {
        let safe = |it: char| {
            if it.is_alphanumeric() || "-_.".contains(it) {
                it
            } else {
                '_'
            }
        };
        // A file system takes 255 bytes.
        let name: String = self.queue.chars().map(safe).take(50).collect();
        PathBuf::from(format!("rdq-repair-{name}-{now_ms}.jsonl"))
    }
}

/// What to say about so many elements whose entries may be all that is left of elements.
fn choose(left: u64) -> String {
    format!(
        "{} delivered: stop all movers and say --ghosts deliver if the timeout set was lost, or say \
         --ghosts drop if the services handled them",
        count_of(
            left,
            "element is listed without a due time, and nothing tells whether it was",
            "elements are listed without due times, and nothing tells whether they were"
        ),
    )
}

/// How many changes were made.
fn made(done: &Tallies) -> u64 {
    done.values().map(|it| it.done).sum()
}

/// About how many bytes of members of a kind one run repairs.
const MOST_BYTES: usize = 64 << 20;

/// The value as an option has it.
fn spelled(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map(|it| it.get_name().to_owned()).unwrap_or_default()
}
