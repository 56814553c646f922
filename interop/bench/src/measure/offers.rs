//! How many offers a second one process makes.

use super::{Measure, Plan, QUEUE};
use crate::{
    Result,
    contender::Contender,
    rates::{Rates, Way},
    section::Section,
    stage::Stage,
    table::ratio,
    worker::Worker,
};

pub(super) const MEASURE: Measure = Measure {
    name: "offers",
    title: "Offers",
    about: "How many offers a second one process makes. Values have 60 bytes and random delays of \
            one to two hours. The queue starts empty. Callers are tasks in Rust and threads in \
            Java; in the row for Redisson's asynchronous offers, one thread keeps as many offers \
            in flight. The process, Redis and the benchmark's driver share the cores, so a client \
            that computes more leaves less for Redis.",
    run,
};

/// The others are compared with the first.
const ONE_BY_ONE: [Way; 4] = [
    Way::new(Contender::Own, "this crate", "offer", ""),
    Way::new(Contender::Redisson, "Redisson, threads", "offer", ""),
    Way::new(
        Contender::Redisson,
        "Redisson, asynchronous",
        "offer-async",
        "",
    ),
    Way::new(Contender::Redissun, "redissun", "offer", ""),
];

const BULK: [Way; 3] = [
    Way::new(Contender::Own, "this crate, offer_all", "offer-all", ""),
    Way::new(
        Contender::Redisson,
        "Redisson, all in flight at once",
        "offer-all",
        "",
    ),
    Way::new(
        Contender::Redissun,
        "redissun, 1,000 tasks",
        "offer-all",
        "",
    ),
];

fn run(plan: &Plan) -> Result<Section> {
    let mut stage = Stage::start()?;
    let mut workers = stage.workers(&Contender::ALL)?;
    let window = plan.choose(1_500, 300);
    for worker in &mut workers {
        warm_up(worker, plan)?;
    }
    let mut section = Section::default();
    for callers in [1, 16, 256] {
        section.say(match callers {
            1 => "1 caller:".to_owned(),
            _ => format!("{callers} callers:"),
        });
        let arguments = format!("{window} {callers} {DELAYS}");
        let rates = compare(&mut stage, &mut workers, plan, &ONE_BY_ONE, &arguments)?;
        section.table(&rates.table("offers/s"));
        if callers == 256 {
            section.say(rates.profile());
            let [own, asynchronous, redissun] = [0, 2, 3].map(|way| rates.per_second(way));
            section.target(
                "256 callers: at least 6 times Redisson's asynchronous offers",
                ratio(own, asynchronous),
                own >= 6.0 * asynchronous,
            );
            section.target(
                "256 callers: more than redissun",
                ratio(own, redissun),
                own > redissun,
            );
        }
    }
    let count = plan.choose(100_000, 5_000);
    section.say(format!(
        "{} elements in bulk:",
        crate::table::grouped(count)
    ));
    let arguments = format!("{count} {DELAYS}");
    let rates = compare(&mut stage, &mut workers, plan, &BULK, &arguments)?;
    section.table(&rates.table("offers/s"));
    section.say(rates.profile());
    let [own, redisson] = [0, 1].map(|way| rates.per_second(way));
    section.target(
        "offer_all: at least 15 times Redisson's offers in bulk",
        ratio(own, redisson),
        own >= 15.0 * redisson,
    );
    Ok(section)
}

fn warm_up(worker: &mut Worker, plan: &Plan) -> Result<()> {
    worker.rate(&format!(
        "offer {QUEUE} {} 16 {DELAYS}",
        plan.choose(3_000, 300)
    ))?;
    if worker.contender == Contender::Redisson {
        worker.rate(&format!(
            "offer-async {QUEUE} {} 256 {DELAYS}",
            plan.choose(3_000, 300)
        ))?;
    }
    Ok(())
}

/// Has all take turns.
fn compare(
    stage: &mut Stage,
    workers: &mut [Worker],
    plan: &Plan,
    ways: &[Way],
    arguments: &str,
) -> Result<Rates> {
    Rates::measure(ways, plan.choose(3, 1), |way, _| {
        stage.clear()?;
        let command = format!("{} {QUEUE} {arguments}", way.command);
        stage.spent(way.worker(workers)?, |_, worker| worker.rate(&command))
    })
}

const DELAYS: &str = "3600000 7200000";
