//! One queue as bytes: what the typed handles of a name share.

use std::sync::{Arc, Once, Weak};

use bytes::Bytes;

use crate::error::{Error, Result, Step};
use crate::intake::{Intake, Patience, Worker};
use crate::keys::QueueKeys;
use crate::shared::Shared;

mod change;
mod list;
mod look;
mod offer;
mod place;

/// What the handles of one queue share.
#[derive(Debug)]
pub(crate) struct RawQueue {
    client: Arc<Shared>,
    keys: Arc<QueueKeys>,
    intake: Arc<Intake>,
    intake_started: Once,
}

impl RawQueue {
    pub(crate) fn new(client: Arc<Shared>, keys: Arc<QueueKeys>) -> Self {
        Self {
            client,
            keys,
            intake: Arc::new(Intake::new()),
            intake_started: Once::new(),
        }
    }

    pub(crate) fn keys(&self) -> &QueueKeys {
        &self.keys
    }

    pub(crate) fn intake(&self) -> Weak<Intake> {
        Arc::downgrade(&self.intake)
    }

    /// Hands over no more and gives back what is held.
    pub(crate) fn close(&self) {
        self.intake.close();
    }

    pub(crate) async fn take(&self, patience: Patience) -> Result<Option<Bytes>> {
        self.client.ensure_open()?;
        self.intake_started.call_once(|| {
            let worker = Worker::new(
                Arc::clone(&self.intake),
                Arc::clone(&self.client.delivery),
                Arc::clone(&self.keys),
                self.client.options.clone(),
            );
            self.client.spawn(worker.run());
        });
        self.intake.take(patience).await
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
        self.client
            .call(step, repeatable, work)
            .await
            .map_err(|error| match error {
                // Only the scripts name the key themselves.
                Error::WrongType { step, detail } => Error::WrongType {
                    step,
                    detail: format!("key {key}: {detail}"),
                },
                error => error,
            })
    }
}

impl Drop for RawQueue {
    fn drop(&mut self) {
        self.close();
    }
}
