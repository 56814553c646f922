//! Handing out elements before they are due.
//!
//! An element is read and decoded first and taken out afterwards, in a task of the client that goes
//! on when its caller has gone. From the moment that the attempt is made until the value is in the
//! caller's hands, a guard stands for the element: dropped, it puts the element back. Redis
//! remembers which call took it, so that an attempt can be repeated, undone and shut out.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use bytes::Bytes;
use futures::FutureExt;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::{RawEntry, RawQueue};
use crate::client::session::Shared;
use crate::error::{Error, Result, Step};
use crate::link::backoff::Backoff;
use crate::link::connection::{LARGE, is_loss};
use crate::options::Options;
use crate::ordering::Ordering;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;
use crate::wire::packed::Packed;
use crate::wire::script::{self, Undue};

/// Elements that are being taken out, or were. Dropped, they go back to where they were.
#[derive(Debug)]
pub(crate) struct Withdrawal {
    client: Arc<Shared>,
    keys: Arc<QueueKeys>,
    /// Names this withdrawal in Redis.
    token: [u8; 16],
    /// What may have been taken; nothing once that is settled.
    members: Vec<Undue>,
    taken: Vec<usize>,
}

impl RawQueue {
    /// How many elements to take out in one script: some ms of Redis's time.
    const WITHDRAWN: usize = 250;

    /// The elements that were offered first, or if they are not listed are due first, up to `count`
    /// or what one script takes out.
    pub(crate) async fn first_undue(&self, count: usize, ordering: Ordering) -> Result<Vec<Undue>> {
        let count = count.min(Self::WITHDRAWN);
        match ordering {
            Ordering::Listed => self.oldest(count).await,
            Ordering::Unlisted => self.soonest(count).await,
        }
    }

    async fn oldest(&self, count: usize) -> Result<Vec<Undue>> {
        let oldest = self
            .read(0, |connection| {
                script::oldest(connection, &self.keys, count)
            })
            .await?;
        Ok(oldest.into_iter().filter_map(undue_of).collect())
    }

    async fn soonest(&self, count: usize) -> Result<Vec<Undue>> {
        let mut pages = self.pages(count);
        while let Some(entries) = pages.next().await? {
            if !entries.is_empty() {
                let undue = |entry: RawEntry| Undue {
                    payload: entry.payload,
                    score: entry.score,
                    ticket: entry.ticket,
                };
                return Ok(entries.into_iter().map(undue).collect());
            }
        }
        Ok(Vec::new())
    }

    /// Takes out those of `members` that are still as they were read.
    ///
    /// Nothing is taken if dropped, or what was is put back; as after an error.
    pub(crate) async fn withdraw(&self, members: Vec<Undue>) -> Result<Withdrawal> {
        let mut withdrawal = Withdrawal {
            client: Arc::clone(&self.client),
            keys: Arc::clone(&self.keys),
            token: rand::random(),
            members,
            taken: Vec::new(),
        };
        let (sender, receiver) = oneshot::channel();
        self.client.spawn(async move {
            let result = withdrawal.take_out().await.map(|()| withdrawal);
            // A caller that has gone leaves the elements to the guard.
            let _ = sender.send(result);
            Ok(())
        });
        // The task ends early only with its runtime.
        receiver.await.map_err(|_| Error::Closed)?
    }

    /// Moves the element that was offered last, or if they are not listed is due last, to the front
    /// of the list `destination`.
    pub(crate) async fn poll_last(
        &self,
        destination: &str,
        ordering: Ordering,
    ) -> Result<Option<Bytes>> {
        let by_due = ordering == Ordering::Unlisted;
        let payload = self
            .call_fitting(Step::PollUndue, |connection, bytes| {
                script::poll_last(
                    connection,
                    &self.keys,
                    destination,
                    Options::SETTLED,
                    by_due,
                    bytes,
                )
            })
            .await?;
        Ok(payload.map(Bytes::from))
    }
}

impl Withdrawal {
    /// Whether the element at `place` was taken.
    pub(crate) fn took(&self, place: usize) -> bool {
        self.taken.contains(&place)
    }

    /// The elements are in their caller's hands now.
    pub(crate) fn keep(mut self) {
        self.members.clear();
    }

    async fn take_out(&mut self) -> Result<()> {
        let unanswered = AtomicU32::new(0);
        let bytes = size_of(&self.members);
        let result = self
            .client
            .call_sized(Step::PollUndue, true, bytes, |connection| {
                let attempt = script::withdraw(
                    connection,
                    &self.keys,
                    self.token,
                    &self.members,
                    Options::settled(bytes),
                );
                unanswered.fetch_add(1, Relaxed);
                attempt.inspect(|result| {
                    if !result.as_ref().is_err_and(is_loss) {
                        unanswered.fetch_sub(1, Relaxed);
                    }
                })
            })
            .await;
        let took_nothing = match &result {
            Ok(taken) => taken.is_empty(),
            // The last of several attempts does not tell what became of the others.
            Err(_) => unanswered.into_inner() == 0,
        };
        if took_nothing {
            self.members.clear();
        }
        self.taken = result.map_err(|error| error.on_queue(self.keys.target()))?;
        Ok(())
    }
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let members = mem::take(&mut self.members);
        if members.is_empty() {
            return;
        }
        let (client, keys, token) = (Arc::clone(&self.client), Arc::clone(&self.keys), self.token);
        let task = put_back(Arc::clone(&client), keys, token, members);
        // As a delivery, for the runtime on which calls are made may be what has ended.
        client.deliver(async move {
            task.await;
            Ok(())
        });
    }
}

/// Undoes a withdrawal, for as long as Redis remembers it.
async fn put_back(client: Arc<Shared>, keys: Arc<QueueKeys>, token: [u8; 16], members: Vec<Undue>) {
    let started = Instant::now();
    let bytes = size_of(&members);
    let settled = Options::settled(bytes);
    let mut backoff = Backoff::new(client.options.longest_pause());
    loop {
        let script = |connection| script::put_back(connection, &keys, token, &members, settled);
        // Also after a shutdown, which waits for this.
        let attempt = if bytes < LARGE {
            client.delivery.call(script).await
        } else {
            client.large.call(bytes, script).await
        };
        let failure = match attempt {
            Ok(0) => return,
            Ok(_) => {
                client.has_new_head(&keys, Instant::now());
                client.wrote_state(&keys);
                return;
            }
            Err(failure) => failure,
        };
        let patience = match client.ensure_open() {
            Ok(()) => settled,
            Err(_) => client.options.retry_window,
        };
        if started.elapsed() > patience {
            tracing::error!(
                queue = keys.target(),
                elements = members.len(),
                error = %failure.into_redis_error(),
                "elements that were polled in vain may be lost"
            );
            return;
        }
        sleep(backoff.next()).await;
    }
}

/// How many bytes the members have together.
fn size_of(members: &[Undue]) -> usize {
    members.iter().map(|it| it.ticket.as_bytes().len()).sum()
}

fn undue_of((member, score): (Vec<u8>, String)) -> Option<Undue> {
    let member = Bytes::from(member);
    let packed = Packed::parse(member.clone()).ok()?;
    Some(Undue {
        payload: packed.payload,
        score,
        ticket: Ticket::new(packed.id, member),
    })
}
