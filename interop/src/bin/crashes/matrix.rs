//! Kills a consumer at each step, together with each fault of Redis.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant, SystemTime},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::{
    Result,
    arguments::Plan,
    bed::Bed,
    consumer::{Mode, Orders},
    fault::Fault,
    ledger::{End, Ledger, Notes},
    process::{Process, micros},
    step::Step,
};

/// A row under way.
struct Row {
    step: Step,
    fault: Fault,
    bed: Bed,
    ledger: Arc<Ledger>,
    elements: usize,
    kills: usize,
    faults: usize,
    /// The moments before each fault began, in unix microseconds.
    windows: Vec<(u64, u64)>,
    random: StdRng,
}

/// Prints a row for each cell. Fails if one of them cost more than it may.
pub(crate) fn run(plan: &Plan) -> Result<()> {
    println!(
        "| killed | Redis | kills | faults | elements | twice | permitted | late | unclear | lost | dead |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut failed = Vec::new();
    for &(step, fault) in &plan.cells {
        if let Err(error) = Row::start(plan, step, fault).and_then(Row::run) {
            let cell = format!("{}/{}", step.name(), fault.name());
            println!("`{cell}` FAILED: {error}");
            failed.push(cell);
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("{}; the seed was {}", failed.join(", "), plan.seed)),
    }
}

impl Row {
    fn start(plan: &Plan, step: Step, fault: Fault) -> Result<Self> {
        let bed = Bed::start(fault)?;
        let values: Vec<String> = (0..plan.elements).map(|it| it.to_string()).collect();
        bed.fill(&values)?;
        Ok(Self {
            step,
            fault,
            bed,
            ledger: Arc::default(),
            elements: plan.elements,
            kills: 0,
            faults: 0,
            windows: Vec::new(),
            random: StdRng::seed_from_u64(plan.seed),
        })
    }

    /// One consumer after the other is killed, while another lives.
    fn run(mut self) -> Result<()> {
        let survivor = Process::start(&self.orders(0, true), &self.ledger, 0)?;
        let deadline = Instant::now() + PATIENCE;
        while self.left() > 0 {
            if Instant::now() > deadline {
                return Err(format!("{} elements never came", self.left()));
            }
            self.kill_one()?;
        }
        self.bed.await_empty()?;
        survivor.stop()?;
        self.judge()
    }

    fn kill_one(&mut self) -> Result<()> {
        let pass = self.random.random_range(1..=MOST_PASSES);
        let prefetches = self.random.random_bool(0.5);
        let number = self.kills + 1;
        let victim = Process::start(&self.orders(pass, prefetches), &self.ledger, number)?;
        while !victim.is_at_step(TICK) {
            if self.left() == 0 {
                return victim.stop();
            }
        }
        thread::sleep(Duration::from_micros(
            self.random.random_range(0..LONGEST_MICROS),
        ));
        self.kills += 1;
        match self.kills % self.fault.every() {
            0 => self.kill_around_fault(victim)?,
            _ => victim.kill(),
        }
        Ok(())
    }

    /// Kills it before, during or after the fault.
    fn kill_around_fault(&mut self, victim: Process) -> Result<()> {
        let moment = self.random.random_range(0..3);
        let mut victim = Some(victim);
        let mut kill_at = |it| {
            if it == moment {
                victim.take().into_iter().for_each(Process::kill);
            }
        };
        let from = micros(SystemTime::now() - UNHEARD);
        kill_at(0);
        self.fault.begin(&mut self.bed)?;
        self.windows.push((from, micros(SystemTime::now())));
        kill_at(1);
        self.fault.end(&mut self.bed)?;
        kill_at(2);
        self.faults += 1;
        Ok(())
    }

    fn judge(&self) -> Result<()> {
        let notes = self.ledger.notes();
        let (again, permitted) = (notes.again(), self.permitted(&notes));
        let (lost, dead) = (self.elements - notes.handled(), self.bed.dead_letters()?);
        println!(
            "| {} | {} | {} | {} | {} | {again} | {permitted} | {} | {} | {lost} | {dead} |",
            self.step.name(),
            self.fault.name(),
            self.kills,
            self.faults,
            self.elements,
            notes.ended(&End::Late),
            notes.ended(&End::Unclear),
        );
        if !notes.strange.is_empty() {
            return Err(format!("consumers said {:?}", notes.strange));
        }
        match again <= permitted && lost == 0 && dead == 0 && self.kills > 0 {
            true => Ok(()),
            false => Err("see the row".into()),
        }
    }

    /// How many elements may have been handled twice: the table in `docs/crashes.md`.
    fn permitted(&self, notes: &Notes) -> usize {
        let by_kills = self.kills * self.step.twice_per_kill();
        let windows = self.windows.iter().filter(|_| self.fault.forgets());
        let unheard: usize = windows
            .map(|&(from, to)| notes.handled_within(from, to))
            .sum();
        by_kills + notes.ended(&End::Unclear) + unheard
    }

    fn left(&self) -> usize {
        self.elements - self.ledger.notes().handled()
    }

    fn orders(&self, pass: usize, prefetches: bool) -> Orders {
        Orders {
            url: self.bed.url(),
            step: self.step,
            pass,
            mode: Mode::Parallel,
            visibility: VISIBILITY,
            work: WORK,
            prefetches,
        }
    }
}

/// So long that no lease runs out under a live process, and short enough to wait for.
const VISIBILITY: Duration = Duration::from_secs(2);
const WORK: Duration = Duration::from_millis(2);
const MOST_PASSES: usize = 10;
/// From a process's word that it is at its step to its kill, at most: a claim or an acknowledgement
/// is on its way, at Redis, or back.
const LONGEST_MICROS: u64 = 1_000;
const TICK: Duration = Duration::from_millis(20);
/// A master may have kept what it confirmed to itself for so long.
const UNHEARD: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(300);
