//! Consumers that take turns.

use crate::{
    Result,
    contender::Contender,
    fill,
    measure::{Plan, QUEUE},
    rates::{Rates, Way},
    stage::Stage,
    usage::Spent,
    worker::{Rate, Worker},
};

pub(super) struct Turns {
    stage: Stage,
    workers: Vec<Worker>,
    rounds: usize,
    /// How many elements there are.
    pub(super) count: usize,
    /// How long to go on, ms.
    window: usize,
    /// How many turns there were.
    turn: usize,
}

impl Turns {
    /// Starts the contenders.
    pub(super) fn start(contenders: &[Contender], plan: &Plan) -> Result<Self> {
        let stage = Stage::start()?;
        Ok(Self {
            workers: stage.workers(contenders)?,
            stage,
            rounds: plan.choose(3, 1),
            count: plan.choose(50_000, 2_000),
            window: plan.choose(1_000, 300),
            turn: 0,
        })
    }

    /// Compares ways with up to so many elements at a time.
    pub(super) fn compare(&mut self, ways: &[Way], concurrency: usize) -> Result<Rates> {
        Rates::measure(ways, self.rounds, |way, _| self.consume(way, concurrency))
    }

    fn consume(&mut self, way: &Way, concurrency: usize) -> Result<(Rate, Spent)> {
        self.stage.clear()?;
        // A new queue each time, because elements that were claimed ahead go back late.
        self.turn += 1;
        let queue = format!("{QUEUE}-{}", self.turn);
        let worker = way.worker(&mut self.workers)?;
        fill(&mut self.stage, worker, &queue, self.count)?;
        let arguments = way
            .arguments
            .replace("COUNT", &self.count.to_string())
            .replace("CALLERS", &concurrency.to_string())
            .replace("WINDOW", &self.window.to_string());
        let command = format!("{} {queue} {arguments}", way.command);
        let measured = self.stage.spent(worker, |_, it| it.rate(&command))?;
        worker.done(&format!("close {queue}"))?;
        Ok(measured)
    }
}

/// Puts elements where they can be taken at once.
fn fill(stage: &mut Stage, worker: &mut Worker, queue: &str, count: usize) -> Result<()> {
    match worker.contender.keys(queue) {
        Ok(keys) => fill::push(stage, &keys, count),
        // It writes them itself.
        Err(_) => worker
            .rate(&format!("offer-all {queue} {count} 0 0"))
            .map(drop),
    }
}
