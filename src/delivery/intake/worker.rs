//! The task behind an [`Intake`].

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::{sleep, sleep_until};

use super::{Consumed, Ends, Intake, State};
use crate::end::End;
use crate::error::{Result, Step};
use crate::link::backoff::Backoff;
use crate::link::connection::{Failure, LargeLink, Link};
use crate::options::Options;
use crate::sync::lock;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{Lease, SettleToken};

mod ahead;
mod ender;
mod fetcher;
mod lease;
mod lull;
mod prospects;
mod round;
mod settle;

use ahead::Ahead;
use ender::Ender;
use fetcher::Fetcher;
use lease::Catch;
use prospects::Prospects;
use round::Round;
use settle::Unsettled;

/// Claims for one [`Intake`], and gives back what nobody wants any more. Its [`Ender`] ends the leases
/// of what was handed over, and its [`Fetcher`] fetches large payloads.
#[derive(Debug)]
pub(crate) struct Worker {
    intake: Arc<Intake>,
    /// Both ends of the queue, and which of them is this worker's.
    ends: Arc<Ends>,
    end: End,
    link: Arc<Link>,
    /// For payloads that would hold up everything else.
    large: Arc<LargeLink>,
    keys: Arc<QueueKeys>,
    options: Options,
    /// Names this worker in its leases.
    incarnation: [u8; 8],
    /// How long to wait after rounds that failed.
    backoff: Backoff,
    /// How many claims were made; the number of the next one.
    claims: u64,
    /// When a claim was last made.
    claimed_at: Instant,
    prospects: Prospects,
    ahead: Ahead,
    /// Until when Redis lets nobody claim, by a pause or a limit to the rate.
    barred_until: Option<Instant>,
    /// Redis promised to say when a pause or a limit is changed.
    is_told_of_bars: bool,
    /// A large element was left in the target queue, for this process holds one.
    left_large: bool,
    /// How many more claims read payloads one at a time, for large ones were met lately.
    careful_claims: usize,
    /// Callers that the present round answers.
    probes: Vec<oneshot::Sender<bool>>,
    /// How many times leases were ended before the hand-over. Numbers these calls.
    settlements: u64,
    /// Elements whose leases Redis was asked to end, and did not say what became of them.
    unsettled: Option<Unsettled>,
    /// The token of the last such call that Redis answered.
    settled_before: Option<SettleToken>,
    /// Leases that are being given back: until Redis has confirmed that, the command may yet run.
    returning: Vec<Lease>,
    /// Since when there are elements that nobody waits for.
    surplus_since: Option<Instant>,
    /// When to look next for leases that a command made although its reply was lost; nothing if
    /// none can exist.
    recover_at: Option<Instant>,
    /// Until when such a command may still run.
    unsure_until: Instant,
    /// However this worker ends, callers must not wait for it any more.
    _closing: CloseOnDrop,
}

impl Worker {
    /// The most elements to claim for callers, and so many more ahead of them, and to end or give
    /// back in one command; the scripts take 1,000.
    const BATCH: usize = 500;
    /// How many claims read payloads one at a time after a large one.
    const CAREFUL: usize = 16;
    /// How long to keep elements that nobody waits for: a caller in a loop is back sooner.
    const SURPLUS: Duration = Duration::from_millis(20);
    /// How long to look for leases made by commands whose reply was lost.
    const UNSURE: Duration = Duration::from_secs(10);

    /// A bar of this length is worth asking to be told when it is lifted. While one lasts nobody
    /// claims, so nothing is said of it more often.
    const LONG_BAR: Duration = Duration::from_millis(100);

    pub(crate) fn new(
        ends: Arc<Ends>,
        end: End,
        link: Arc<Link>,
        large: Arc<LargeLink>,
        keys: Arc<QueueKeys>,
        options: Options,
    ) -> Self {
        let now = Instant::now();
        let intake = Arc::clone(ends.at(end));
        ends.set_taken_from(end);
        let prospects = Prospects::new(options.longest_pause());
        let backoff = Backoff::new(options.longest_pause());
        Self {
            _closing: CloseOnDrop(Arc::clone(&intake)),
            intake,
            ends,
            end,
            link,
            large,
            keys,
            options,
            incarnation: rand::random(),
            backoff,
            claims: 0,
            claimed_at: now,
            prospects,
            ahead: Ahead::default(),
            barred_until: None,
            is_told_of_bars: false,
            left_large: false,
            careful_claims: 0,
            probes: Vec::new(),
            settlements: 0,
            unsettled: None,
            settled_before: None,
            returning: Vec::new(),
            surplus_since: None,
            recover_at: None,
            unsure_until: now,
        }
    }

    /// Works until the intake is closed. An error says that leases could not be ended or given back
    /// then; their elements are claimed again when the leases run out.
    pub(crate) async fn run(mut self) -> Result<()> {
        let ender = Ender::new(&self);
        let fetcher = Fetcher::new(&self);
        let (finish, finished) = oneshot::channel::<()>();
        let work = async move {
            tokio::select! {
                () = fetcher.run() => {}
                () = self.serve() => {}
            }
            let result = self.farewell().await;
            // Nothing is at hand any more that could be handed over.
            drop(finish);
            result
        };
        let finished = async move { drop(finished.await) };
        let (given_back, ended) = tokio::join!(work, ender.run(finished));
        given_back.and(ended)
    }

    /// Works until the intake is closed.
    async fn serve(&mut self) {
        while !self.intake.ready.is_closed() {
            match self.work().await {
                Ok(()) => self.idle().await,
                Err(failure) => {
                    self.prospects.doubt();
                    self.intake.trouble.send_replace(Some(failure));
                    // After the trouble is known: these callers are about to ask for it.
                    self.probes.clear();
                    lock(&self.intake.state).probes.clear();
                    tokio::select! {
                        () = sleep(self.backoff.next()) => {}
                        () = self.intake.closing.notified() => {}
                    }
                }
            }
        }
    }

    /// Gives back all that is held.
    async fn farewell(&mut self) -> Result<()> {
        self.recover_at = self.recover_at.map(|_| Instant::now());
        let give_up = Instant::now() + self.options.offer_window();
        while let Err(failure) = self.work().await {
            let wait = self.backoff.next();
            if Instant::now() + wait >= give_up {
                let error = failure.into_error(Step::GiveBack);
                return Err(error.on_queue(self.keys.target()));
            }
            sleep(wait).await;
        }
        Ok(())
    }

    /// Does everything there is to do now.
    async fn work(&mut self) -> Result<(), Failure> {
        let result = self.try_work().await;
        if let Err(Failure::Lost(_)) = result {
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
        self.give_back().await?;
        loop {
            self.settle().await?;
            let round = self.plan();
            if round.is_nothing() {
                self.went_well();
                return Ok(());
            }
            self.carry_out(round).await?;
        }
    }

    /// Waits for something to do.
    async fn idle(&mut self) {
        let (unserved, lapse) = {
            let state = lock(&self.intake.state);
            (state.lack() > 0, state.first_lapse())
        };
        // Without a transfer service nothing else looks after what a missed hint would have told.
        let poll = (unserved && !self.ends.is_transferred())
            .then(|| self.claimed_at + self.options.safety_poll);
        let surplus = self.surplus_since.map(|since| since + Self::SURPLUS);
        let bar = self.barred_until.filter(|_| unserved);
        let ask = self.prospects.ask_at();
        let ask = ask.filter(|_| unserved && self.is_resting());
        let wake = [poll, self.recover_at, surplus, lapse, bar, ask]
            .into_iter()
            .flatten()
            .min();
        let timer = async {
            match wake {
                Some(at) => sleep_until(at.into()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = self.intake.work.notified() => {}
            () = timer => {}
        }
        if poll.is_some_and(|at| at <= Instant::now()) {
            self.prospects.doubt();
        }
    }

    /// Takes in what was said, and says what to do next.
    fn plan(&mut self) -> Round {
        let intake = Arc::clone(&self.intake);
        let mut state = lock(&intake.state);
        let closed = self.intake.ready.is_closed();
        let now = Instant::now();
        let signals = std::mem::take(&mut state.signals);
        let lack = state.lack();
        self.prospects
            .hear(signals, lack > 0, self.ends.follows(), now);
        if signals.released {
            self.barred_until = None;
            self.is_told_of_bars = false;
        }
        self.barred_until.take_if(|until| *until <= now);
        self.probes.append(&mut state.probes);
        self.left_large &= self.holds_large(&state);
        let mut round = Round::default();
        let is_worth_it = self.is_promising();
        if !closed && (is_worth_it || !self.probes.is_empty()) {
            round.claim = lack.min(Self::BATCH);
        }
        let may_claim_ahead = !self.ends.is_last_taken_from() && !self.options.at_most_once;
        if !closed && is_worth_it && may_claim_ahead {
            let spare = state.ready.len().saturating_sub(state.demand);
            round.ahead = self.ahead.lack(state.consumed, spare, now);
        }
        state.claiming = round.claim + round.ahead;
        if state.claiming > 0 {
            state.consumed = Consumed::default();
        }
        if !closed && state.claiming == 0 && lack > 0 && self.is_resting() {
            round.ask = self.prospects.ask(now);
            round.announce = self.prospects.must_announce();
        }
        round.given_back = self.plan_to_give_back(&mut state, closed, now);
        round
    }

    /// The leases to give back now.
    fn plan_to_give_back(&mut self, state: &mut State, closed: bool, now: Instant) -> Vec<Lease> {
        let lapsed = state.set_lapsed_aside(now);
        let forgotten = self.intake.ready.forget_permits(lapsed);
        // The other permits are with callers that were not polled since. Nothing more is claimed for
        // these before they are.
        state.asleep += lapsed - forgotten;
        // Some of these callers were dropped, and their permits are free.
        let excess = self.intake.ready.available_permits();
        let excess = excess.saturating_sub(state.ready.len()).min(state.asleep);
        state.asleep -= self.intake.ready.forget_permits(excess);
        if !state.lapsed.is_empty() {
            return std::mem::take(&mut state.lapsed);
        }
        if closed && state.ready.is_empty() {
            let mut given_back = state.take_held(Self::BATCH);
            given_back.extend(state.fetching.drain(..).map(|it| it.lease));
            return given_back;
        }
        let surplus = if closed {
            state.ready.len()
        } else {
            state.surplus()
        };
        let wanted_soon = state.demand > 0 && !closed;
        if surplus == 0 || wanted_soon {
            self.surplus_since = None;
            return Vec::new();
        }
        let since = *self.surplus_since.get_or_insert(now);
        if !closed && since.elapsed() < Self::SURPLUS {
            return Vec::new();
        }
        let given_back = state.take_ready(surplus.min(Self::BATCH));
        self.intake.ready.forget_permits(given_back.len());
        given_back
    }

    async fn carry_out(&mut self, round: Round) -> Result<(), Failure> {
        self.returning.extend(round.given_back);
        let asked_for = round.claim + round.ahead;
        let (count, caught) = self.claim_and_add(round.claim, round.ahead).await?;
        self.settle().await?;
        self.give_back().await?;
        let now = Instant::now();
        self.ahead.learn(self.claimed_at, now, asked_for, count);
        if let Some(wait) = caught.wait {
            if count > 0 {
                self.is_told_of_bars = false;
                self.ends.spend(self.end);
            }
            self.bar(wait).await?;
        } else if caught.left_large {
            self.left_large = true;
        } else if caught.was_last {
            self.prospects.exhausted(now);
        } else if asked_for > 0 {
            // It left something.
            self.prospects.doubt();
        }
        if round.ask {
            let is_empty = self.is_empty().await?;
            self.prospects.asked(is_empty);
        }
        if round.announce {
            self.announce().await?;
            self.prospects.announced();
        }
        if count > 0 {
            self.surplus_since = None;
            self.prospects.claimed();
        }
        self.went_well();
        Ok(())
    }

    /// Claims, and says how many elements are ready by that and what else the claim brought.
    async fn claim_and_add(
        &mut self,
        claim: usize,
        ahead: usize,
    ) -> Result<(usize, Catch), Failure> {
        if claim + ahead == 0 {
            return Ok(Default::default());
        }
        self.claims += 1;
        self.claimed_at = Instant::now();
        let caught = self.claim(claim, ahead).await;
        let caught = caught.map(|mut it| (self.add(std::mem::take(&mut it.claimed)), it));
        lock(&self.intake.state).claiming = 0;
        caught
    }

    /// Whether something may be there that Redis lets be claimed now.
    fn is_promising(&self) -> bool {
        !self.prospects.are_none() && self.barred_until.is_none() && !self.left_large
    }

    /// Whether this process holds a large element that no caller has yet. One that a caller has does
    /// not count: it stays for long if nobody polls that caller, and must hold up no other.
    fn holds_large(&self, state: &State) -> bool {
        state.holds_large(self.intake.ready.available_permits())
    }

    /// Whether nothing is to be claimed that is known of.
    fn is_resting(&self) -> bool {
        self.prospects.are_none() && self.barred_until.is_none()
    }

    /// Ends a round without trouble: tells the callers that waited for it whether there may be more
    /// than it brought. What it brought is there.
    fn went_well(&mut self) {
        self.backoff.reset();
        let trouble = &self.intake.trouble;
        trouble.send_if_modified(|it| it.take().is_some());
        let mut state = lock(&self.intake.state);
        let is_free = self.intake.ready.available_permits() > 0;
        // A large element that was left can be claimed once the one before it is fetched, which may
        // have happened since, and has a caller.
        let is_due = self.left_large && (is_free || state.fetching.is_empty());
        let is_more = self.is_promising() || is_due;
        if !is_more && !is_free && !state.fetching.is_empty() {
            // What is on its way may be for one of them.
            state.probes_of_large.append(&mut self.probes);
            return;
        }
        for probe in self.probes.drain(..).chain(state.probes_of_large.drain(..)) {
            // Whoever has gone need not know.
            let _ = probe.send(is_more);
        }
    }

    /// Claims nothing for `wait`, or until Redis says that the queue's state has changed.
    async fn bar(&mut self, wait: Duration) -> Result<(), Failure> {
        let wait = wait.min(self.options.safety_poll);
        if wait > Self::LONG_BAR && !self.is_told_of_bars {
            self.watch_state().await?;
            // What was changed before Redis was asked shows in one more claim.
            self.is_told_of_bars = true;
        } else {
            self.barred_until = Some(Instant::now() + wait);
        }
        Ok(())
    }
}

/// Closes an intake when its worker ends: by itself, by a panic, or with its runtime.
#[derive(Debug)]
pub(super) struct CloseOnDrop(pub(super) Arc<Intake>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
        // Of those to come each finds it closed.
        let mut state = lock(&self.0.state);
        state.probes.clear();
        state.probes_of_large.clear();
    }
}
