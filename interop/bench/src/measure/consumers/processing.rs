//! What it costs to handle elements one at a time.

use super::turns::Turns;
use crate::{Result, contender::Contender, measure::Plan, rates::Way, section::Section};

/// The others are compared with the first.
const WAYS: [Way; 4] = [
    Way::new(
        Contender::Own,
        "parallel",
        "consume",
        "run COUNT CALLERS WINDOW",
    ),
    Way::new(
        Contender::Own,
        "by_key, 10,000 keys",
        "consume",
        "keys-10000 COUNT CALLERS WINDOW",
    ),
    Way::new(
        Contender::Own,
        "by_key, 16 keys",
        "consume",
        "keys-16 COUNT CALLERS WINDOW",
    ),
    Way::new(
        Contender::Own,
        "sequential",
        "consume",
        "sequential COUNT CALLERS WINDOW",
    ),
];

pub(super) fn compare(plan: &Plan, section: &mut Section) -> Result<()> {
    let mut turns = Turns::start(&[Contender::Own], plan)?;
    turns.compare(&WAYS, 16)?;
    section.say("The `Processing` of this crate, 16 at a time:");
    let rates = turns.compare(&WAYS, 16)?;
    section.table(&rates.table_beside("elements/s", "vs parallel"));
    section.say(rates.profile());
    Ok(())
}
