//! One queue as bytes: what the typed handles of a name share.

use std::collections::HashSet;
use std::sync::{Arc, Once, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use redis::RedisError;
use tokio::time::sleep;

use crate::backoff::Backoff;
use crate::client::Shared;
use crate::clock::after_us;
use crate::connection::Failure;
use crate::error::{Error, Result, Step};
use crate::intake::{Intake, Patience, Worker};
use crate::keys::QueueKeys;
use crate::options::Options;
use crate::packed::{Packed, pack};
use crate::script::{self, Outcome};
use crate::ticket::Ticket;
use crate::transfer::Request;

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
    /// An attempt to offer that runs within this time of being sent is the first to run: a second is
    /// sent later only.
    const FRESH: Duration = Duration::from_millis(100);

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
        self.client.ensure_open()?;
        // Up to a whole millisecond, for an element is never early.
        let delay_ms = u64::try_from(delay.as_nanos().div_ceil(1_000_000))
            .ok()
            .filter(|ms| *ms <= MAX_SCORE)
            .ok_or(Error::DelayTooLong { delay })?;
        let id = self.client.ids.next();
        let member = pack(&id, payload);
        let ticket = Ticket::new(id, member);
        let options = &self.client.options;
        // While an element cannot have become due, sending it again changes nothing.
        let repeatable = delay > options.offer_window() || options.remember_offers;

        let started = Instant::now();
        let mut backoff = Backoff::new(options.safety_poll);
        let mut may_be_written = false;
        loop {
            let failure = match self
                .try_offer(&ticket, delay_ms, started, may_be_written)
                .await
            {
                Ok(Outcome::Settled) => return Ok(ticket),
                // Redis's clock was set forward since its last report; this reply brought the next.
                Ok(Outcome::TooLate)
                    if !may_be_written && started.elapsed() < options.retry_window =>
                {
                    continue;
                }
                Ok(Outcome::TooLate) => {
                    return Err(Error::OutcomeUnknown {
                        ticket,
                        source: None,
                    });
                }
                Err(failure) => failure,
            };
            let lost = matches!(failure, Failure::Lost(_));
            may_be_written |= lost;
            let wait = if may_be_written {
                backoff.next().max(Self::FRESH * 2)
            } else {
                backoff.next()
            };
            let again = if lost {
                repeatable
            } else {
                failure.is_passing()
            };
            if !again || started.elapsed() + wait >= options.retry_window {
                return Err(if may_be_written {
                    Error::OutcomeUnknown {
                        ticket,
                        source: Some(failure.into_redis_error()),
                    }
                } else {
                    offer_error(failure, delay)
                });
            }
            sleep(wait).await;
            if let (Err(error), false) = (self.client.ensure_open(), may_be_written) {
                return Err(error);
            }
        }
    }

    async fn try_offer(
        &self,
        ticket: &Ticket,
        delay_ms: u64,
        started: Instant,
        is_retry: bool,
    ) -> Result<Outcome, Failure> {
        let options = &self.client.options;
        let clock = &self.client.clock;
        let sent = Instant::now();
        let offered = self
            .client
            .commands
            .call(|connection| {
                // Only now, for a new connection brings the first report of Redis's clock.
                let at = |moment: Instant, more: Duration| {
                    let us = clock.unix_us(moment).unwrap_or(0);
                    us.saturating_add(i64::try_from(more.as_micros()).unwrap_or(i64::MAX))
                };
                let now = Instant::now();
                let left = options.offer_window().saturating_sub(started.elapsed());
                let attempt = script::Offer {
                    member: ticket.as_bytes(),
                    id: ticket.id(),
                    delay_ms,
                    clock: options.clock,
                    fresh_until_us: if is_retry { 0 } else { at(now, Self::FRESH) },
                    expires_us: at(now, left),
                    remember: if options.remember_offers {
                        Options::SETTLED
                    } else {
                        Duration::ZERO
                    },
                };
                async move { script::offer(connection, &self.keys, &attempt).await }
            })
            .await?;
        let received = Instant::now();
        self.client.clock.observe(sent, received, offered.server_us);
        if let Some(due_us) = offered.head_due_us {
            self.client.request(Request::NewHead {
                name: self.keys.target().to_owned(),
                due: after_us(received, due_us),
            });
        }
        Ok(offered.outcome)
    }

    pub(crate) async fn cancel(&self, ticket: &Ticket) -> Result<bool> {
        self.remove_member(ticket).await.map(|it| it.was_scheduled)
    }

    async fn remove_member(&self, ticket: &Ticket) -> Result<script::Removed> {
        self.client
            .call(Step::Cancel, false, |connection| {
                let (member, id) = (ticket.as_bytes(), ticket.id());
                script::remove(connection, &self.keys, member, id, Options::SETTLED)
            })
            .await
    }

    /// Removes the oldest element with this payload.
    pub(crate) async fn remove(&self, payload: &[u8]) -> Result<bool> {
        while let Some(ticket) = self.find(payload, true).await? {
            let removed = self.remove_member(&ticket).await?;
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
        Ok(self.page(0, 0).await?.into_iter().find_map(payload_of))
    }

    async fn page(&self, first: usize, last: usize) -> Result<Vec<Bytes>> {
        let mut command = redis::cmd("LRANGE");
        command.arg(self.keys.ordering()).arg(first).arg(last);
        let members: Vec<Vec<u8>> = self.query(Step::Read, true, &command).await?;
        Ok(members.into_iter().map(Bytes::from).collect())
    }

    pub(crate) async fn len(&self) -> Result<usize> {
        let mut command = redis::cmd("LLEN");
        self.query(Step::Read, true, command.arg(self.keys.ordering()))
            .await
    }

    pub(crate) async fn clear(&self) -> Result<()> {
        let mut command = redis::cmd("DEL");
        command.arg(self.keys.timeouts()).arg(self.keys.ordering());
        self.query(Step::Clear, true, &command).await
    }

    pub(crate) async fn target_len(&self) -> Result<usize> {
        let mut command = redis::cmd("LLEN");
        self.query(Step::Read, true, command.arg(self.keys.target()))
            .await
    }

    pub(crate) async fn target_offer(&self, payload: &[u8]) -> Result<()> {
        let mut command = redis::cmd("RPUSH");
        command.arg(self.keys.target()).arg(payload);
        self.query(Step::Offer, false, &command).await
    }

    async fn query<T: redis::FromRedisValue>(
        &self,
        step: Step,
        repeatable: bool,
        command: &redis::Cmd,
    ) -> Result<T> {
        self.client
            .call(step, repeatable, |mut connection| async move {
                command.query_async(&mut connection).await
            })
            .await
    }
}

impl Drop for RawQueue {
    fn drop(&mut self) {
        self.close();
    }
}

/// The largest score that Redisson reads back as the integer it was.
const MAX_SCORE: u64 = 1 << 53;

fn payload_of(member: Bytes) -> Option<Bytes> {
    // Java fails on the whole list here; an entry that is no element is left out instead.
    Packed::parse(member).ok().map(|packed| packed.payload)
}

fn offer_error(failure: Failure, delay: Duration) -> Error {
    let out_of_range = |error: &RedisError| error.code() == Some("RDQRANGE");
    match failure {
        Failure::Refused(error) if out_of_range(&error) => Error::DelayTooLong { delay },
        failure => failure.into_error(Step::Offer),
    }
}
