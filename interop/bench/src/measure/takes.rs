//! How many elements a second one process takes.

use super::{Measure, Plan, QUEUE};
use crate::{
    Result,
    contender::{Contender, Keys},
    fill::{self, Due, Fill, Order, Writer},
    rates::{Rates, Way},
    section::Section,
    stage::Stage,
    table::{grouped, ratio},
    usage::Spent,
    worker::{Rate, Worker},
};

pub(super) const MEASURE: Measure = Measure {
    name: "takes",
    title: "Takes",
    about: "How many elements a second one process takes. In the first three parts the target \
            queue never runs empty. In the last part, the process also transfers: it starts with a \
            backlog of due elements that were offered with the same delay. Waiting callers are \
            tasks in Rust, and threads in `take()` in Java. This crate claims each element with a \
            lease and ends the lease after the hand-over. The other libraries pop the element: if \
            the reply is lost, so is the element.",
    run,
};

// COUNT is how many there are, WINDOW for how long to go on.

const ONE: [Way; 3] = [
    Way::new(Contender::Own, "this crate", "take", "COUNT 1 WINDOW"),
    Way::new(Contender::Redisson, "Redisson", "take", "COUNT 1 WINDOW"),
    Way::new(Contender::Redissun, "redissun", "take", "COUNT 1 WINDOW"),
];

const SIXTEEN: [Way; 3] = [
    Way::new(Contender::Own, "this crate", "take", "COUNT 16 WINDOW"),
    Way::new(Contender::Redisson, "Redisson", "take", "COUNT 16 WINDOW"),
    Way::new(Contender::Redissun, "redissun", "take", "COUNT 16 WINDOW"),
];

const MANY: [Way; 5] = [
    Way::new(
        Contender::Own,
        "this crate, take_many(500)",
        "take-many",
        "many COUNT 500 WINDOW",
    ),
    Way::new(
        Contender::Redisson,
        "Redisson, take() in 16 threads",
        "take",
        "COUNT 16 WINDOW",
    ),
    Way::new(
        Contender::Redisson,
        "Redisson, poll(500)",
        "take-many",
        "poll COUNT 500 WINDOW",
    ),
    Way::new(
        Contender::Redisson,
        "Redisson, drainTo(c, 500)",
        "take-many",
        "drain COUNT 500 WINDOW",
    ),
    Way::new(
        Contender::Redissun,
        "redissun, pop_front_many(500)",
        "take-many",
        "many COUNT 500 WINDOW",
    ),
];

fn run(plan: &Plan) -> Result<Section> {
    let mut stage = Stage::start()?;
    let mut workers = stage.workers(&Contender::ALL)?;
    let mut section = Section::default();
    let mut turns = Turns {
        stage: &mut stage,
        workers: &mut workers,
        plan: *plan,
        window: plan.choose(1_000, 300),
        count: plan.choose(600_000, 20_000),
        put: |stage, keys, _, count| fill::push(stage, keys, count),
    };
    // A round that does not count, so that nothing is compiled or loaded later.
    turns.compare(&MANY)?;
    section.say("One waiting caller:");
    let rates = turns.compare(&ONE)?;
    section.table(&rates.table("takes/s"));
    section.say("16 waiting callers:");
    let rates = turns.compare(&SIXTEEN)?;
    section.table(&rates.table("takes/s"));
    let [own, redisson] = [0, 1].map(|way| rates.per_second(way));
    section.target(
        "16 waiting callers: at least 6 times Redisson's",
        ratio(own, redisson),
        own >= 6.0 * redisson,
    );
    section.say("Batches of up to 500, and Redisson's `take()` for comparison:");
    let rates = turns.compare(&MANY)?;
    section.table(&rates.table("takes/s"));
    let [own, take, poll] = [0, 1, 2].map(|way| rates.per_second(way));
    section.target(
        "take_many: at least half of Redisson's poll(500)",
        format!("{}, and {} take() in 16 threads", ratio(own, poll), ratio(own, take)),
        own >= 0.5 * poll,
    );

    turns.count = plan.choose(20_000, 2_000);
    turns.window = 60_000;
    turns.put = backlog;
    section.say(format!(
        "End to end: a backlog of {}, 16 waiting callers:",
        grouped(turns.count as i64)
    ));
    // redissun would take longer than all others together.
    let rates = turns.compare(&SIXTEEN[..2])?;
    section.table(&rates.table("takes/s"));
    Ok(section)
}

/// Contenders that take from the same, in turns.
struct Turns<'a> {
    stage: &'a mut Stage,
    workers: &'a mut [Worker],
    plan: Plan,
    /// How long to go on, ms.
    window: usize,
    /// How many elements there are.
    count: usize,
    /// Puts the elements where they are taken.
    put: fn(&mut Stage, &Keys, Contender, usize) -> Result<()>,
}

impl Turns<'_> {
    fn compare(&mut self, ways: &[Way]) -> Result<Rates> {
        Rates::measure(ways, self.plan.choose(3, 1), |way, round| {
            // A new queue each time, because elements that were claimed ahead go back late.
            self.take(way, &format!("{QUEUE}-{}-{round}", way.command))
        })
    }

    fn take(&mut self, way: &Way, queue: &str) -> Result<(Rate, Spent)> {
        let worker = way.worker(self.workers)?;
        self.stage.clear()?;
        (self.put)(
            self.stage,
            &way.contender.keys(queue)?,
            way.contender,
            self.count,
        )?;
        let arguments = way
            .arguments
            .replace("COUNT", &self.count.to_string())
            .replace("WINDOW", &self.window.to_string());
        let command = format!("{} {queue} {arguments}", way.command);
        let measured = self
            .stage
            .spent(worker, |_, worker| worker.rate(&command))?;
        worker.done(&format!("close {queue}"))?;
        Ok(measured)
    }
}

/// Due elements that are still to be transferred.
fn backlog(stage: &mut Stage, keys: &Keys, contender: Contender, count: usize) -> Result<()> {
    let all = Fill {
        writer: Writer::of(contender)?,
        order: Order::Fifo,
        due: Due::Past,
        count,
    };
    all.write(stage, keys)?;
    Ok(())
}
