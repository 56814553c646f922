//! Handing out elements before they are due.
//!
//! An element is read and decoded first. Then a task of the client takes it out, which goes on if
//! the caller has gone. A guard stands for the element from the attempt until the caller has the
//! value. If the guard is dropped, it puts the element back. Redis remembers which call took the
//! element, so an attempt can be repeated, undone and shut out.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use futures::FutureExt;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use super::RawQueue;
use crate::delivery::session::Session;
use crate::delivery::transfer::Request;
use crate::error::{Error, Result, Step};
use crate::link::connection::{LARGE, is_loss};
use crate::link::pauses::Pauses;
use crate::listing::Listing;
use crate::options::Options;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{self, RawEntry};

/// A guard for elements that are being taken out, or were. If it is dropped, it puts them back.
#[derive(Debug)]
pub(crate) struct Withdrawal {
    session: Arc<Session>,
    keys: Arc<QueueKeys>,
    /// Names this withdrawal in Redis.
    token: [u8; 16],
    /// The elements that may have been taken; empty once that is settled.
    members: Vec<RawEntry>,
    taken: Vec<usize>,
}

impl RawQueue {
    /// How many elements to take out in one script: some ms of Redis's time.
    const WITHDRAWN: usize = 250;

    /// The pending elements that were offered first, up to `count` or as many as one script takes
    /// out. For an unlisted handle, the elements that are due first.
    pub(crate) async fn first_pending(
        &self,
        count: usize,
        listing: Listing,
    ) -> Result<Vec<RawEntry>> {
        let count = count.min(Self::WITHDRAWN);
        match listing {
            Listing::Listed => self.oldest(count).await,
            Listing::Unlisted => self.soonest(count).await,
        }
    }

    async fn oldest(&self, count: usize) -> Result<Vec<RawEntry>> {
        let mut passed = 0;
        loop {
            let (next, oldest) = self
                .read_script(0, |connection| {
                    script::oldest(connection, &self.keys, count, passed)
                })
                .await?;
            if next == 0 {
                return Ok(oldest);
            }
            passed = next;
        }
    }

    /// Takes out those of `members` that are still as they were read.
    ///
    /// If dropped or failed, takes nothing, or puts back what it took.
    pub(crate) async fn withdraw(&self, members: Vec<RawEntry>) -> Result<Withdrawal> {
        let mut withdrawal = Withdrawal {
            session: Arc::clone(&self.session),
            keys: Arc::clone(&self.keys),
            token: rand::random(),
            members,
            taken: Vec::new(),
        };
        let (sender, receiver) = oneshot::channel();
        self.session.tasks.spawn(async move {
            let result = withdrawal.take_out().await.map(|()| withdrawal);
            // If the caller has gone, the guard puts the elements back.
            let _ = sender.send(result);
            Ok(())
        });
        // The task ends early only with its runtime.
        receiver.await.map_err(|_| Error::Closed)?
    }
}

impl Withdrawal {
    /// True if the element at `place` was taken.
    pub(crate) fn took(&self, place: usize) -> bool {
        self.taken.contains(&place)
    }

    /// Call this once the caller has the elements.
    pub(crate) fn keep(mut self) {
        self.members.clear();
    }

    async fn take_out(&mut self) -> Result<()> {
        let unanswered = AtomicU32::new(0);
        let bytes = size_of(&self.members);
        let slot = self.keys.slot();
        let result = self
            .session
            .calls
            .call(slot, Step::PollPending, true, bytes, |connection| {
                let attempt = script::withdraw(
                    connection,
                    &self.keys,
                    self.token,
                    &self.members,
                    Options::id_memory(bytes),
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
            // The result of the last attempt says nothing about the others.
            Err(_) => unanswered.into_inner() == 0,
        };
        if took_nothing {
            self.members.clear();
        }
        self.taken = result.map_err(|error| error.on_queue(self.keys.name()))?;
        Ok(())
    }
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let members = mem::take(&mut self.members);
        if members.is_empty() {
            return;
        }
        let (session, keys, token) = (
            Arc::clone(&self.session),
            Arc::clone(&self.keys),
            self.token,
        );
        let task = put_back(Arc::clone(&session), keys, token, members);
        // Spawned with the deliveries, because the caller's runtime may have ended.
        session.tasks.deliver(async move {
            task.await;
            Ok(())
        });
    }
}

/// Undoes a withdrawal, for as long as Redis remembers it.
async fn put_back(
    session: Arc<Session>,
    keys: Arc<QueueKeys>,
    token: [u8; 16],
    members: Vec<RawEntry>,
) {
    let started = Instant::now();
    let bytes = size_of(&members);
    let settled = Options::id_memory(bytes);
    let mut pauses = Pauses::new(session.options.longest_pause());
    loop {
        let script = |connection| script::put_back(connection, &keys, token, &members, settled);
        let node = session.node(&keys);
        // Even after a shutdown, which waits for this.
        let attempt = if bytes < LARGE {
            node.delivery.call(script).await
        } else {
            node.large.call(bytes, script).await
        };
        let failure = match attempt {
            Ok(0) => return,
            Ok(_) => {
                session.tell_new_head(&keys, Instant::now());
                // Redis does not report this client's own writes to it.
                let name = keys.target().to_owned();
                session.request(&keys, Request::WroteState { name });
                return;
            }
            Err(failure) => failure,
        };
        let patience = match session.ensure_open() {
            Ok(()) => settled,
            Err(_) => session.options.retry_window,
        };
        if started.elapsed() > patience {
            tracing::error!(
                queue = keys.name(),
                elements = members.len(),
                error = %failure.into_redis_error(),
                "elements that were polled in vain may be lost"
            );
            return;
        }
        sleep(pauses.next()).await;
    }
}

fn size_of(members: &[RawEntry]) -> usize {
    members.iter().map(|it| it.ticket.as_bytes().len()).sum()
}
