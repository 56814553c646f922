//! What `Workers` cost while their queues are empty, and how fast they notice an element.

use std::{collections::HashMap, thread, time::Duration};

use crate::{
    Result,
    contender::Contender,
    document::wrapped,
    measure::{Plan, QUEUE},
    rest::Rest,
    section::Section,
    stage::Stage,
    statistics::Figures,
    table::{Table, figure},
    worker::Worker,
};

pub(super) fn measure(plan: &Plan, section: &mut Section) -> Result<()> {
    section.say(wrapped(
        "`Workers` of this crate over empty queues, and how long it takes from the call of \
         `offer`, without a delay and in another process, until the handler runs. Each offer is to \
         a random queue:",
    ));
    let mut table = Table::new([
        "queues",
        "commands/s a queue",
        "sockets",
        "Redis CPU, ms/s",
        "process CPU, ms/s",
        "to the handler, ms",
        "longest",
    ]);
    for queues in [1, 50, 300] {
        let (rest, times) = run(queues, plan)?;
        let each = rest.commands / queues as f64;
        table.row([
            queues.to_string(),
            figure(each),
            rest.sockets.to_string(),
            rest.a_second(rest.spent.redis),
            rest.a_second(rest.spent.processes),
            figure(times.median()),
            figure(times.max()),
        ]);
        aim(section, queues, &rest, &times);
    }
    section.table(&table);
    Ok(())
}

fn run(queues: usize, plan: &Plan) -> Result<(Rest, Figures)> {
    let count = plan.choose(30, 5);
    let mut stage = Stage::start()?;
    let mut worker = stage.worker(Contender::Own)?;
    worker.start(&format!("work {QUEUE} {queues} {CONCURRENCY} {count}"));
    let window = Duration::from_secs(plan.choose(5, 2));
    let rest = Rest::watch(&mut stage, &mut worker, window)?;
    let offered = offer(&mut stage.worker(Contender::Own)?, queues, count)?;
    let arrivals = worker.arrivals()?;
    let times = arrivals.iter().filter_map(|it| {
        let since = it.micros.saturating_sub(*offered.get(&it.number)?);
        Some(since as f64 / 1e3)
    });
    Ok((rest, times.collect()))
}

/// Offers one element after the other; returns when each was offered.
fn offer(worker: &mut Worker, queues: usize, count: usize) -> Result<HashMap<usize, u64>> {
    let mut offered = HashMap::new();
    for number in 0..count {
        thread::sleep(Duration::from_millis(rand::random_range(100..200)));
        let queue = format!("{QUEUE}{}", rand::random_range(0..queues));
        let moment = worker.moment(&format!("offer-one {queue} {number}"))?;
        offered.insert(number, moment);
    }
    Ok(offered)
}

fn aim(section: &mut Section, queues: usize, rest: &Rest, times: &Figures) {
    let what = match queues {
        1 => "1 queue".to_owned(),
        _ => format!("{queues} queues"),
    };
    section.target(
        &format!("`Workers`, {what}: at most 10 sockets"),
        rest.sockets.to_string(),
        rest.sockets <= 10,
    );
    section.target(
        &format!("`Workers`, {what}: at most 5 ms to the handler"),
        format!("{} ms", figure(times.median())),
        times.median() <= 5.0,
    );
}

const CONCURRENCY: usize = 16;
