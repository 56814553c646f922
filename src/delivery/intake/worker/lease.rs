//! Leases: made, found again and given back.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::Worker;
use super::settle::Unsettled;
use crate::delivery::intake::{Large, Leased};
use crate::link::clock::after_us;
use crate::link::connection::{Failure, extra_time};
use crate::options::Options;
use crate::sync::lock;
use crate::wire::script::{self, Bar, Claim, Lease, LeasedBytes};

/// What a claim brought.
#[derive(Debug, Default)]
pub(super) struct Catch {
    pub(super) claimed: Vec<Claimed>,
    /// How long to wait before the next claim, if Redis asks for that.
    pub(super) wait: Option<Duration>,
    /// Nothing was left then.
    pub(super) was_last: bool,
    /// A large element was left, as asked for.
    pub(super) left_large: bool,
}

/// An element that was claimed, or found again.
#[derive(Debug)]
pub(super) struct Claimed {
    lease: Lease,
    bytes: LeasedBytes,
    /// The last third of the lease is kept for the command that ends it.
    usable_until: Instant,
}

impl Worker {
    pub(super) async fn claim(&mut self, count: usize, ahead: usize) -> Result<Catch, Failure> {
        let mut claimant = [0; 16];
        claimant[..8].copy_from_slice(&self.incarnation);
        claimant[8..].copy_from_slice(&self.claims.to_be_bytes());
        let claim = Claim {
            end: self.end,
            count,
            ahead,
            lease: self.options.claim_lease,
            claimant,
            is_careful: self.careful_claims > 0,
            leaves_large: self.holds_large(&lock(&self.intake.state)),
        };
        let keys = &self.keys;
        let sent = Instant::now();
        let claimed = self
            .link
            .call(|connection| script::claim(connection, keys, &claim))
            .await?;
        let is_large = |(_, bytes): &(_, _)| matches!(bytes, LeasedBytes::Large(_));
        if claimed.left_large || claimed.leases.last().is_some_and(is_large) {
            self.careful_claims = Self::CAREFUL;
        }
        self.careful_claims = self.careful_claims.saturating_sub(1);
        let wait = match claimed.bar {
            Bar::None => None,
            // That it is over is said; a look now and then makes up for what is missed.
            Bar::Paused => Some(Duration::MAX),
            Bar::Limited(wait) => Some(wait),
        };
        Ok(Catch {
            claimed: self.date(claimed.leases, sent),
            wait,
            was_last: wait.is_none() && !claimed.is_more,
            left_large: claimed.left_large,
        })
    }

    /// Says until when elements can be handed over whose leases were asked for at `sent`.
    fn date(&self, leases: Vec<(Lease, LeasedBytes)>, sent: Instant) -> Vec<Claimed> {
        let length = self.options.claim_lease;
        let date = |(lease, bytes)| {
            let extra = match bytes {
                LeasedBytes::Large(bytes) => extra_time(bytes),
                LeasedBytes::Here(_) => Duration::ZERO,
            };
            Claimed {
                lease,
                bytes,
                usable_until: sent + extra + length - length / 3,
            }
        };
        leases.into_iter().map(date).collect()
    }

    /// Takes in what earlier commands leased although their replies did not arrive.
    pub(super) async fn recover(&mut self) -> Result<(), Failure> {
        loop {
            let known: Vec<Lease> = {
                let state = lock(&self.intake.state);
                let unsettled = self.unsettled.iter().flat_map(Unsettled::leases);
                let known = state.leases().chain(&self.returning).copied();
                known.chain(unsettled).collect()
            };
            let (keys, incarnation) = (&self.keys, self.incarnation);
            let sent = Instant::now();
            let unknown = self
                .link
                .call(|connection| script::recover(connection, keys, incarnation, &known))
                .await?;
            if unknown.is_empty() {
                break;
            }
            // The last third is kept for the command that ends the lease.
            let reserve = self.options.claim_lease / 3;
            let found = unknown.into_iter().map(|(lease, bytes, us)| Claimed {
                lease,
                bytes,
                usable_until: after_us(sent, us).checked_sub(reserve).unwrap_or(sent),
            });
            self.add(found.collect());
        }
        let next = Instant::now() + self.options.longest_pause();
        self.recover_at = (next < self.unsure_until).then_some(next);
        Ok(())
    }

    /// Makes elements ready to be handed over, and says how many. The payloads of large ones are to
    /// be fetched first.
    pub(super) fn add(&self, claimed: Vec<Claimed>) -> usize {
        let mut state = lock(&self.intake.state);
        let mut here = Vec::with_capacity(claimed.len());
        for Claimed {
            lease,
            bytes,
            usable_until,
        } in claimed
        {
            match bytes {
                LeasedBytes::Here(payload) => {
                    here.push(Leased {
                        lease,
                        payload,
                        usable_until,
                    });
                }
                LeasedBytes::Large(bytes) => {
                    state.fetching.push_back(Large {
                        lease,
                        bytes,
                        usable_until,
                    });
                    self.intake.fetching.notify_one();
                }
            }
        }
        let count = here.len();
        self.intake.add(&mut state, here, self.options.at_most_once);
        count
    }

    /// Gives back what is to be given back, again and again until Redis confirms it: the command
    /// may run late, so such an element must not be handed over any more.
    pub(super) async fn give_back(&mut self) -> Result<(), Failure> {
        if self.returning.is_empty() {
            return Ok(());
        }
        let (keys, end) = (&self.keys, self.end);
        let (owned, leased) = self.sort_returning();
        if !leased.is_empty() {
            self.link
                .call(|connection| script::give_back(connection, keys, end, &leased))
                .await?;
        }
        if !owned.is_empty() {
            let bytes = owned.iter().map(|(_, payload)| payload.len()).sum();
            let remember = Options::settled(bytes);
            self.link
                .call_sized(bytes, |connection| {
                    script::restore(connection, keys, end, remember, &owned)
                })
                .await?;
            let mut state = lock(&self.intake.state);
            state
                .owned
                .retain(|lease, _| !self.returning.contains(lease));
        }
        self.returning.clear();
        // Our own write: Redis does not hint at it.
        self.ends.hint();
        Ok(())
    }

    /// What is being given back: the elements whose leases were ended, and the leases of the others.
    fn sort_returning(&self) -> (Vec<(Lease, Bytes)>, Vec<Lease>) {
        let state = lock(&self.intake.state);
        let (mut owned, mut leased) = (Vec::new(), Vec::new());
        for lease in &self.returning {
            match state.owned.get(lease) {
                Some(payload) => owned.push((*lease, payload.clone())),
                None => leased.push(*lease),
            }
        }
        (owned, leased)
    }

    /// Whether the target queue is empty; if so, Redis sends a hint when that changes.
    pub(super) async fn is_empty(&self) -> Result<bool, Failure> {
        let mut command = redis::cmd("LLEN");
        command.arg(self.keys.target());
        match self.link.watch::<u64>(command).await {
            // The next claim meets the same, and its error names the key.
            Err(Failure::Refused(error)) if error.code() == Some("WRONGTYPE") => Ok(false),
            length => length.map(|length| length == 0),
        }
    }

    /// Tells the other clients of the queue that callers wait here.
    pub(super) async fn announce(&self) -> Result<(), Failure> {
        let mut command = redis::cmd("PUBLISH");
        command.arg(self.keys.moved(self.link.database()));
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
        self.link.watch::<u64>(command).await.map(drop)
    }
}
