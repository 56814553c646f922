//! `rdq leases`

use std::time::SystemTime;

use bytes::Bytes;
use clap::{ArgGroup, Args, Subcommand};
use futures::TryStreamExt;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{LeaseKind, LeasedElement};
use serde::Serialize;

use crate::argument::count;
use crate::element::lease::Lease;
use crate::element::unix_ms;
use crate::failure::{Failure, Result};
use crate::payload::{Payloads, Shown};
use crate::queue::unleased;
use crate::screen::number::count_of;
use crate::screen::relative;
use crate::screen::shell::{command_line, with_command};
use crate::session::Session;

/// Show what Rust processes hold of a queue, and take it from them.
///
/// Only this Rust library leases elements: take() until the hand-over, and consumers until they
/// acknowledge. What Java has popped is nowhere in Redis.
/// `rdq leases QUEUE` is short for `rdq leases ls QUEUE`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Leases {
    #[command(subcommand)]
    verb: Option<LeasesVerb>,
    #[command(flatten)]
    ls: Option<Ls>,
}

#[derive(Debug, Subcommand)]
enum LeasesVerb {
    Ls(Ls),
    Release(Release),
}

/// List who holds which element, until when, and at which attempt.
///
/// First what take() has claimed, then what consumers have in flight, then what waits for another
/// attempt, each by its time. A note says how many elements were claimed and have no lease.
///
/// Redis: a script for each 500 elements or 256 KiB of payload.
#[derive(Args, Debug)]
struct Ls {
    /// The queue's name in Redis.
    queue: String,
    /// Only what this worker holds: the 16 digits with which its leases begin.
    #[arg(long)]
    holder: Option<String>,
    /// Only leases that have run out, and attempts that are due.
    #[arg(long)]
    expired: bool,
    /// The most rows; 0 for all.
    #[arg(short = 'n', long, value_name = "COUNT", default_value = "1000", value_parser = count::most)]
    limit: usize,
}

/// Take elements from the processes that hold them, for example from a killed one.
///
/// What take() had claimed goes back to the head of the list where Java finds it. A delivery of a
/// consumer is due at once for its next attempt. If the process still runs, its acknowledgement is
/// refused, but what take() has handed over comes twice: so rdq asks before it takes a lease that has
/// not run out, or elements whose leases are gone.
///
/// Redis: a script for each 500 elements or 256 KiB of payload. Each script is atomic, and an
/// interrupted run can be repeated. With --unleased, also two scripts of 1 ms for each 1,000 claimed
/// elements.
#[derive(Args, Debug)]
#[command(
    group(ArgGroup::new("which").args(["leases", "all", "expired", "holder", "unleased"]).required(true).multiple(true)),
    override_usage = "rdq leases release <QUEUE> <LEASE>... [OPTIONS]\n       \
        rdq leases release <QUEUE> --all|--expired|--holder <HOLDER>|--unleased [OPTIONS]"
)]
struct Release {
    /// The queue's name in Redis.
    queue: String,
    /// The leases, as `rdq leases ls` shows them.
    #[arg(value_name = "LEASE")]
    leases: Vec<String>,
    /// All leases that have run out.
    #[arg(long, conflicts_with_all = ["all", "leases"])]
    expired: bool,
    /// All leases, even those of processes that still run.
    #[arg(long, conflicts_with = "leases")]
    all: bool,
    /// Only what this worker holds: the 16 digits with which its leases begin.
    #[arg(long, conflicts_with = "leases")]
    holder: Option<String>,
    /// Elements that were claimed and whose leases are gone: somebody deleted them. They go back to the
    /// head of the list, with those leases of take() that have run out.
    #[arg(long, conflicts_with_all = ["leases", "all", "expired", "holder"])]
    unleased: bool,
    /// Bring the deliveries of consumers to the head of the list as well, where take() and Java find
    /// them. They lose the count of their attempts. With --all, those that wait for another attempt
    /// go there, too; with --expired, those of them that are due.
    #[arg(long)]
    to_target: bool,
}

/// A lease as it is shown.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    lease: Lease,
    /// The value, unless it is large.
    #[serde(flatten)]
    shown: Option<Shown>,
    /// The size of a large payload, which is not shown.
    #[serde(rename = "size", skip_serializing_if = "Option::is_none")]
    large: Option<usize>,
}

/// How many rows are shown at once.
const PORTION: usize = 100;

impl Leases {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        match (&self.verb, &self.ls) {
            (Some(LeasesVerb::Ls(verb)), _) | (None, Some(verb)) => verb.run(session).await,
            (Some(LeasesVerb::Release(verb)), _) => verb.run(session).await,
            (None, None) => Err(Failure::usage("name a queue")),
        }
    }
}

impl Ls {
    async fn run(&self, session: &Session) -> Result {
        let payloads = session.payloads(&self.queue)?;
        let leases = session.queue(&self.queue)?.leases();
        let mut leased = leases.iter();
        let columns = [
            ("LEASE", 20),
            ("KIND", 9),
            (">UNTIL", 14),
            (">ATTEMPT", 7),
            (">SIZE", 7),
            ("VALUE", 20),
        ];
        let mut table = session.screen.flow(&columns);
        let mut shown = 0;
        while let Some(element) = leased.try_next().await? {
            if !is_of(&element, self.holder.as_deref()) || self.expired && !element.has_expired() {
                continue;
            }
            if shown == self.limit {
                table.flush()?;
                session.screen.note(&count::has_more(shown));
                break;
            }
            let row = Row::of(&element, &payloads);
            table.row(&row, || row.cells(element.read_at()))?;
            shown += 1;
            if shown % PORTION == 0 || shown == 1 {
                table.flush()?;
            }
        }
        table.flush()?;
        let master = session.client.master_of(&self.queue)?;
        let unleased = unleased::count_soon(&master, &QueueKeys::new(&*self.queue)?).await?;
        let unleased = unleased.text("element was claimed", "elements were claimed");
        if let Some(count) = &unleased {
            let left = format!("{count} in {} without a lease, and not shown:", self.queue);
            let doctor = command_line(&["doctor"], &self.queue, &[]);
            session.screen.note(&with_command(&left, &doctor));
        }
        let is_empty = shown == 0 && (unleased.is_none() || self.holder.is_some() || self.expired);
        if is_empty && !session.screen.is_json() {
            let such = match self.holder.is_some() || self.expired {
                true => "no such lease",
                false => "no leases",
            };
            session.screen.note(&format!("{} has {such}", self.queue));
        }
        Ok(())
    }
}

impl Release {
    async fn run(&self, session: &Session) -> Result {
        let leases = session.queue(&self.queue)?.leases();
        if self.unleased {
            let master = session.client.master_of(&self.queue)?;
            let keys = QueueKeys::new(&*self.queue)?;
            let queue = &self.queue;
            let count = unleased::count(&master, &keys).await?;
            if count == 0 {
                return Err(Failure::Nothing(format!(
                    "{queue} has no payload without a lease"
                )));
            }
            session.confirm(&format!(
                "{} a lease. If a process still works with one, it may be handled twice. Put all \
                 back into {queue}?",
                count_of(count, "claimed element lacks", "claimed elements lack")
            ))?;
            unleased::lease(&master, &keys).await?;
        }
        let all: Vec<LeasedElement<Bytes>> = leases.iter_without_values().try_collect().await?;
        let wanted = self.wanted(&all)?;
        if wanted.is_empty() {
            return Err(Failure::Nothing(format!(
                "{} has no such lease",
                self.queue
            )));
        }
        let running = wanted.iter().filter(|it| is_running(it)).count();
        let deliveries = wanted
            .iter()
            .filter(|it| it.kind() != LeaseKind::Claimed)
            .count();
        if running > 0 {
            session.confirm(&format!(
                "{running} of {} not run out. If a process that has one still runs, elements may be \
                 handled twice. Release them?",
                count_of(wanted.len() as u64, "lease has", "leases have")
            ))?;
        } else if self.to_target && deliveries > 0 {
            session.confirm(&format!(
                "{} the count of attempts. Put all back into {}?",
                count_of(deliveries as u64, "delivery loses", "deliveries lose"),
                self.queue
            ))?;
        }
        let released = match self.to_target {
            true => leases.release_to_target(&wanted).await?,
            false => leases.release(&wanted).await?,
        };
        let text = format!("released {released} of {}", wanted.len());
        let value = Released {
            released,
            found: wanted.len(),
        };
        session.screen.say(&text, &value)
    }

    /// The elements that are meant.
    fn wanted<'a>(&self, all: &'a [LeasedElement<Bytes>]) -> Result<Vec<&'a LeasedElement<Bytes>>> {
        if !self.leases.is_empty() {
            let find = |name: &String| {
                let found = all.iter().find(|it| it.lease() == *name);
                found.ok_or_else(|| Failure::Nothing(format!("{} has no lease {name}", self.queue)))
            };
            return self.leases.iter().map(find).collect();
        }
        let is_meant = |it: &&LeasedElement<Bytes>| {
            // Nobody holds what waits for another attempt.
            let is_held = match it.kind() {
                LeaseKind::Claimed => true,
                LeaseKind::Retrying => self.to_target && (self.all || self.expired),
                _ => !self.unleased,
            };
            let is_over = !(self.expired || self.unleased) || it.has_expired();
            is_held && is_over && is_of(it, self.holder.as_deref())
        };
        Ok(all.iter().filter(is_meant).collect())
    }
}

/// What a release did.
#[derive(Serialize)]
struct Released {
    released: usize,
    found: usize,
}

fn is_of(element: &LeasedElement<Bytes>, holder: Option<&str>) -> bool {
    holder.is_none_or(|it| it == element.holder())
}

/// True if a process may still work with the element.
pub(crate) fn is_running(element: &LeasedElement<Bytes>) -> bool {
    element.kind() != LeaseKind::Retrying && !element.has_expired()
}

impl Row {
    fn of(element: &LeasedElement<Bytes>, payloads: &Payloads) -> Self {
        let shown = element.payload().map(|it| Shown::new(payloads, it));
        Self {
            lease: Lease::of(element),
            large: shown.is_none().then(|| element.len()),
            shown,
        }
    }

    fn cells(&self, now: SystemTime) -> [String; 6] {
        let shown = self.shown.as_ref();
        let size = shown.map_or(self.large.unwrap_or_default(), |it| it.size);
        [
            self.lease.lease.clone(),
            self.lease.kind.to_owned(),
            relative(self.lease.until_ms as f64, unix_ms(now)),
            self.lease.attempt.to_string(),
            size.to_string(),
            shown.map_or_else(|| "(large)".to_owned(), Shown::text),
        ]
    }
}
