//! How much of Redis's memory a pending element takes.

use std::{thread, time::Duration};

use super::{Measure, Plan, QUEUE};
use crate::{
    Result,
    contender::Contender,
    section::Section,
    stage::Stage,
    table::{Table, figure, grouped, ratio},
};

pub(super) const MEASURE: Measure = Measure {
    name: "memory",
    title: "Memory of a pending element",
    about: "How much the memory of Redis (`used_memory`) grows for each pending element. Values \
            have 60 bytes, and each library offers them in bulk. Half of the overhead of the list \
            and the set depends on how far they have grown past a power of two.",
    run,
};

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    let count = plan.choose(100_000, 5_000);
    section.say(format!("{} elements pending:", grouped(count as i64)));
    let mut table = Table::new(["", "bytes an element", "vs Redisson"]);
    let mut rows = Vec::new();
    for contender in [Contender::Unlisted].into_iter().chain(Contender::ALL) {
        rows.push((contender, bytes(contender, count)?));
    }
    let redisson = rows.iter().find(|(it, _)| *it == Contender::Redisson);
    let redisson = redisson.map_or(f64::NAN, |(_, bytes)| *bytes);
    for (contender, bytes) in rows {
        table.row([contender.to_string(), figure(bytes), ratio(bytes, redisson)]);
    }
    section.table(&table);
    Ok(section)
}

fn bytes(contender: Contender, count: usize) -> Result<f64> {
    let mut stage = Stage::start()?;
    let mut worker = stage.worker(contender)?;
    // The buffers of the connections grow here and not while it is measured.
    worker.rate(&format!("offer-all other {count} 3600000 7200000"))?;
    let before = used(&mut stage)?;
    worker.rate(&format!("offer-all {QUEUE} {count} 3600000 7200000"))?;
    Ok((used(&mut stage)? - before) / count as f64)
}

fn used(stage: &mut Stage) -> Result<f64> {
    // Until Redis has shrunk the buffers of its clients.
    thread::sleep(Duration::from_secs(2));
    let info: String = stage.query(&["INFO", "memory"])?;
    let used = info
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"));
    Ok(used.ok_or("no used_memory")?.parse()?)
}
