//! One queue as bytes, which the typed handles of its name share.

use std::sync::{Arc, Mutex, Once};

use bytes::Bytes;
use redis::RedisResult;

use crate::delivery::intake::{Batch, Intake, Mode, Patience, Sides, Station, Terms, Worker};
use crate::delivery::session::Session;
use crate::delivery::transfer::Request;
use crate::error::{Error, Result, Step};
use crate::event::Event;
use crate::link::connection::{Connection, LARGE};
use crate::metric::Meter;
use crate::offer::Line;
use crate::queue::names::Names;
use crate::side::Side;
use crate::wire::command::{size_of, words};
use crate::wire::keys::QueueKeys;
use crate::wire::script::Fitting;

mod consume;
mod entries;
mod leases;
mod letters;
mod list;
mod look;
mod offer;
mod offer_all;
mod page_size;
#[cfg(feature = "periodic")]
mod periodic;
mod relay;
mod removal;
mod reschedule;
mod state;
mod trace;
mod unique;
mod unlisted;
mod withdraw;

pub(crate) use leases::RawLeased;
pub(crate) use letters::RawLetter;
pub(crate) use list::Places;
pub(crate) use offer::Item;
pub(crate) use page_size::PageSize;
pub(crate) use withdraw::Withdrawal;

/// One queue, shared by its handles.
#[derive(Debug)]
pub(crate) struct RawQueue {
    pub(super) session: Arc<Session>,
    /// The other queues of the client.
    names: Arc<Names<RawQueue>>,
    pub(super) keys: Arc<QueueKeys>,
    sides: Arc<Sides>,
    line: Arc<Line>,
    /// Whether the workers of the first and the last side run. A side's first use starts its worker.
    started: [Once; 2],
}

impl RawQueue {
    /// Finds the queue of these keys, or makes it if it has no handle. If `transfer` is set, this
    /// client moves its due elements from now on.
    pub(crate) fn open(
        session: &Arc<Session>,
        names: &Arc<Names<Self>>,
        keys: QueueKeys,
        transfer: bool,
    ) -> Result<Arc<Self>> {
        session.check_name(&keys)?;
        let keys = Arc::new(keys);
        let window = session.options.offer_window();
        let meter = || Meter::of(keys.name(), session.options.queue_histograms);
        let make = || Self {
            session: Arc::clone(session),
            names: Arc::clone(names),
            keys: Arc::clone(&keys),
            sides: Arc::new(Sides::new(window, Arc::new(meter()))),
            line: Arc::default(),
            started: [Once::new(), Once::new()],
        };
        let open = || session.ensure_open();
        let (queue, is_new) = names.find_or_make(keys.target(), open, make)?;
        if is_new && let Some(other) = keys.twin().and_then(|twin| names.find(&twin)) {
            session.reporter.report(Event::SharedKeys {
                queue: keys.name().to_owned(),
                other: other.name().to_owned(),
            });
        }
        let begins = transfer && session.options.transfer && queue.sides.set_transferred();
        if is_new || begins {
            let request = Request::Watch {
                keys: Arc::clone(&queue.keys),
                sides: Arc::downgrade(&queue.sides),
                transfer: begins,
                is_moved: false,
                is_failing: false,
            };
            session.request(&queue.keys, request);
        }
        Ok(queue)
    }

    /// What users call the queue.
    pub(crate) fn name(&self) -> &str {
        self.keys.name()
    }

    /// Where the client reports events.
    #[cfg(feature = "amqp")]
    pub(crate) fn reporter(&self) -> crate::event::Reporter {
        self.session.reporter.clone()
    }

    /// The metrics of the queue.
    pub(crate) fn meter(&self) -> &Arc<Meter> {
        self.sides.meter()
    }

    /// Hands over no more elements, and gives back those at hand.
    pub(crate) fn close(&self) {
        self.sides.close();
    }

    /// The intake of this side. The first call starts its worker.
    pub(crate) fn intake(&self, side: Side) -> Result<&Arc<Intake>> {
        self.session.ensure_open()?;
        let intake = self.sides.at(side);
        self.started[side as usize].call_once(|| {
            let options = &self.session.options;
            let terms = Terms {
                side,
                lease: options.claim_lease,
                most_ahead: usize::MAX,
                mode: match options.at_most_once {
                    true => Mode::Pop,
                    false => Mode::Take,
                },
            };
            self.start_worker(Arc::clone(intake), terms);
        });
        Ok(intake)
    }

    fn start_worker(&self, intake: Arc<Intake>, terms: Terms) {
        let worker = Worker::new(Station {
            intake,
            sides: Arc::clone(&self.sides),
            terms,
            route: self.session.route(&self.keys),
            keys: Arc::clone(&self.keys),
            options: self.session.options.clone(),
            reporter: self.session.reporter.clone(),
            round_trip: Mutex::default(),
        });
        self.session.tasks.deliver(worker.run());
    }

    pub(crate) async fn take(&self, side: Side, patience: Patience) -> Result<Option<Bytes>> {
        let taken = self.intake(side)?.take(patience).await;
        taken.map_err(|error| error.on_queue(self.name()))
    }

    pub(crate) async fn take_batch(
        &self,
        side: Side,
        most: usize,
        patience: Patience,
    ) -> Result<Option<Batch>> {
        let taken = self.intake(side)?.take_batch(most, patience).await;
        taken.map_err(|error| error.on_queue(self.name()))
    }

    pub(crate) async fn drain(&self, side: Side, most: usize, claims: usize) -> Result<Batch> {
        let drained = self.intake(side)?.drain(most, claims).await;
        drained.map_err(|error| error.on_queue(self.name()))
    }

    /// The keys of the queue that users of this client call `name`.
    fn keys_of(&self, name: &str) -> Result<QueueKeys> {
        Ok(self.session.options.name_mapper.keys(name)?)
    }

    /// The keys of the queue `name`, for calls that touch both queues at once. Fails if Redis Cluster
    /// keeps them in another slot.
    pub(crate) fn partner(&self, name: &str) -> Result<QueueKeys> {
        let keys = self.keys_of(name)?;
        self.session.check_pair(&self.keys, &keys)?;
        Ok(keys)
    }

    /// The queue `name` of the same client.
    pub(crate) fn sibling(&self, name: &str) -> Result<Arc<Self>> {
        Self::open(&self.session, &self.names, self.keys_of(name)?, false)
    }

    /// How many entries a key has, by a command that counts them.
    pub(super) async fn count(&self, command: &str, key: &str) -> Result<usize> {
        let mut command = redis::cmd(command);
        self.command(Step::Read, true, command.arg(key)).await
    }

    /// Sends a plain command, whose first argument is its key. Repeats it after a lost reply if it is
    /// `repeatable`.
    pub(super) async fn command<T: redis::FromRedisValue>(
        &self,
        step: Step,
        repeatable: bool,
        command: &redis::Cmd,
    ) -> Result<T> {
        let work = |mut connection| async move { command.query_async(&mut connection).await };
        self.script_of_size(step, repeatable, size_of(command), work)
            .await
            .map_err(|error| naming(command, error))
    }

    /// Runs a small script, or sends a pipeline; see
    /// [`Calls::call`](crate::link::calls::Calls::call).
    pub(super) async fn script<T, F>(
        &self,
        step: Step,
        repeatable: bool,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        self.script_of_size(step, repeatable, 0, work).await
    }

    /// Runs a [`script`](Self::script) as a command of `bytes` bytes. Larger commands get a longer
    /// timeout.
    pub(super) async fn script_of_size<T, F>(
        &self,
        step: Step,
        repeatable: bool,
        bytes: usize,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let calls = &self.session.calls;
        let called = calls.call(self.keys.slot(), step, repeatable, bytes, work);
        called.await.map_err(|error| error.on_queue(self.name()))
    }

    /// Runs a script that moves payloads of unknown size. `work` gets the largest size that it may
    /// move. The script leaves a larger payload where it is and reports the size; the next attempt
    /// then gets the time for it.
    async fn script_moving<T, F>(
        &self,
        step: Step,
        work: impl Fn(Connection, usize) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<Fitting<T>>>,
    {
        let mut bytes = 0;
        loop {
            let most = bytes.max(LARGE);
            let script = |connection| work(connection, most);
            match self.script_of_size(step, false, bytes, script).await? {
                Fitting::Done(done) => return Ok(done),
                Fitting::Left(left) => bytes = left,
            }
        }
    }

    /// Sends a plain command that reads payloads.
    async fn read_command<T: redis::FromRedisValue>(&self, command: &redis::Cmd) -> Result<T> {
        let work = |mut connection| async move { command.query_async(&mut connection).await };
        self.read_script(size_of(command), work)
            .await
            .map_err(|error| naming(command, error))
    }

    /// Runs a script that reads payloads, for a command of `bytes` bytes; see
    /// [`Calls::fetch`](crate::link::calls::Calls::fetch).
    async fn read_script<T, F>(&self, bytes: usize, work: impl Fn(Connection) -> F) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let read = self.session.calls.fetch(self.keys.slot(), bytes, work);
        read.await.map_err(|error| error.on_queue(self.name()))
    }
}

/// Adds the key of the command to the error. Only scripts name it themselves.
fn naming(command: &redis::Cmd, mut error: Error) -> Error {
    if let Error::WrongType { detail, .. } = &mut error
        && let Some(key) = words(command).nth(1)
    {
        *detail = format!("key {}: {detail}", String::from_utf8_lossy(key));
    }
    error
}

impl Drop for RawQueue {
    fn drop(&mut self) {
        self.close();
    }
}
