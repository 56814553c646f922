//! Leases: made, found again, ended and given back.

use std::ops::Range;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::Worker;
use crate::clock::after_us;
use crate::connection::Failure;
use crate::intake::Leased;
use crate::packed::Packed;
use crate::script::{self, Bar};
use crate::sync::lock;

/// What a claim brought.
#[derive(Debug, Default)]
pub(super) struct Catch {
    pub(super) leased: Vec<Leased>,
    /// How long to wait before the next claim, if Redis asks for that.
    pub(super) wait: Option<Duration>,
    /// Nothing was left then.
    pub(super) was_last: bool,
}

impl Worker {
    pub(super) async fn end(&self, leases: &[Bytes]) -> Result<(), Failure> {
        if leases.is_empty() {
            return Ok(());
        }
        let mut command = redis::cmd("ZREM");
        command.arg(self.keys.leases());
        for lease in leases {
            command.arg(lease.as_ref());
        }
        // Ended twice after a lost reply is ended once: the member names this one lease.
        self.link
            .call(|mut connection| async move { command.exec_async(&mut connection).await })
            .await
    }

    pub(super) async fn claim(
        &self,
        count: usize,
        ahead: usize,
        number: u64,
    ) -> Result<Catch, Failure> {
        if count + ahead == 0 {
            return Ok(Catch::default());
        }
        let mut claimant = [0; 16];
        claimant[..8].copy_from_slice(&self.incarnation);
        claimant[8..].copy_from_slice(&number.to_be_bytes());
        let (keys, end, lease) = (&self.keys, self.end, self.options.claim_lease);
        let sent = Instant::now();
        let claimed = self
            .link
            .call(|connection| {
                script::claim(connection, keys, end, (count, ahead), lease, claimant)
            })
            .await?;
        let leased = claimed
            .leases
            .into_iter()
            .filter_map(|member| Leased::new(member, sent + lease, lease))
            .collect();
        let wait = match claimed.bar {
            Bar::None => None,
            // That it is over is said; a look now and then makes up for what is missed.
            Bar::Paused => Some(Duration::MAX),
            Bar::Limited(wait) => Some(wait),
        };
        Ok(Catch {
            leased,
            wait,
            was_last: wait.is_none() && !claimed.is_more,
        })
    }

    /// Takes in what earlier commands leased although their replies did not arrive.
    pub(super) async fn recover(&mut self) -> Result<(), Failure> {
        loop {
            let known: Vec<Bytes> = {
                let state = lock(&self.intake.state);
                let ready = state.ready.iter().map(|leased| &leased.member);
                let taken = state.handed_over.iter().chain(&state.held);
                let all = ready.chain(taken).chain(&self.returning);
                all.map(|member| member.slice(LEASE_ID)).collect()
            };
            let (keys, incarnation) = (&self.keys, self.incarnation);
            let known: Vec<&[u8]> = known.iter().map(AsRef::as_ref).collect();
            let sent = Instant::now();
            let unknown = self
                .link
                .call(|connection| script::recover(connection, keys, incarnation, &known))
                .await?;
            let lease = self.options.claim_lease;
            let leased = unknown
                .into_iter()
                .filter_map(|(member, us)| Leased::new(member, after_us(sent, us), lease));
            if self.add(leased.collect()) == 0 {
                break;
            }
        }
        let next = Instant::now() + self.options.longest_pause();
        self.recover_at = (next < self.unsure_until).then_some(next);
        Ok(())
    }

    /// Makes elements ready to be handed over, and says how many.
    pub(super) fn add(&self, leased: Vec<Leased>) -> usize {
        let count = leased.len();
        let mut state = lock(&self.intake.state);
        state.ready.extend(leased);
        // Under the lock, for a batch is filled with what is there and permitted.
        self.intake.ready.add_permits(count);
        count
    }

    /// Gives back what is to be given back, again and again until Redis confirms it: the command
    /// may run late, so such an element must not be handed over any more.
    pub(super) async fn give_back(&mut self) -> Result<(), Failure> {
        if self.returning.is_empty() {
            return Ok(());
        }
        let (keys, end, leases) = (&self.keys, self.end, &self.returning);
        self.link
            .call(|connection| script::give_back(connection, keys, end, leases))
            .await?;
        self.returning.clear();
        // Our own write: Redis does not hint at it.
        self.ends.hint();
        Ok(())
    }

    /// Whether the target queue is empty; if so, Redis sends a hint when that changes.
    pub(super) async fn is_empty(&self) -> Result<bool, Failure> {
        let mut command = redis::cmd("LLEN");
        command.arg(self.keys.target());
        // On the connection that tracks: reading the key is what asks for the hint.
        let length = self
            .link
            .call(|mut connection| async move { command.query_async::<u64>(&mut connection).await })
            .await;
        match length {
            // The next claim meets the same, and its error names the key.
            Err(Failure::Refused(error)) if error.code() == Some("WRONGTYPE") => Ok(false),
            length => length.map(|length| length == 0),
        }
    }

    /// Tells the other clients of the queue that callers wait here.
    pub(super) async fn announce(&self) -> Result<(), Failure> {
        let mut command = redis::cmd("PUBLISH");
        command.arg(self.keys.moved());
        command.arg(self.ends.peer().waiting());
        let told = self
            .link
            .call(|mut connection| async move { command.exec_async(&mut connection).await })
            .await;
        match told {
            // Without the right to say so, what Redis says must do.
            Err(Failure::Refused(_)) => Ok(()),
            told => told,
        }
    }

    /// Asks to be told when the queue's state changes.
    pub(super) async fn watch_state(&self) -> Result<(), Failure> {
        let mut command = redis::cmd("EXISTS");
        command.arg(self.keys.state());
        // On the connection that tracks: reading the key is what asks for the hint.
        self.link
            .call(|mut connection| async move { command.exec_async(&mut connection).await })
            .await
    }
}

/// Where the id of a lease stands in the member.
const LEASE_ID: Range<usize> = 1..21;

impl Leased {
    /// An element whose lease of the length `lease` runs out at `deadline`. The last third is kept
    /// for the command that ends it.
    fn new(member: Vec<u8>, deadline: Instant, lease: Duration) -> Option<Self> {
        let member = Bytes::from(member);
        let payload = Packed::parse(member.clone()).ok()?.payload;
        Some(Self {
            member,
            payload,
            usable_until: deadline.checked_sub(lease / 3)?,
        })
    }
}
