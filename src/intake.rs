//! Taking due elements: how they reach this process and are handed to the callers that wait.
//!
//! A call that pops cannot be made safe: when its future is dropped or its reply is lost, the
//! element is gone. So one task a queue *claims* elements, which moves them into a set of leases in
//! Redis, and callers take them from this process's memory in a single step. A lease ends when the
//! element was handed over; one that is never ended runs out and the element is claimed again.
//!
//! The worker learns that there is something to claim from the transfer service, and, when another
//! client moved it, from Redis: the connection tracks keys (`CLIENT TRACKING`), and reading an
//! empty target queue asks to be told when it changes. A blocking peek (`BLMOVE` of the head onto
//! itself) is as fast, 59 us from the push to the hint at the median against 75 us (2,000 rounds,
//! Redis 7.0.15 on loopback), but needs a socket a queue.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::{Notify, Semaphore, oneshot, watch};
use tokio::time::{sleep, sleep_until, timeout};

use crate::backoff::Backoff;
use crate::clock::after_us;
use crate::connection::{Failure, Link};
use crate::error::{Error, Result, Step};
use crate::keys::QueueKeys;
use crate::options::Options;
use crate::packed::Packed;
use crate::script;
use crate::sync::lock;

/// The elements of one queue that this process holds, and the callers that wait for them.
#[derive(Debug)]
pub(crate) struct Intake {
    state: Mutex<State>,
    /// One permit for each element in `State::ready`; closed when no more are handed over.
    ready: Semaphore,
    /// Rung when there is something to do for the worker.
    work: Notify,
    /// Why the last round with Redis failed; nothing after a round that went well.
    trouble: watch::Sender<Option<Failure>>,
}

#[derive(Debug, Default)]
struct State {
    /// Claimed and not handed over, the oldest first.
    ready: VecDeque<Leased>,
    /// Leases of elements that were handed over, to be ended in Redis.
    handed_over: Vec<Bytes>,
    /// How many callers wait.
    waiting: usize,
    /// Callers that want to know when one more claim is done.
    probes: Vec<oneshot::Sender<()>>,
    /// Something may be there to claim.
    hinted: bool,
}

#[derive(Debug)]
struct Leased {
    /// As it stands in the set of leases.
    member: Bytes,
    payload: Bytes,
    /// After this moment too little of the lease is left to hand the element over.
    usable_until: Instant,
}

/// How long a caller waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    Forever,
    /// For one claim.
    Once,
    Until(Instant),
}

impl Intake {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::default(),
            ready: Semaphore::new(0),
            work: Notify::new(),
            trouble: watch::Sender::new(None),
        }
    }

    /// Says that there may be something to claim.
    pub(crate) fn hint(&self) {
        lock(&self.state).hinted = true;
        self.work.notify_one();
    }

    /// Hands over no more; the worker gives back what it holds and ends.
    pub(crate) fn close(&self) {
        self.ready.close();
        self.work.notify_one();
    }

    /// The payload of the next element, or nothing when the caller's patience ends.
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub(crate) async fn take(&self, patience: Patience) -> Result<Option<Bytes>> {
        let mut trouble = self.trouble.subscribe();
        let waiting = Waiting::new(self);
        let probe = match patience {
            Patience::Once => Some(self.probe()),
            Patience::Forever | Patience::Until(_) => None,
        };
        let given_up = async move {
            match (patience, probe) {
                (Patience::Until(deadline), _) => sleep_until(deadline.into()).await,
                (_, Some(probe)) => drop(probe.await),
                _ => std::future::pending().await,
            }
        };
        tokio::pin!(given_up);
        loop {
            tokio::select! {
                // First what is there, so that a caller without patience gets it.
                biased;
                permit = self.ready.acquire() => {
                    permit.map_err(|_| Error::Closed)?.forget();
                    // No await from here on: a future dropped while it waits has taken nothing.
                    if let Some(payload) = self.hand_over() {
                        drop(waiting);
                        return Ok(Some(payload));
                    }
                }
                // The worker keeps trying to connect, but what Redis refuses the caller should know.
                _ = trouble.changed() => {
                    let failure = trouble.borrow_and_update().clone();
                    if let Some(failure) = failure.filter(|it| !it.is_disconnection()) {
                        return Err(failure.into_error(Step::Claim));
                    }
                }
                () = &mut given_up => {
                    let failure = trouble.borrow().clone();
                    return failure.map_or(Ok(None), |it| Err(it.into_error(Step::Claim)));
                }
            }
        }
    }

    fn probe(&self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.state).probes.push(sender);
        self.work.notify_one();
        receiver
    }

    fn hand_over(&self) -> Option<Bytes> {
        let mut state = lock(&self.state);
        let now = Instant::now();
        while let Some(leased) = state.ready.pop_front() {
            // What cannot be used any more is claimed again, by whoever comes first, when it runs
            // out.
            if leased.usable_until > now {
                state.handed_over.push(leased.member);
                self.work.notify_one();
                return Some(leased.payload);
            }
        }
        None
    }
}

/// Counts a caller among those that wait, until dropped.
struct Waiting<'a>(&'a Intake);

impl<'a> Waiting<'a> {
    fn new(intake: &'a Intake) -> Self {
        lock(&intake.state).waiting += 1;
        intake.work.notify_one();
        Self(intake)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).waiting -= 1;
        self.0.work.notify_one();
    }
}

/// The task that claims for one [`Intake`], ends the leases of what was handed over, and gives back
/// what nobody wants any more.
#[derive(Debug)]
pub(crate) struct Worker {
    intake: Arc<Intake>,
    link: Arc<Link>,
    keys: QueueKeys,
    options: Options,
    /// Names this worker in its leases.
    incarnation: [u8; 8],
    claims: u64,
    /// The last claim found less than it asked for, and Redis promised a hint when that changes.
    found_empty: bool,
    /// Since when there are elements that nobody waits for.
    surplus_since: Option<Instant>,
    /// When a claim was last made.
    claimed_at: Instant,
    /// When to look next for leases that a command made although its reply was lost; nothing if
    /// none can exist.
    recover_at: Option<Instant>,
    /// Until when such a command may still run.
    unsure_until: Instant,
    /// Callers that the present round answers.
    probes: Vec<oneshot::Sender<()>>,
}

/// What one round is to do.
#[derive(Debug, Default)]
struct Round {
    ended: Vec<Bytes>,
    claim: usize,
    given_back: Vec<Leased>,
}

impl Worker {
    /// The most elements to claim, end or give back in one command; the scripts take 1,000.
    const BATCH: usize = 500;
    /// How long to keep elements that nobody waits for: a caller in a loop is back sooner.
    const SURPLUS: Duration = Duration::from_millis(20);
    /// How long to look for leases made by commands whose reply was lost.
    const UNSURE: Duration = Duration::from_secs(10);

    pub(crate) fn new(
        intake: Arc<Intake>,
        link: Arc<Link>,
        keys: QueueKeys,
        options: Options,
    ) -> Self {
        Self {
            intake,
            link,
            keys,
            options,
            incarnation: rand::random(),
            claims: 0,
            found_empty: false,
            surplus_since: None,
            claimed_at: Instant::now(),
            recover_at: None,
            unsure_until: Instant::now(),
            probes: Vec::new(),
        }
    }

    /// Works until the intake is closed. An error says that leases could not be ended or given back
    /// then; their elements are claimed again when the leases run out.
    pub(crate) async fn run(mut self) -> Result<()> {
        let mut backoff = Backoff::new(self.options.safety_poll);
        while !self.intake.ready.is_closed() {
            match self.work().await {
                Ok(()) => {
                    backoff.reset();
                    self.intake
                        .trouble
                        .send_if_modified(|it| it.take().is_some());
                    self.idle().await;
                }
                Err(failure) => {
                    self.found_empty = false;
                    self.intake.trouble.send_replace(Some(failure));
                    // After the trouble is known: these callers are about to ask for it.
                    self.probes.clear();
                    lock(&self.intake.state).probes.clear();
                    sleep(backoff.next()).await;
                }
            }
        }
        let patience = self.options.offer_window();
        let farewell = async {
            while self.work().await.is_err() {
                sleep(backoff.next()).await;
            }
        };
        timeout(patience, farewell).await.map_err(|_| Error::Lost {
            step: Step::GiveBack,
            source: std::io::Error::from(std::io::ErrorKind::TimedOut).into(),
        })
    }

    /// Does everything there is to do now.
    async fn work(&mut self) -> Result<(), Failure> {
        let result = self.try_work().await;
        if result.is_err() {
            let now = Instant::now();
            self.recover_at = Some(now);
            self.unsure_until = now + Self::UNSURE;
        }
        result
    }

    async fn try_work(&mut self) -> Result<(), Failure> {
        if self.recover_at.is_some_and(|at| at <= Instant::now()) {
            self.recover().await?;
        }
        loop {
            let round = self.plan();
            if round.ended.is_empty() && round.claim == 0 && round.given_back.is_empty() {
                self.probes.clear();
                return Ok(());
            }
            self.carry_out(round).await?;
        }
    }

    /// Waits for something to do.
    async fn idle(&mut self) {
        let waiting = lock(&self.intake.state).waiting > 0;
        // Without a transfer service nothing else looks after what a missed hint would have told.
        let poll =
            (waiting && !self.options.transfer).then(|| self.claimed_at + self.options.safety_poll);
        let surplus = self.surplus_since.map(|since| since + Self::SURPLUS);
        let wake = [poll, self.recover_at, surplus].into_iter().flatten().min();
        let timer = async {
            match wake {
                Some(at) => sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.intake.work.notified() => {}
            () = timer => {}
        }
        if poll.is_some_and(|at| at <= Instant::now()) {
            self.found_empty = false;
        }
    }

    fn plan(&mut self) -> Round {
        let mut state = lock(&self.intake.state);
        let closed = self.intake.ready.is_closed();
        if std::mem::take(&mut state.hinted) {
            self.found_empty = false;
        }
        let mut round = Round::default();
        self.probes.append(&mut state.probes);
        let ended = state.handed_over.len().min(Self::BATCH);
        round.ended.extend(state.handed_over.drain(..ended));
        let wanted = state.waiting.saturating_sub(state.ready.len());
        if !closed && (!self.found_empty || !self.probes.is_empty()) {
            round.claim = wanted.min(Self::BATCH);
        }
        if state.ready.is_empty() || state.waiting > 0 && !closed {
            self.surplus_since = None;
        } else {
            let since = *self.surplus_since.get_or_insert_with(Instant::now);
            if closed || since.elapsed() >= Self::SURPLUS {
                let surplus = state.ready.len().min(Self::BATCH);
                // From the back, so that each batch leads the queue before the one given back
                // earlier.
                let keep = state.ready.len() - surplus;
                round.given_back.extend(state.ready.drain(keep..));
            }
        }
        round
    }

    async fn carry_out(&mut self, round: Round) -> Result<(), Failure> {
        let Round {
            ended,
            claim,
            given_back,
        } = round;
        let (ends, claims) = tokio::join!(self.end(&ended), async {
            if claim > 0 {
                self.claim(claim, self.claims).await
            } else {
                Ok(Vec::new())
            }
        });
        if claim > 0 {
            self.claims += 1;
            self.claimed_at = Instant::now();
        }
        // Both failures are looked at only after both results were kept.
        if ends.is_err() {
            lock(&self.intake.state).handed_over.extend(ended);
        }
        let claimed = claims.map(|claimed| {
            let count = claimed.len();
            self.add(claimed);
            count
        });
        let returned = self.give_back(given_back).await;
        let claimed = claimed?;
        ends?;
        returned?;
        if claim > 0 && claimed < claim {
            self.found_empty = self.is_empty().await?;
        }
        // Only now: a caller that waits for this claim looks for its elements first.
        self.probes.clear();
        Ok(())
    }

    async fn end(&self, leases: &[Bytes]) -> Result<(), Failure> {
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

    async fn claim(&self, count: usize, number: u64) -> Result<Vec<Leased>, Failure> {
        let mut claimant = [0; 16];
        claimant[..8].copy_from_slice(&self.incarnation);
        claimant[8..].copy_from_slice(&number.to_be_bytes());
        let (keys, lease) = (&self.keys, self.options.claim_lease);
        let clock = self.options.clock;
        let sent = Instant::now();
        let members = self
            .link
            .call(|connection| script::claim(connection, keys, clock, count, lease, claimant))
            .await?;
        Ok(members
            .into_iter()
            .filter_map(|member| Leased::new(member, sent, lease))
            .collect())
    }

    /// Takes in what earlier commands leased although their replies did not arrive.
    async fn recover(&mut self) -> Result<(), Failure> {
        let (keys, incarnation) = (&self.keys, self.incarnation);
        let clock = self.options.clock;
        let sent = Instant::now();
        let mine = self
            .link
            .call(|connection| script::recover(connection, keys, incarnation, clock))
            .await?;
        let unknown = {
            let state = lock(&self.intake.state);
            let ready = state.ready.iter().map(|leased| &leased.member);
            let known: HashSet<&Bytes> = ready.chain(&state.handed_over).collect();
            mine.into_iter()
                .filter(|(member, _)| !known.contains(&Bytes::copy_from_slice(member)))
                .filter_map(|(member, left_us)| {
                    Leased::new(member, sent, after_us(sent, left_us) - sent)
                })
                .collect::<Vec<_>>()
        };
        self.add(unknown);
        let next = Instant::now() + self.options.safety_poll;
        self.recover_at = (next < self.unsure_until).then_some(next);
        Ok(())
    }

    fn add(&self, leased: Vec<Leased>) {
        let count = leased.len();
        lock(&self.intake.state).ready.extend(leased);
        self.intake.ready.add_permits(count);
    }

    async fn give_back(&self, leased: Vec<Leased>) -> Result<(), Failure> {
        if leased.is_empty() {
            return Ok(());
        }
        let members: Vec<Bytes> = leased.iter().map(|it| it.member.clone()).collect();
        // Each had its permit; if a caller holds it now, that caller finds nothing and waits on.
        self.intake.ready.forget_permits(leased.len());
        let keys = &self.keys;
        // After a failure, recovery finds those that are still leased to us.
        self.link
            .call(|connection| script::give_back(connection, keys, &members))
            .await?;
        // Our own write: Redis does not hint at it.
        self.intake.hint();
        Ok(())
    }

    /// Whether the target queue is empty; if so, Redis sends a hint when that changes.
    async fn is_empty(&self) -> Result<bool, Failure> {
        let mut command = redis::cmd("LLEN");
        command.arg(self.keys.target());
        // On the connection that tracks: reading the key is what asks for the hint.
        self.link
            .call(|mut connection| async move { command.query_async::<u64>(&mut connection).await })
            .await
            .map(|length| length == 0)
    }
}

impl Leased {
    /// Keeps a third of the lease for the command that ends it.
    fn new(member: Vec<u8>, sent: Instant, lease: Duration) -> Option<Self> {
        let member = Bytes::from(member);
        let payload = Packed::parse(member.clone()).ok()?.payload;
        Some(Self {
            member,
            payload,
            usable_until: sent + lease * 2 / 3,
        })
    }
}
