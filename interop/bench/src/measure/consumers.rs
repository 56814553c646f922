//! What it costs to take elements and to acknowledge them.

use super::{Measure, Plan};
use crate::{Result, section::Section};

mod peers;
mod processing;
mod turns;
mod workers;

pub(super) const MEASURE: Measure = Measure {
    name: "consumers",
    title: "Consumers",
    about: "How many elements a second one process takes and acknowledges, with handlers that do \
            nothing. Each round begins with the same number of elements that can be taken at once, \
            and ends when all are done or the time is over. *Run* is `Consumer::run`, which \
            acknowledges what its handlers have done while the next ones run; *recv* is a loop of `recv` and `ack` in each \
            task. All who are compared may have the same number of elements at a time, which are \
            jobs in a worker of BullMQ and of apalis. *Tuned* means: apalis fetches 500 at a time, \
            and neither locks tasks nor publishes events. Redisson calls `take()` in as many \
            threads, and acknowledges nothing. BullMQ and apalis keep more about an element than \
            this crate does: `interop/README.md` says what.",
    run,
};

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    peers::compare(plan, &mut section)?;
    processing::compare(plan, &mut section)?;
    workers::measure(plan, &mut section)?;
    Ok(section)
}
