//! One queue as bytes: what the typed handles of a name share.

use std::sync::{Arc, Once};

use bytes::Bytes;
use redis::RedisResult;

use crate::client::session::Shared;
use crate::delivery::intake::{Batch, Ends, Intake, Patience, Worker};
use crate::end::End;
use crate::error::{Error, Result, Step};
use crate::link::connection::Connection;
use crate::offer::Line;
use crate::wire::keys::QueueKeys;
use crate::wire::script::Fitting;

mod change;
mod entries;
mod keyspace;
mod list;
mod look;
mod offer;
mod pace;
#[cfg(feature = "periodic")]
mod periodic;
mod place;
mod relay;
mod removal;
mod reschedule;
mod state;
mod undue;
mod unlisted;

pub(crate) use entries::RawEntry;
pub(crate) use list::Places;
pub(crate) use pace::Pace;
pub(crate) use undue::Withdrawal;

/// What the handles of one queue share.
#[derive(Debug)]
pub(crate) struct RawQueue {
    client: Arc<Shared>,
    keys: Arc<QueueKeys>,
    ends: Arc<Ends>,
    line: Arc<Line>,
    /// Whether the workers of the first and of the last end run: each is started when it is used.
    started: [Once; 2],
}

impl RawQueue {
    pub(crate) fn new(client: Arc<Shared>, keys: Arc<QueueKeys>) -> Self {
        Self {
            client,
            keys,
            ends: Arc::new(Ends::new()),
            line: Arc::default(),
            started: [Once::new(), Once::new()],
        }
    }

    pub(crate) fn keys(&self) -> &Arc<QueueKeys> {
        &self.keys
    }

    fn name(&self) -> &str {
        self.keys.target()
    }

    pub(crate) fn ends(&self) -> &Arc<Ends> {
        &self.ends
    }

    /// Hands over no more and gives back what is held.
    pub(crate) fn close(&self) {
        self.ends.close();
    }

    /// Where elements from this end come to hand.
    pub(crate) fn intake(&self, end: End) -> Result<&Arc<Intake>> {
        self.client.ensure_open()?;
        self.started[end as usize].call_once(|| {
            let worker = Worker::new(
                Arc::clone(&self.ends),
                end,
                Arc::clone(&self.client.delivery),
                Arc::clone(&self.client.large),
                Arc::clone(&self.keys),
                self.client.options.clone(),
            );
            self.client.deliver(worker.run());
        });
        Ok(self.ends.at(end))
    }

    pub(crate) async fn take(&self, end: End, patience: Patience) -> Result<Option<Bytes>> {
        let taken = self.intake(end)?.take(patience).await;
        taken.map_err(|error| error.on_queue(self.name()))
    }

    pub(crate) async fn take_batch(
        &self,
        end: End,
        most: usize,
        patience: Patience,
    ) -> Result<Option<Batch>> {
        let taken = self.intake(end)?.take_batch(most, patience).await;
        taken.map_err(|error| error.on_queue(self.name()))
    }

    pub(crate) async fn drain(&self, end: End, most: usize, claims: usize) -> Result<Batch> {
        let drained = self.intake(end)?.drain(most, claims).await;
        drained.map_err(|error| error.on_queue(self.name()))
    }

    /// The queue `name` of the same client.
    pub(crate) fn sibling(&self, name: &str) -> Result<Arc<Self>> {
        self.client.queue(QueueKeys::new(name)?, false)
    }

    async fn list_len(&self, key: &str) -> Result<usize> {
        let mut command = redis::cmd("LLEN");
        command.arg(key);
        self.query(Step::Read, true, key, &command).await
    }

    /// Sends a plain command about `key`.
    async fn query<T: redis::FromRedisValue>(
        &self,
        step: Step,
        repeatable: bool,
        key: &str,
        command: &redis::Cmd,
    ) -> Result<T> {
        let work = |mut connection| async move { command.query_async(&mut connection).await };
        self.call_sized(step, repeatable, size_of(command), work)
            .await
            .map_err(|error| naming(key, error))
    }

    /// Makes a call about this queue; see [`Shared::call_sized`].
    async fn call<T, F>(
        &self,
        step: Step,
        repeatable: bool,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        self.call_sized(step, repeatable, 0, work).await
    }

    /// The same for a command of so many bytes: it has the more time.
    async fn call_sized<T, F>(
        &self,
        step: Step,
        repeatable: bool,
        bytes: usize,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let called = self.client.call_sized(step, repeatable, bytes, work).await;
        called.map_err(|error| error.on_queue(self.name()))
    }

    /// See [`Shared::call_fitting`].
    async fn call_fitting<T, F>(
        &self,
        step: Step,
        work: impl Fn(Connection, usize) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<Fitting<T>>>,
    {
        let called = self.client.call_fitting(step, work).await;
        called.map_err(|error| error.on_queue(self.name()))
    }

    /// Sends a plain command that reads payloads from `key`.
    async fn fetch<T: redis::FromRedisValue>(&self, key: &str, command: &redis::Cmd) -> Result<T> {
        let work = |mut connection| async move { command.query_async(&mut connection).await };
        self.read(size_of(command), work)
            .await
            .map_err(|error| naming(key, error))
    }

    /// Reads something about this queue; see [`Shared::fetch`].
    async fn read<T, F>(&self, bytes: usize, work: impl Fn(Connection) -> F) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let read = self.client.fetch(bytes, work).await;
        read.map_err(|error| error.on_queue(self.name()))
    }
}

/// How many bytes a command sends.
fn size_of(command: &redis::Cmd) -> usize {
    let size = |argument: redis::Arg<&[u8]>| match argument {
        redis::Arg::Simple(bytes) => bytes.len(),
        _ => 0,
    };
    command.args_iter().map(size).sum()
}

/// Only the scripts name the key themselves.
fn naming(key: &str, error: Error) -> Error {
    match error {
        Error::WrongType {
            server,
            queue,
            step,
            detail,
        } => Error::WrongType {
            server,
            queue,
            step,
            detail: format!("key {key}: {detail}"),
        },
        error => error,
    }
}

impl Drop for RawQueue {
    fn drop(&mut self) {
        self.close();
    }
}
