//! Claiming elements, and making them ready for callers.

use std::time::Duration;

use redis::RedisResult;
use tokio::time::Instant;

use super::Worker;
use super::trouble::Part;
use crate::delivery::intake::leased::{Large, Leased};
use crate::link::connection::{Failure, extra_time};
use crate::sync::lock;
use crate::wire::script::{self, Claim, Lease, LeasedBytes};

/// What a claim brought to the worker.
#[derive(Debug, Default)]
pub(super) struct Catch {
    pub(super) arrivals: Vec<Arrival>,
    /// How many more came, and wait for their turn now or for the next claim.
    pub(super) without_turn: usize,
    /// How long to wait before the next claim, if Redis asks for that.
    pub(super) wait: Option<Duration>,
    /// The claim left nothing.
    pub(super) was_last: bool,
    /// The claim left a large element, as the worker asked.
    pub(super) left_large: bool,
}

/// An element that a claim brought, or that `recovery` found.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) lease: Lease,
    pub(super) bytes: LeasedBytes,
    /// When the [reserve](Station::reserve) of the lease begins.
    pub(super) usable_until: Instant,
}

impl Worker {
    /// Claims and adds the elements. Returns how many there are, and the rest of the reply.
    pub(super) async fn claim_and_add(
        &mut self,
        claim: usize,
        ahead: usize,
    ) -> Result<(usize, Catch), Failure> {
        if claim + ahead == 0 {
            return Ok(Default::default());
        }
        self.trouble.begin(Part::Claim);
        if self.claims.last == 0 && !self.station.terms.pops() {
            self.measure().await?;
        }
        self.claims.begin();
        let caught = self.claim_and_join(claim, ahead).await;
        // A claim that ran may have failed to join groups.
        if let Err(failure) = &caught
            && (matches!(failure, Failure::Lost(_)) || self.station.terms.grouping().is_some())
            && !self.station.terms.pops()
        {
            self.lost_claims.add(self.claims.last);
        }
        match &caught {
            Ok(_) => self.succeeded(Part::Claim),
            Err(failure) => self.caution.failed(failure),
        }
        let caught = caught.map(|mut it| {
            let arrivals = std::mem::take(&mut it.arrivals);
            let count = arrivals.len();
            self.add(arrivals);
            (count, it)
        });
        lock(&self.station.intake.state).demand.claiming = 0;
        caught
    }

    /// Measures the round trip before the first claim, if its elements might come too late otherwise.
    async fn measure(&mut self) -> Result<(), Failure> {
        if self.station.terms.lease - self.station.reserve()
            >= self.station.options.timeouts.response
        {
            return Ok(());
        }
        let link = self.station.route.delivery();
        let ((), took) = link
            .call(|mut connection| {
                timed(async move { redis::cmd("TIME").exec_async(&mut connection).await })
            })
            .await?;
        lock(&self.station.round_trip).learn(took);
        Ok(())
    }

    async fn claim_and_join(&mut self, claim: usize, ahead: usize) -> Result<Catch, Failure> {
        if self.station.terms.pops() {
            return self.pop(claim).await;
        }
        let mut caught = self.claim(claim, ahead).await?;
        let count = caught.arrivals.len();
        caught.arrivals = self.join(caught.arrivals).await?;
        caught.without_turn = count - caught.arrivals.len();
        Ok(caught)
    }

    async fn claim(&mut self, count: usize, ahead: usize) -> Result<Catch, Failure> {
        let claim = Claim {
            side: self.station.terms.side,
            count,
            ahead,
            lease: self.station.lease(),
            claimant: self.claims.claimant(),
            most_bytes: self.caution.most_bytes(),
            is_careful: self.caution.is_careful(),
            leaves_large: self.holds_large(&lock(&self.station.intake.state)),
        };
        let sent = Instant::now();
        let (claimed, took) = self.send(&claim).await?;
        self.station.intake.meter.claimed(sent.elapsed());
        let usable = claim.lease - self.station.reserve();
        self.station.learn_round_trip(took);
        if let Some(next) = claimed.next {
            self.station.intake.claim_by(Instant::now() + next);
        }
        Ok(self.catch(claimed, sent, usable))
    }

    /// Reads what a claim brought that was sent at `sent` and whose elements are usable for so long.
    pub(super) fn catch(
        &mut self,
        claimed: script::Claimed,
        sent: Instant,
        usable: Duration,
    ) -> Catch {
        let is_large = |(_, bytes): &(_, _)| matches!(bytes, LeasedBytes::Large(_));
        let met_large = claimed.left_large.is_some() || claimed.leases.last().is_some_and(is_large);
        self.caution.claimed(met_large);
        self.station.report_quarantined(claimed.quarantined);
        Catch {
            arrivals: date(claimed.leases, sent, usable),
            without_turn: 0,
            // A signal says when a pause is over. A look now and then makes up for a lost signal.
            wait: claimed.wait,
            was_last: claimed.wait.is_none() && !claimed.is_more,
            left_large: claimed.left_large.is_some(),
        }
    }

    /// Sends a claim. Returns also how long it took from when the connection was up.
    async fn send(&self, claim: &Claim) -> Result<(script::Claimed, Duration), Failure> {
        let (keys, link) = (&self.station.keys, self.station.route.delivery());
        let Some(consumption) = self.station.terms.consumption() else {
            return link.call(|it| timed(script::claim(it, keys, claim))).await;
        };
        // The reply to this claim says it anew.
        lock(&self.station.intake.state).claim_at = None;
        let ((claimed, burial), took) = link
            .call(|it| timed(script::consume(it, keys, claim, consumption)))
            .await?;
        let meter = &self.station.intake.meter;
        meter.buried(burial.deaths.len() as u64);
        meter.dead_letters(burial.dead_letters);
        for (lease, reason) in burial.deaths {
            self.station.report_dead_letter(consumption, lease, reason);
        }
        Ok((claimed, took))
    }

    /// Makes elements ready for callers. The fetcher reads the payloads of large ones first.
    pub(super) fn add(&self, arrivals: Vec<Arrival>) {
        let mut state = lock(&self.station.intake.state);
        let mut here = Vec::with_capacity(arrivals.len());
        for Arrival {
            lease,
            bytes,
            usable_until,
        } in arrivals
        {
            match bytes {
                LeasedBytes::Here(payload) => {
                    here.push(Leased {
                        lease,
                        payload,
                        usable_until: (!self.station.terms.pops()).then_some(usable_until),
                    });
                }
                LeasedBytes::Large(bytes) => {
                    state.holdings.fetching.push_back(Large {
                        lease,
                        bytes,
                        usable_until,
                    });
                    self.station.intake.fetching.notify_one();
                }
            }
        }
        self.station.intake.add(&mut state, here);
    }
}

/// Waits for the reply to a command. Returns also how long it took.
async fn timed<T>(reply: impl Future<Output = RedisResult<T>>) -> RedisResult<(T, Duration)> {
    let sent = Instant::now();
    Ok((reply.await?, sent.elapsed()))
}

/// Says until when to hand over the elements of a claim that was sent at `sent`. They are usable for so
/// long, and large ones for longer.
fn date(leases: Vec<(Lease, LeasedBytes)>, sent: Instant, usable: Duration) -> Vec<Arrival> {
    let date = |(lease, bytes)| {
        let extra = match bytes {
            LeasedBytes::Large(bytes) => extra_time(bytes),
            LeasedBytes::Here(_) => Duration::ZERO,
        };
        Arrival {
            lease,
            bytes,
            usable_until: sent + extra + usable,
        }
    };
    leases.into_iter().map(date).collect()
}
