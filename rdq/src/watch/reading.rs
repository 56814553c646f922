//! Reads everything that the screen shows of one queue.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{TryFutureExt, try_join};
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{Client, Master};

use super::upcoming::{self, NextRead, Upcoming};
use crate::failure::{Failure, Result};
use crate::payload::Payloads;
use crate::queue::listeners::listeners;
use crate::queue::programs::{self, Program};
use crate::queue::stats::{Last, Stats};
use crate::session::database::database;

/// Holds what Redis said about a queue at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) stats: Stats,
    /// Counts the connections that listen to the channel of this crate: Rust clients that transfer.
    pub(crate) rust_listeners: u64,
    /// Holds the elements that become due next. `None` if it is too early to read them again.
    pub(crate) upcoming: Option<Vec<Upcoming>>,
    /// Holds the programs that listen on the server. `None` if it is too early to ask again.
    pub(crate) programs: Option<ProgramList>,
}

/// Holds the programs that listen on a server, or says why Redis does not list them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum ProgramList {
    Programs(Vec<Program>),
    /// The server has too many connections.
    TooMany,
    /// The user lacks the right.
    Refused,
}

/// Reads one queue again and again.
pub(crate) struct Reader {
    client: Client,
    name: String,
    payloads: Arc<Payloads>,
    every: Duration,
    /// The number of the database. None until Redis has told it.
    database: Option<i64>,
    upcoming: NextRead,
    programs: NextRead,
}

impl Reader {
    /// The pause between two readings of the elements that become due next.
    const UPCOMING: Duration = Duration::from_secs(1);
    /// The pause between two questions who listens.
    const PROGRAMS: Duration = Duration::from_secs(5);

    pub(crate) fn new(
        client: Client,
        name: String,
        payloads: Arc<Payloads>,
        every: Duration,
    ) -> Self {
        Self {
            client,
            name,
            payloads,
            every,
            database: None,
            upcoming: NextRead::default(),
            programs: NextRead::default(),
        }
    }

    /// Reads the queue. `last` is what it found the last time.
    ///
    /// # Redis
    ///
    /// A script that counts and `PUBSUB NUMSUB`; every second a script that reads 20 elements, and
    /// every 5 s `INFO clients` and `CLIENT LIST TYPE pubsub`.
    pub(crate) async fn read(&mut self, last: Option<Last>) -> Result<Reading> {
        let master = self.client.master_of(&self.name)?;
        let keys = QueueKeys::new(&*self.name)?;
        let database = match self.database {
            Some(database) => database,
            None => *self.database.insert(database(&master).await),
        };
        let moved = keys.moved(database);
        let channels = [keys.channel(), &moved];
        let (stats, listeners) = try_join!(
            Stats::count(&self.client, &self.name, last, self.every),
            listeners(&master, &channels).map_err(Failure::from),
        )?;
        let [subscribers, rust_listeners] = listeners[..] else {
            unreachable!("Redis counts for each channel");
        };
        let stats = Stats {
            subscribers,
            ..stats
        };
        Ok(Reading {
            stats,
            rust_listeners,
            upcoming: self.upcoming(&master, &keys).await?,
            programs: self.programs(&master).await?,
        })
    }

    async fn upcoming(
        &mut self,
        master: &Master,
        keys: &QueueKeys,
    ) -> Result<Option<Vec<Upcoming>>> {
        let began = Instant::now();
        if !self.upcoming.is_due(began) {
            return Ok(None);
        }
        let members = upcoming::read(master, keys).await?;
        // A tick may come a little early.
        let least = Self::UPCOMING.mul_f64(0.9);
        self.upcoming.note(began, Instant::now(), least);
        Ok(Some(upcoming::show_all(members, &self.payloads)))
    }

    /// A user without the right sees the rest all the same.
    async fn programs(&mut self, master: &Master) -> Result<Option<ProgramList>> {
        let began = Instant::now();
        if !self.programs.is_due(began) {
            return Ok(None);
        }
        let listed = match programs::read(master).await {
            Ok(Some(programs)) => ProgramList::Programs(programs),
            Ok(None) => ProgramList::TooMany,
            Err(failure) if failure.is_refusal() => ProgramList::Refused,
            Err(failure) => return Err(failure),
        };
        self.programs.note(began, Instant::now(), Self::PROGRAMS);
        Ok(Some(listed))
    }
}
