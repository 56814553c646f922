//! One queue as bytes: what the typed handles of a name share.

use std::collections::HashSet;
use std::sync::{Arc, Once, Weak};
use std::time::Duration;

use bytes::Bytes;

use crate::error::{Error, Result, Step};
use crate::intake::{Intake, Patience, Worker};
use crate::keys::QueueKeys;
use crate::offer::Offer;
use crate::options::Options;
use crate::packed::{Packed, pack};
use crate::script;
use crate::shared::Shared;
use crate::ticket::Ticket;

/// What the handles of one queue share.
#[derive(Debug)]
pub(crate) struct RawQueue {
    client: Arc<Shared>,
    keys: QueueKeys,
    intake: Arc<Intake>,
    intake_started: Once,
}

impl RawQueue {
    /// How many entries of the ordering list to read in one command: about 1 ms of Redis's time.
    const PAGE: usize = 1_000;

    pub(crate) fn new(client: Arc<Shared>, keys: QueueKeys) -> Self {
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
                self.keys.clone(),
                self.client.options.clone(),
            );
            self.client.spawn(worker.run());
        });
        self.intake.take(patience).await
    }

    pub(crate) async fn offer(&self, payload: &[u8], delay: Duration) -> Result<Ticket> {
        let id = self.client.ids.next();
        let member = pack(&id, payload);
        let ticket = Ticket::new(id, member);
        Offer::new(&self.client, &self.keys, ticket, delay)?
            .run()
            .await
    }

    pub(crate) async fn cancel(&self, ticket: &Ticket) -> Result<bool> {
        let removed = self.remove_member(ticket, false).await?;
        Ok(removed.was_scheduled)
    }

    async fn remove_member(&self, ticket: &Ticket, seen_listed: bool) -> Result<script::Removed> {
        self.client
            .call(Step::Cancel, false, |connection| {
                let (member, id) = (ticket.as_bytes(), ticket.id());
                script::remove(
                    connection,
                    &self.keys,
                    member,
                    id,
                    Options::SETTLED,
                    seen_listed,
                )
            })
            .await
    }

    /// Removes the oldest element with this payload.
    pub(crate) async fn remove(&self, payload: &[u8]) -> Result<bool> {
        while let Some(ticket) = self.find(payload, true).await? {
            let removed = self.remove_member(&ticket, true).await?;
            // Otherwise it was moved or removed since it was found; an equal one may be left.
            if removed.was_scheduled || removed.was_listed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) async fn contains(&self, payload: &[u8]) -> Result<bool> {
        Ok(self.find(payload, false).await?.is_some())
    }

    /// The oldest element with this payload, or the first one found.
    async fn find(&self, payload: &[u8], oldest: bool) -> Result<Option<Ticket>> {
        let mut found = None;
        // From the newest down: what leaves the list meanwhile moves the rest towards the places
        // still to be read, so nothing that stays is missed.
        let mut end = self.len().await?;
        while end > 0 && (oldest || found.is_none()) {
            let first = end.saturating_sub(Self::PAGE);
            let member = self
                .client
                .call(Step::Read, true, |connection| {
                    script::find(connection, &self.keys, first, end - 1, payload)
                })
                .await?;
            let ticket = member.and_then(|member| Ticket::from_bytes(member).ok());
            found = ticket.or(found);
            end = first;
        }
        Ok(found)
    }

    /// The payloads of all elements that are not yet moved, in offer order.
    pub(crate) async fn read_all(&self) -> Result<Vec<Bytes>> {
        let mut pages = Vec::new();
        let mut seen = HashSet::new();
        // As in `find`; what is read twice because the list moved is told by its id.
        let mut end = self.len().await?;
        while end > 0 {
            let first = end.saturating_sub(Self::PAGE);
            let mut page = self.page(first, end - 1).await?;
            page.retain(|member| seen.insert(member.clone()));
            pages.push(page);
            end = first;
        }
        let members = pages.into_iter().rev().flatten();
        Ok(members.filter_map(payload_of).collect())
    }

    /// The payload of the element that was offered first.
    pub(crate) async fn peek(&self) -> Result<Option<Bytes>> {
        let (mut first, mut last) = (0, 0);
        loop {
            let page = self.page(first, last).await?;
            if page.is_empty() {
                return Ok(None);
            }
            if let Some(payload) = page.into_iter().find_map(payload_of) {
                return Ok(Some(payload));
            }
            (first, last) = (last + 1, last + Self::PAGE);
        }
    }

    async fn page(&self, first: usize, last: usize) -> Result<Vec<Bytes>> {
        let mut command = redis::cmd("LRANGE");
        command.arg(self.keys.ordering()).arg(first).arg(last);
        let members: Vec<Vec<u8>> = self
            .query(Step::Read, true, self.keys.ordering(), &command)
            .await?;
        Ok(members.into_iter().map(Bytes::from).collect())
    }

    pub(crate) async fn len(&self) -> Result<usize> {
        self.list_len(self.keys.ordering()).await
    }

    pub(crate) async fn clear(&self) -> Result<()> {
        let (timeouts, ordering) = (self.keys.timeouts(), self.keys.ordering());
        let mut command = redis::cmd("DEL");
        command.arg(timeouts).arg(ordering);
        self.query(Step::Clear, true, timeouts, &command).await
    }

    pub(crate) async fn target_len(&self) -> Result<usize> {
        self.list_len(self.keys.target()).await
    }

    pub(crate) async fn target_offer(&self, payload: &[u8]) -> Result<()> {
        let target = self.keys.target();
        let mut command = redis::cmd("RPUSH");
        command.arg(target).arg(payload);
        self.query(Step::Offer, false, target, &command).await
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

fn payload_of(member: Bytes) -> Option<Bytes> {
    // Java fails on the whole list here; an entry that is no element is left out instead.
    Packed::parse(member).ok().map(|packed| packed.payload)
}
