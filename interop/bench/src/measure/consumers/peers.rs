//! This crate's consumer beside those of other libraries.

use super::turns::Turns;
use crate::{
    Result,
    contender::Contender,
    measure::Plan,
    rates::{Rates, Way},
    section::Section,
    table::{grouped, ratio},
};

// COUNT is how many elements there are, CALLERS how many may be in hand at a time, WINDOW for how
// long to go on.

/// The others are compared with the first.
const WAYS: [Way; 6] = [
    Way::new(
        Contender::Own,
        "this crate, run",
        "consume",
        "run COUNT CALLERS WINDOW",
    ),
    Way::new(
        Contender::Own,
        "this crate, recv",
        "consume",
        "recv COUNT CALLERS WINDOW",
    ),
    Way::new(
        Contender::BullMq,
        "BullMQ",
        "consume",
        "run COUNT CALLERS WINDOW",
    ),
    Way::new(
        Contender::Apalis,
        "apalis-redis",
        "consume",
        "default COUNT CALLERS WINDOW",
    ),
    Way::new(
        Contender::Apalis,
        "apalis-redis, tuned",
        "consume",
        "tuned COUNT CALLERS WINDOW",
    ),
    Way::new(
        Contender::Redisson,
        "Redisson, take()",
        "take",
        "COUNT CALLERS WINDOW",
    ),
];

pub(super) fn compare(plan: &Plan, section: &mut Section) -> Result<()> {
    let mut contenders = vec![Contender::Own];
    for contender in [Contender::BullMq, Contender::Apalis, Contender::Redisson] {
        match contender.missing() {
            Some(why) => section.say(format!("{contender} is left out, because {why}.")),
            None => contenders.push(contender),
        }
    }
    let mut turns = Turns::start(&contenders, plan)?;
    let ways: Vec<Way> = WAYS
        .into_iter()
        .filter(|it| contenders.contains(&it.contender))
        .collect();
    // A round that does not count, so that nothing is compiled or loaded later.
    turns.compare(&ways, 16)?;
    for concurrency in [1, 16, 256] {
        let count = grouped(turns.count as i64);
        section.say(format!("{concurrency} at a time, of {count}:"));
        let rates = turns.compare(&ways, concurrency)?;
        section.table(&rates.table("elements/s"));
        aim(section, concurrency, &ways, &rates);
    }
    Ok(())
}

fn aim(section: &mut Section, concurrency: usize, ways: &[Way], rates: &Rates) {
    let own = rates.per_second(0);
    for (place, way) in ways.iter().enumerate() {
        let (least, times) = match way.contender {
            Contender::BullMq => (5.0, "at least 5 times"),
            Contender::Apalis => (1.0, "more than"),
            _ => continue,
        };
        let other = rates.per_second(place);
        section.target(
            &format!("{concurrency} at a time, run: {times} {}", way.name),
            ratio(own, other),
            own > least * other,
        );
    }
}
