//! How long after its due time a consumer has an element.

use std::{
    collections::HashMap,
    thread,
    time::{Duration, Instant},
};

use plotters::chart::SeriesLabelPosition;

use super::{Measure, Plan, QUEUE, drain};
use crate::{
    Result,
    contender::{Contender, Keys},
    fill::{Due, Fill, Order, Writer},
    plot::{Axes, Line, Plot},
    section::Section,
    stage::Stage,
    statistics::Figures,
    table::{Table, figure, ratio},
    value,
    worker::Worker,
};

pub(super) const MEASURE: Measure = Measure {
    name: "lateness",
    title: "Lateness",
    about: "How late is an element? The time from its due time in Redis until the consumer's code \
            has it. Redis and the consumers share one machine and its clock. One process offers, \
            transfers and takes. Each round runs in a new process, because Redisson's timer ticks \
            at another moment in each; every process delivers some elements before its round \
            starts. All times are in ms. Percentiles are medians over the rounds. *Longest* is the \
            worst of all rounds. *Early* counts elements that came before their due time.",
    run,
};

/// The lateness of one process after the other, in ms.
#[derive(Default)]
pub(super) struct Rounds {
    rounds: Vec<Figures>,
    pub(super) all: Figures,
}

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    let random = random(*plan)?;
    section.say(format!(
        "Random delays of 1 to 5 s, {RANDOM} elements in {}:",
        plan.choose("each of five processes", "one process")
    ));
    section.table(&table(&random));
    aim_at_random(&mut section, &random);
    section.plot(histogram(&random)?);

    let steady = steady(*plan)?;
    let pending = crate::table::grouped(plan.choose(100_000, 2_000));
    section.say(format!(
        "200 elements a second with delays of 1 to 2 s, while {pending} others with random delays \
         are pending for hours; one process:"
    ));
    section.table(&table(&steady));
    let own = &steady[0].1;
    let p99 = own.median_of(99.0);
    section.target(
        &format!("p99 with {pending} others pending: at most 20 ms"),
        format!("{} ms", figure(p99)),
        p99 <= 20.0,
    );

    let burst = burst(*plan)?;
    section.say(format!(
        "{} elements that are all due in the same millisecond, 16 consumers; {}:",
        crate::table::grouped(plan.choose(10_000, 1_000)),
        plan.choose("three processes, one after the other", "one process")
    ));
    section.table(&table(&burst));
    let early: usize = [&random, &steady, &burst]
        .iter()
        .flat_map(|all| all.iter())
        .filter(|(contender, _)| *contender == Contender::Own)
        .map(|(_, rounds)| rounds.early())
        .sum();
    section.target("no element early", format!("{early} early"), early == 0);
    Ok(section)
}

type Outcome = Vec<(Contender, Rounds)>;

fn random(plan: Plan) -> Result<Outcome> {
    let mut stage = Stage::start()?;
    each_round(plan.choose(5, 1), |contender| {
        let mut worker = ready(&mut stage, contender)?;
        worker.start(&format!("deliver {QUEUE} {RANDOM} 1 0 1000 5000"));
        let due_ms = due_times(&mut stage, &contender.keys(QUEUE)?, RANDOM)?;
        late(&mut worker, &due_ms)
    })
}

fn steady(plan: Plan) -> Result<Outcome> {
    let mut stage = Stage::start()?;
    let count = plan.choose(1_600, 400);
    each_round(1, |contender| {
        let mut worker = ready(&mut stage, contender)?;
        let keys = contender.keys(QUEUE)?;
        pending(plan.choose(100_000, 2_000), contender)?.write(&mut stage, &keys)?;
        worker.start(&format!("deliver {QUEUE} {count} 1 200 1000 2000"));
        let due_ms = due_times(&mut stage, &keys, count)?;
        late(&mut worker, &due_ms)
    })
}

fn burst(plan: Plan) -> Result<Outcome> {
    let mut stage = Stage::start()?;
    let count = plan.choose(10_000, 1_000);
    each_round(plan.choose(3, 1), |contender| {
        let mut worker = ready(&mut stage, contender)?;
        let keys = contender.keys(QUEUE)?;
        let due = stage.now_ms()? + 2_000;
        let all = Fill {
            due: Due::At(due),
            ..pending(count, contender)?
        };
        all.write(&mut stage, &keys)?;
        stage.query::<()>(&["PUBLISH", &keys.channel, &due.to_string()])?;
        worker.start(&format!("collect {QUEUE} {count} 16"));
        late(&mut worker, &(0..count).map(|i| (i, due)).collect())
    })
}

fn each_round(
    rounds: usize,
    mut round: impl FnMut(Contender) -> Result<Figures>,
) -> Result<Outcome> {
    let mut outcome: Outcome = Contender::ALL
        .iter()
        .map(|it| (*it, Rounds::default()))
        .collect();
    for _ in 0..rounds {
        for (contender, rounds) in &mut outcome {
            rounds.add(round(*contender)?);
        }
    }
    Ok(outcome)
}

/// A new process on an empty Redis; it has already delivered some elements.
fn ready(stage: &mut Stage, contender: Contender) -> Result<Worker> {
    stage.clear()?;
    let mut worker = stage.worker(contender)?;
    drain::warm_up(&mut worker)?;
    worker.done(&format!("open {QUEUE}"))?;
    Ok(worker)
}

fn pending(count: usize, contender: Contender) -> Result<Fill> {
    Ok(Fill {
        writer: Writer::of(contender)?,
        order: Order::Random,
        due: Due::Future,
        count,
    })
}

/// When each element of a queue is due, by its number.
pub(super) type DueTimes = HashMap<usize, u64>;

/// Reads the due times of all elements, each before it is due.
fn due_times(stage: &mut Stage, keys: &Keys, count: usize) -> Result<DueTimes> {
    all_seen(count, Duration::from_millis(200), |due_ms| {
        add_due_times(stage, keys, due_ms)
    })
}

/// Looks again and again until the due times of so many elements were seen.
pub(super) fn all_seen(
    count: usize,
    pause: Duration,
    mut look: impl FnMut(&mut DueTimes) -> Result<()>,
) -> Result<DueTimes> {
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut due_ms = DueTimes::new();
    loop {
        look(&mut due_ms)?;
        if due_ms.len() >= count {
            return Ok(due_ms);
        }
        if Instant::now() > deadline {
            return Err(format!("saw {} of {count} elements scheduled", due_ms.len()).into());
        }
        thread::sleep(pause);
    }
}

/// Adds the due times of the elements that are due soon.
pub(super) fn add_due_times(stage: &mut Stage, keys: &Keys, due_ms: &mut DueTimes) -> Result<()> {
    let soon = (stage.now_ms()? + 6_000).to_string();
    let query = ["ZRANGEBYSCORE", &keys.timeouts, "-inf", &soon, "WITHSCORES"];
    let scheduled: Vec<(Vec<u8>, u64)> = stage.query(&query)?;
    for (member, due) in scheduled {
        // The value is the end of the member, of whatever layout.
        let value = member.get(member.len() - value::SIZE..).unwrap_or_default();
        let number = value::number(str::from_utf8(value)?).ok_or("not a value")?;
        due_ms.insert(number, due);
    }
    Ok(())
}

pub(super) fn late(worker: &mut Worker, due_ms: &DueTimes) -> Result<Figures> {
    let arrivals = worker.arrivals()?;
    if arrivals.len() != due_ms.len() {
        return Err(format!("{} arrived of {}", arrivals.len(), due_ms.len()).into());
    }
    let late = arrivals.iter().map(|arrival| {
        let due = due_ms.get(&arrival.number).ok_or("never scheduled")?;
        Ok(arrival.micros as f64 / 1e3 - *due as f64)
    });
    late.collect()
}

impl Rounds {
    pub(super) fn add(&mut self, late: Figures) {
        self.all.extend(&late);
        self.rounds.push(late);
    }

    pub(super) fn median_of(&self, percent: f64) -> f64 {
        let rounds = self.rounds.iter().map(|it| it.percentile(percent));
        rounds.collect::<Figures>().median()
    }

    pub(super) fn early(&self) -> usize {
        self.all.iter().filter(|late| *late < 0.0).count()
    }
}

fn table(outcome: &Outcome) -> Table {
    let mut table = Table::new([
        "",
        "elements",
        "p50",
        "p99",
        "p99.9",
        "longest",
        "early",
        "p99 vs this crate",
    ]);
    let own = outcome[0].1.median_of(99.0);
    for (contender, rounds) in outcome {
        table.row([
            contender.to_string(),
            rounds.all.len().to_string(),
            figure(rounds.median_of(50.0)),
            figure(rounds.median_of(99.0)),
            figure(rounds.median_of(99.9)),
            figure(rounds.all.max()),
            rounds.early().to_string(),
            ratio(rounds.median_of(99.0), own),
        ]);
    }
    table
}

fn aim_at_random(section: &mut Section, outcome: &Outcome) {
    let [own, redisson, redissun] = [0, 1, 2].map(|i| outcome[i].1.median_of(99.0));
    let p50 = outcome[0].1.median_of(50.0);
    section.target(
        "p50 at most 1 ms",
        format!("{} ms", figure(p50)),
        p50 <= 1.0,
    );
    section.target(
        "p99 at most 3 ms",
        format!("{} ms", figure(own)),
        own <= 3.0,
    );
    section.target(
        "p99 at most 1/5 of Redisson's",
        format!("1/{}", figure(redisson / own)),
        own * 5.0 <= redisson,
    );
    section.target(
        "p99 better than redissun's",
        format!("{} ms and {} ms", figure(own), figure(redissun)),
        own < redissun,
    );
}

fn histogram(outcome: &Outcome) -> Result<Plot> {
    let lines = outcome.iter().map(|(contender, rounds)| Line {
        name: contender.to_string(),
        points: rounds.all.iter().map(|late| (late, 0.0)).collect(),
    });
    let axes = Axes {
        x: "ms late",
        y: "% of the elements",
        names: SeriesLabelPosition::UpperRight,
    };
    Plot::histogram(
        "lateness",
        "Lateness of random delays",
        axes,
        lines.collect(),
    )
}

const RANDOM: usize = 500;
